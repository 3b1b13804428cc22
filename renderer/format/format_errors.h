#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"

namespace roundel {

/// Line and column from 1; columns in bytes.
struct Place {
  std::uint32_t line = 1, column = 1;
  bool operator==(const Place&) const = default;
};

struct FormatProblem {
  Place place;
  std::string key_path;  ///< such as "layers[0].data"; empty for the whole file
  std::string message;
};

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

/// Collects the problems of a scene file: keeps kMaxReported and counts the others, so that
/// millions of mistakes need little memory.
class FormatErrors {
 public:
  static constexpr std::size_t kMaxReported = 100;

  explicit FormatErrors(std::string file) : file_(std::move(file)) {}

  /// Sets names, empty for unnamed layers. Messages append them to the key's path.
  void set_layer_names(std::vector<std::string> names) { layer_names_ = std::move(names); }
  /// `key_path` such as "layers[0].data"; empty for the whole file.
  void add(Place place, const std::string& key_path, const std::string& problem);
  /// Returns a place for nodes from outside the file. `text` is the start of their messages, made
  /// on demand.
  Place add_source(std::function<std::string()> text);
  /// Messages about this place name the option.
  void add_option(Place place, const std::string& option) { options_.emplace_back(place, option); }
  /// "line 12", or the text of add_source().
  std::string line_text(Place place) const;
  /// Further problems are only counted: do not build their messages.
  bool full() const { return entries_.size() >= kMaxReported; }

  /// Throws InvalidScene with a line "FILE:LINE:COLUMN: KEY.PATH: PROBLEM" per problem, ordered by
  /// place.
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
