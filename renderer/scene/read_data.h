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

/// Reads the layers with data of a scene file, and opens their tables. Adds problems to `errors`.
class DataReader {
 public:
  /// `path`: the scene file.
  DataReader(const std::string& path, const SceneOverrides& overrides, FormatErrors& errors)
      : path_(path), overrides_(overrides), errors_(errors) {}

  /// `fits_films`: the view fits all files of films of data.
  void set_film(const std::optional<Animation>& animation, bool fits_films) {
    animation_ = animation;
    fits_films_ = fits_films;
  }
  /// Notes the columns that a layer uses. Call it for all layers first, since they may share a
  /// file.
  void note_columns(PartlyValidNode layer);
  /// `layer_path`: such as "layers[0]".
  DataSource read(PartlyValidNode layer, Shader shader, const std::string& layer_path);

 private:
  struct DataFile {
    std::shared_ptr<const Table> table;
    std::uint64_t content_hash = 0;
  };

  /// Reads a film with a data file per frame; nothing if a file is missing.
  std::shared_ptr<const DataFilm> read_film(ValidNode data, const FrameName& name,
                                            const std::string& folder);
  /// Checks that all files exist if a scale or view depends on all.
  void check_film(ValidNode data, const DataSource& source);
  void read_map(PartlyValidNode layer, Shader shader, DataSource& source);
  /// Reports a column of texts for colours without any colour: with "missing" all rows would get
  /// that colour.
  void check_texts(PartlyValidNode layer, const DataSource& source);
  /// Reports colour or alpha given in two places.
  void check_colors(PartlyValidNode layer, const DataSource& source);
  std::vector<DataColumn> read_columns(ValidNode list, Shader shader);
  /// Opens a file once for all layers, since it may have gigabytes. `used`: columns of all layers.
  const DataFile& open_data(const std::string& path, const std::string& dataset,
                            const UsedColumns& used);
  /// Memory left for texts besides the open files, in bytes.
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
