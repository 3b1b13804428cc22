#include "renderer/compare/run_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>
#include <optional>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/base/write_file.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/picture_shapes.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTableRows = 20;
constexpr std::array<const char*, 3> kKinds = {"golden", "actual", "difference"};

std::string picture_folder(const std::string& path) {
  const fs::path file(path);
  return (file.parent_path() / (file.stem().string() + "-pictures")).string();
}

std::string picture_name(std::size_t row, const char* kind) {
  return fmt::format("{:02}-{}.png", row, kind);
}

/// Escapes text for a table's cell.
std::string cell(const std::string& text) {
  return escaped(printable(text), {{'|', "\\|"},
                                   {'<', "&lt;"},
                                   {'&', "&amp;"},
                                   {'`', "\\`"},
                                   {'*', "\\*"},
                                   {'_', "\\_"},
                                   {'[', "\\["},
                                   {']', "\\]"},
                                   {'\\', "\\\\"},
                                   {'@', "&#64;"},
                                   {'#', "&#35;"}});
}

/// Returns a relative address, with special characters as %NN.
std::string address(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '/' || c == '_';
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string reasons_text(const PairResult& result) {
  std::string text = state_name(result.state);
  for (std::size_t i = 0; i < result.reasons.size(); ++i)
    text += (i == 0 ? ": " : ", ") + result.reasons[i];
  if (result.state == PairState::kDiffers && result.origin != Origin::kUnknown)
    text += "; " + origin_text(result.origin);
  return text;
}

/// Returns pictures in the order of kKinds.
std::array<std::optional<Image>, 3> images_of(const PairResult& result) {
  std::array<std::optional<Image>, 3> images;
  try {
    std::optional<Picture> golden, actual;
    if (!result.golden_path.empty()) golden = read_picture(result.golden_path);
    if (!result.actual_path.empty()) actual = read_picture(result.actual_path);
    if (golden && actual) make_comparable(*golden, *actual, result.tolerance.is_shape_tolerant);
    if (golden) images[0] = display_image(*golden);
    if (actual) images[1] = display_image(*actual);
    if (golden && actual && has_difference_image(result.difference))
      images[2] = difference_image(*golden, *actual, result.tolerance);
  } catch (const Error&) {  // the result's reasons report it
  } catch (const std::bad_alloc&) {
  }
  return images;
}

std::vector<const PairResult*> failures_of(const ComparisonRun& run) {
  std::vector<const PairResult*> failures;
  for (const PairResult& result : run.results)
    if (result.state != PairState::kSame) failures.push_back(&result);
  return failures;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(folder, error))
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: expected a folder; links are not followed", folder.string()));
  fs::create_directory(folder, error);
  if (error)
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
}

/// Returns the result's line of the table.
std::string write_row(const PairResult& result, std::size_t row, const fs::path& folder) {
  std::string line = fmt::format("| {} | {} |", cell(result.name), cell(reasons_text(result)));
  const auto images = images_of(result);
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (!images[k]) {
      line += " |";
      continue;
    }
    const std::string name = picture_name(row, kKinds[k]);
    make_folder(folder);
    write_png((folder / name).string(), *images[k], {});
    line += fmt::format(" ![{}]({}) |", kKinds[k], address((folder.filename() / name).string()));
  }
  return line + "\n";
}

/// Escapes a message, or a property, of a runner's command.
std::string command_text(const std::string& text, bool is_property) {
  std::string out = escaped(printable(text), {{'%', "%25"}});
  return is_property ? escaped(out, {{':', "%3A"}, {',', "%2C"}}) : out;
}

}  // namespace

void write_markdown(const std::string& path, const ComparisonRun& run) {
  remove_markdown_pictures(path);
  const std::vector<const PairResult*> failures = failures_of(run);
  const std::size_t rows = std::min(failures.size(), kMaxTableRows);
  std::string text = fmt::format("### {}\n\n{}\n", cell(run.title), counts_text(count_states(run)));
  if (rows > 0)
    text += "\n| picture | result | golden | actual | difference |\n|---|---|---|---|---|\n";
  for (std::size_t row = 0; row < rows; ++row)
    text += write_row(*failures[row], row, picture_folder(path));
  if (rows < failures.size()) text += fmt::format("\nand {} more\n", failures.size() - rows);
  write_text_atomically(path, text);
}

std::vector<std::string> markdown_files(const std::string& path) {
  std::vector<std::string> files = {path};
  for (std::size_t row = 0; row < kMaxTableRows; ++row)
    for (const char* const kind : kKinds)
      files.push_back((fs::path(picture_folder(path)) / picture_name(row, kind)).string());
  return files;
}

void remove_markdown_pictures(const std::string& path) noexcept {
  try {
    const fs::path folder = picture_folder(path);
    std::error_code ignored;
    if (fs::is_symlink(folder, ignored)) return;
    for (const std::string& file : markdown_files(path))
      if (file != path) fs::remove(file, ignored);
    if (fs::is_directory(folder, ignored)) fs::remove(folder, ignored);  // if empty
  } catch (const std::exception&) {  // out of memory: writing will report it
  }
}

Lines github_annotations(const ComparisonRun& run) {
  const std::vector<const PairResult*> failures = failures_of(run);
  Lines text;
  for (std::size_t i = 0; i < std::min(failures.size(), kMaxTableRows); ++i) {
    const PairResult& result = *failures[i];
    const std::string file =
        result.golden_path.empty() ? "" : "file=" + command_text(result.golden_path, true) + ",";
    text += fmt::format("error {}title={}::{}", file, command_text(result.name, true),
                        command_text(reasons_text(result), false));
  }
  if (failures.size() > kMaxTableRows)
    text += fmt::format("error title=roundel::and {} more", failures.size() - kMaxTableRows);
  return text;
}

}  // namespace roundel
