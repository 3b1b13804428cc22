#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/data/table.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/valid_node.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Reads the layers of a scene file that have data, and opens their tables. What is wrong goes to
/// `errors`.
class DataReader {
 public:
  /// `path`: of the scene file.
  DataReader(const std::string& path, const SceneOverrides& overrides, FormatErrors& errors)
      : path_(path), overrides_(overrides), errors_(errors) {}

  /// `fits_films`: the view fits all files of films of data.
  void set_film(const std::optional<Animation>& animation, bool fits_films) {
    animation_ = animation;
    fits_films_ = fits_films;
  }
  /// Notes the columns that a layer uses. Called for all layers first: they may share a file.
  void note_columns(PartlyValidNode layer);
  /// `layer_path`: such as "layers[0]".
  DataSource read(PartlyValidNode layer, Shader shader, const std::string& layer_path);

 private:
  struct DataFile {
    std::shared_ptr<const Table> table;
    std::uint64_t content_hash = 0;
  };

  /// A data file a frame; nothing where there is none for some.
  std::shared_ptr<const DataFilm> read_film(ValidNode data, const FrameName& name,
                                            const std::string& folder);
  /// Where something goes by all files of a film, all must be there.
  void check_film(ValidNode data, const DataSource& source);
  void read_map(PartlyValidNode layer, Shader shader, DataSource& source);
  /// Finds a column of texts that stand for colours, though none of them is one: with "missing" all
  /// rows would have that colour.
  void check_texts(PartlyValidNode layer, const DataSource& source);
  /// A layer has one place for its colour and one for its alpha.
  void check_colors(PartlyValidNode layer, const DataSource& source);
  std::vector<DataColumn> read_columns(ValidNode list, Shader shader);
  /// Layers may share a file, which can be gigabytes long: it is read once. `used`: of all of them.
  const DataFile& open_data(const std::string& path, const std::string& dataset,
                            const UsedColumns& used);
  /// Memory left for texts beside the open files, in bytes.
  std::uint64_t memory_left() const;

  const std::string& path_;
  const SceneOverrides& overrides_;
  FormatErrors& errors_;
  std::optional<Animation> animation_;
  bool fits_films_ = false;
  std::string layer_path_;
  std::map<std::string, UsedColumns, std::less<>> used_;           ///< by `data`
  std::map<std::pair<std::string, std::string>, DataFile> files_;  ///< by path and dataset
};

}  // namespace roundel
