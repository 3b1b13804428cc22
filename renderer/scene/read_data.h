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

/// Reads layers with data, and opens their tables. Adds problems to `errors`.
class DataReader {
 public:
  /// `path`: the scene file.
  DataReader(const std::string& path, const SceneOverrides& overrides, FormatErrors& errors)
      : path_(path), overrides_(overrides), errors_(errors) {}

  /// `fits_films`: the view fits all files of films.
  void set_film(const std::optional<Animation>& animation, bool fits_films) {
    animation_ = animation;
    fits_films_ = fits_films;
  }
  /// Notes a layer's columns. Call for all layers first, since they may share a file.
  void note_columns(PartlyValidNode layer);
  /// `layer_path`: such as "layers[0]".
  DataSource read(PartlyValidNode layer, const Layer& read_so_far, const std::string& layer_path);

 private:
  struct DataFile {
    std::shared_ptr<const Table> table;
    std::uint64_t content_hash = 0;
  };

  /// Returns nothing if a file is missing. `shown`: Layer::frames.
  std::shared_ptr<const DataFilm> read_film(ValidNode data, const FrameName& name,
                                            const std::string& folder,
                                            const std::optional<std::array<double, 2>>& shown);
  /// All files must exist if a scale or view depends on all.
  void check_film(ValidNode data, const DataSource& source);
  void read_map(PartlyValidNode layer, Shader shader, DataSource& source);
  /// Reports a column for colours that has only other texts: "missing" would colour all rows.
  void check_texts(PartlyValidNode layer, const DataSource& source);
  /// Reports two places for colour or alpha.
  void check_colors(PartlyValidNode layer, const DataSource& source);
  std::vector<DataColumn> read_columns(ValidNode list, Shader shader);
  /// Opens a file once for all layers. `used`: by all of them.
  const DataFile& open_data(const std::string& path, const std::string& dataset,
                            const UsedColumns& used);
  /// Bytes for texts, besides open files.
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
