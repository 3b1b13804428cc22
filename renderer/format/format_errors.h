#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"

namespace roundel {

/// A position in a scene file; both counted from 1, columns in bytes.
struct Place {
  std::uint32_t line = 1, column = 1;
  bool operator==(const Place&) const = default;
};

/// One thing that is wrong with a scene.
struct FormatProblem {
  Place place;
  std::string key_path;  ///< such as "layers[0].data", empty for the file as a whole
  std::string message;
};

/// What is wrong with a scene file, each on its own.
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

/// The problems found in one scene file. At most kMaxReported are kept, so that a file with
/// millions of mistakes needs little memory; the others are counted.
class FormatErrors {
 public:
  static constexpr std::size_t kMaxReported = 100;

  explicit FormatErrors(std::string file) : file_(std::move(file)) {}

  /// Those of the layers, in their order; empty for one without. Messages have them behind the
  /// key's path.
  void set_layer_names(std::vector<std::string> names) { layer_names_ = std::move(names); }
  /// `key_path` such as "layers[0].data", empty for the file as a whole.
  void add(Place place, const std::string& key_path, const std::string& problem);
  /// The place of what does not stand in the file; `text`, which may take time, becomes what its
  /// errors begin with.
  Place add_source(std::function<std::string()> text);
  /// What stands at a place comes from an option, which messages name.
  void add_option(Place place, const std::string& option) { options_.emplace_back(place, option); }
  /// "line 12", or of what does not stand in the file its source.
  std::string line_text(Place place) const;
  /// True once further problems are only counted: their messages need not be built.
  bool full() const { return entries_.size() >= kMaxReported; }

  /// Throws InvalidScene with one line "FILE:LINE:COLUMN: KEY.PATH: PROBLEM" a problem, in
  /// the order of their places; returns if there is none.
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
