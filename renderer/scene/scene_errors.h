#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace roundel {

/// A position in a scene file; both counted from 1, columns in bytes.
struct Place {
  std::uint32_t line = 1, column = 1;
};

/// The problems found in one scene file. At most kMaxReported are kept, so that a file with
/// millions of mistakes needs little memory; the others are counted.
class SceneErrors {
 public:
  static constexpr std::size_t kMaxReported = 100;

  explicit SceneErrors(std::string file) : file_(std::move(file)) {}

  /// Those of the layers, in their order; empty for one without. Messages of problems that are
  /// added from now on have them behind the key's path.
  void set_layer_names(std::vector<std::string> names) { layer_names_ = std::move(names); }
  /// `key_path` such as "layers[0].data", empty for the file as a whole.
  void add(Place place, const std::string& key_path, const std::string& problem);
  /// True once further problems are only counted: their messages need not be built.
  bool full() const { return entries_.size() >= kMaxReported; }

  /// Throws Error(kInvalidScene) with one line "FILE:LINE:COLUMN: KEY.PATH: PROBLEM" a problem, in
  /// the order of their places; returns if there is none.
  void throw_if_any();

 private:
  struct Entry {
    Place place;
    std::string text;
  };
  std::string name_of_layer(const std::string& key_path) const;

  std::string file_;
  std::vector<std::string> layer_names_;
  std::vector<Entry> entries_;
  std::uint64_t left_out_ = 0;
};

}  // namespace roundel
