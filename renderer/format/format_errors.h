#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"

namespace roundel {

/// Position in a scene file; both count from 1, columns in bytes.
struct Place {
  std::uint32_t line = 1, column = 1;
  bool operator==(const Place&) const = default;
};

/// One problem of a scene.
struct FormatProblem {
  Place place;
  std::string key_path;  ///< such as "layers[0].data"; empty for the whole file
  std::string message;
};

/// All problems of a scene file.
class InvalidScene : public Error {
 public:
  InvalidScene(std::string file, std::vector<FormatProblem> problems, const Lines& message)
      : Error(ExitCode::kInvalidScene, message),
        file_(std::move(file)),
        problems_(std::move(problems)) {}
  const std::string& file() const { return file_; }
  const std::vector<FormatProblem>& problems() const { return problems_; }

 private:
  std::string file_;
  std::vector<FormatProblem> problems_;
};

/// Collects the problems of one scene file. Keeps at most kMaxReported and counts the others, so
/// that a file with millions of mistakes needs little memory.
class FormatErrors {
 public:
  static constexpr std::size_t kMaxReported = 100;

  explicit FormatErrors(std::string file) : file_(std::move(file)) {}

  /// Sets the names of the layers in order, empty for unnamed layers. Messages append them to the
  /// key's path.
  void set_layer_names(std::vector<std::string> names) { layer_names_ = std::move(names); }
  /// `key_path` such as "layers[0].data"; empty for the whole file.
  void add(Place place, const std::string& key_path, const std::string& problem);
  /// Returns a place for nodes from outside the file. `text`, called only for messages, returns the
  /// text that their errors begin with.
  Place add_source(std::function<std::string()> text);
  /// Marks the node at a place as set by an option, which messages name.
  void add_option(Place place, const std::string& option) { options_.emplace_back(place, option); }
  /// "line 12", or the source of a node from outside the file.
  std::string line_text(Place place) const;
  /// True if further problems are only counted: do not build their messages.
  bool full() const { return entries_.size() >= kMaxReported; }

  /// Throws InvalidScene with one line "FILE:LINE:COLUMN: KEY.PATH: PROBLEM" per problem, in order
  /// of their places; returns if there are none.
  void throw_if_any();

 private:
  std::string name_of_layer(const std::string& key_path) const;
  std::string place_text(Place place) const;

  static constexpr std::uint32_t kNoLine = std::numeric_limits<std::uint32_t>::max();
  std::string file_;
  std::vector<std::string> layer_names_;
  std::vector<FormatProblem> entries_;
  std::vector<std::function<std::string()>> sources_;
  std::vector<std::pair<Place, std::string>> options_;
  std::uint64_t left_out_ = 0;
};

}  // namespace roundel
