#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/data/table.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

/// The table of --each, in which a row stands for a picture: its columns are vars of the scene, or
/// parts of the pictures' names. Rows are counted from 0.
class SceneTable {
 public:
  /// Throws Error(kInvalidScene) with the problems of the file, among them each empty field.
  explicit SceneTable(const std::string& path);

  const std::string& path() const { return table_->path(); }
  std::int64_t rows() const { return static_cast<std::int64_t>(table_->rows()); }
  bool has_column(const std::string& name) const;
  /// "table.csv: line 3"
  std::string place(std::int64_t row) const;
  /// Returns the values of the columns that are `vars`.
  std::vector<VarSetting> settings(std::int64_t row, const std::vector<std::string>& vars) const;
  /// Throws Error(kInvalidScene) for columns that are neither a var of the scene in `file` nor a
  /// {column} of the pattern.
  void check_columns(const std::vector<std::string>& vars, const std::string& file,
                     const std::string& pattern) const;
  /// Returns the names of the rows' pictures: {column} in the pattern is a field of the row,
  /// {row:04}, or another spelling of a frame's number, its number. Throws Error(kUsage) for an
  /// unknown {column} and a constant pattern; Error(kInvalidScene) for fields that cannot be in a
  /// name, and for rows of equal names.
  FrameName names(const std::string& pattern) const;

 private:
  /// "table.csv: line 3: column gain"
  std::string place(std::int64_t row, std::size_t column) const;

  std::unique_ptr<const Table> table_;
  TableRows fields_;  ///< all rows and columns
};

}  // namespace roundel
