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

constexpr std::size_t kMaxTableRows = 20, kMaxAnnotations = 10;
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

/// "seed 7 → 8, glow.yaml:6"; empty if unknown.
std::string cause_text(const PairResult& result) {
  constexpr std::string_view kStart = "scene: ";
  std::string place = result.scene_line == 0
                          ? ""
                          : fmt::format("{}:{}", fs::path(result.scene_path).filename().string(),
                                        result.scene_line);
  if (result.explanation.empty() || !result.explanation.front().starts_with(kStart)) return place;
  std::string text = result.explanation.front().substr(kStart.size());
  if (const std::size_t at = text.find(" -> "); at != std::string::npos)
    text.replace(at, 4, " \xE2\x86\x92 ");
  return text + (place.empty() ? "" : ", " + place);
}

/// "21.3 % of the pixels, by up to 200"; empty if nothing was measured.
std::string size_text(const PictureDifference& difference) {
  if (difference.pixels_over == 0 || difference.width == 0) return "";
  const double share = 100 * static_cast<double>(difference.pixels_over) /
                       static_cast<double>(pixel_count(difference.width, difference.height));
  double largest = 0;
  for (const PictureDifference::Channel& channel : difference.channels)
    largest = std::max(largest, channel.largest);
  return fmt::format(
      "{:.3g} % of the pixels, by up to {}", share,
      difference.not_finite > 0 ? "NaN or infinity" : fmt::format("{:.4g}", largest));
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
  const std::string cause = cause_text(result), size = size_text(result.difference);
  std::string line =
      fmt::format("| {} | {}{}{} |", cell(result.name),
                  cause.empty() ? "" : fmt::format("**{}**<br>", cell(cause)),
                  cell(reasons_text(result)), size.empty() ? "" : "<br>" + cell(size));
  const auto images = images_of(result);
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (!images[k]) {
      line += " |";
      continue;
    }
    const std::string name = picture_name(row, kKinds[k]);
    make_folder(folder);
    write_png((folder / name).string(), *images[k], {}, Sync::kLater);
    line += fmt::format(" ![{}]({}) |", kKinds[k], address((folder.filename() / name).string()));
  }
  return line + "\n";
}

/// Escapes a message, or a property, of a runner's command.
std::string command_text(const std::string& text, bool is_property) {
  std::string out = escaped(printable(text), {{'%', "%25"}});
  return is_property ? escaped(out, {{':', "%3A"}, {',', "%2C"}}) : out;
}

/// Returns the path relative to the folder if it lies there, else as it is.
std::string path_in_workspace(const std::string& path, const std::string& workspace) {
  if (workspace.empty()) return path;
  const auto real = [](const std::string& of) {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(of, ignored), ignored);
  };
  const fs::path below = real(path).lexically_relative(real(workspace));
  return below.empty() || *below.begin() == ".." ? path : below.string();
}

/// "file=scenes/glow.yaml,line=6,"; empty if the result has no file.
std::string place_property(const PairResult& result, const std::string& workspace) {
  const bool has_scene = !result.scene_path.empty();
  const std::string& path = has_scene ? result.scene_path : result.golden_path;
  if (path.empty()) return "";
  const std::string line =
      has_scene ? fmt::format("line={},", std::max<std::uint32_t>(1, result.scene_line)) : "";
  return fmt::format("file={},{}", command_text(path_in_workspace(path, workspace), true), line);
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
  std::vector<std::string> names;
  for (std::size_t row = 0; row < rows; ++row)
    if (can_accept(run, *failures[row])) names.push_back(failures[row]->name);
  // A line that begins with "roundel" cannot end the block.
  if (!names.empty())
    text += fmt::format("\nTo accept:\n\n```sh\n{}\n```\n", command_to_accept(run, names));
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

Lines github_annotations(const ComparisonRun& run, const std::string& workspace) {
  const std::vector<const PairResult*> failures = failures_of(run);
  const std::size_t shown =
      failures.size() > kMaxAnnotations ? kMaxAnnotations - 1 : failures.size();
  Lines text;
  for (std::size_t i = 0; i < shown; ++i) {
    const PairResult& result = *failures[i];
    const std::string cause = cause_text(result), size = size_text(result.difference);
    text += fmt::format("error {}title={}::{}", place_property(result, workspace),
                        command_text(result.name, true),
                        command_text((cause.empty() ? "" : cause + ": ") + reasons_text(result) +
                                         (size.empty() ? "" : "; " + size),
                                     false));
  }
  if (shown < failures.size())
    text += fmt::format("error title=roundel::and {} more", failures.size() - shown);
  return text;
}

}  // namespace roundel
