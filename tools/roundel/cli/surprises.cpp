#include "tools/roundel/cli/surprises.h"

#include <fmt/format.h>

#include <cmath>

#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/remarks.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_film.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

/// About an image of another aspect than the scene's.
std::string other_aspect(const Scene& scene) {
  const ImageSettings& image = scene.image;
  const double aspect = static_cast<double>(image.frame_width()) / image.frame_height();
  const double aspect_in_file = static_cast<double>(scene.width_in_file) / scene.height_in_file;
  constexpr double kRounding = 0.02;  // of a small picture's whole pixels
  if (scene.width_in_file == 0 || std::abs(aspect / aspect_in_file - 1) <= kRounding) return "";
  const char* const effect =
      scene.window.has_value()  ? (scene.window->covers ? "the view's window is cut off elsewhere"
                                                        : "there is more around the view's window")
      : aspect > aspect_in_file ? "the picture shows more at the left and right"
                                : "the picture is cut off at the left and right";
  return fmt::format("--size {}x{} is {} than the scene's {}x{}: {}; --scale keeps its shape",
                     image.frame_width(), image.frame_height(),
                     aspect > aspect_in_file ? "wider" : "narrower", scene.width_in_file,
                     scene.height_in_file, effect);
}

std::set<std::string> with_path(const Scene& scene, const std::vector<std::string>& sentences) {
  std::set<std::string> lines;
  for (const std::string& sentence : sentences) lines.insert(scene.path + ": " + sentence);
  return lines;
}

std::set<std::string> without(std::set<std::string> lines, const std::set<std::string>& known) {
  for (const std::string& line : known) lines.erase(line);
  return lines;
}

/// Warns of the first lines, and of how many more there are: numbers that were rounded, or rows
/// that are skipped.
void warn_of_first(const std::set<std::string>& lines, bool are_rounded) {
  constexpr std::size_t kListed = 5;
  std::size_t listed = 0;
  for (const std::string& line : lines)
    if (++listed <= kListed) print_warning(line);
  if (lines.size() <= kListed) return;
  const std::uint64_t more = lines.size() - kListed;
  if (are_rounded)
    print_warning(fmt::format("numbers of {} are rounded, too", counted(more, "more column")));
  else
    print_warning(fmt::format("rows of {} are skipped, too", counted(more, "more file")));
}

/// About a film of so many frames in which nothing moves.
std::string nothing_moves(const Scene& scene, std::size_t frames) {
  if (frames < 2 || FilmSource(scene).varies()) return "";
  const std::int64_t start = scene.animation ? scene.animation->start : 0;
  return fmt::format(
      "nothing in this scene depends on the frame: the {} pictures are the same; values with keys "
      "move, as opacity: {{keys: {{{}: 0, {}: 1}}}}",
      frames, start, start + static_cast<std::int64_t>(frames) - 1);
}

std::vector<std::string> surprises_of_look(const Scene& scene, ImageFormat format,
                                           const CircleSample& sample, std::size_t frames) {
  std::vector<std::string> sentences = remarks_on_look(scene, format, sample);
  sentences.push_back(other_aspect(scene));
  sentences.push_back(nothing_moves(scene, frames));
  std::erase(sentences, "");
  return sentences;
}

}  // namespace

std::vector<std::string> surprises(const Scene& scene, ImageFormat format,
                                   const CircleSample& sample, std::size_t frames) {
  std::vector<std::string> sentences = surprises_of_look(scene, format, sample, frames);
  for (const auto& more : {skipped_rows(scene, RowsOf::kScene), rounded_numbers(scene)})
    sentences.insert(sentences.end(), more.begin(), more.end());
  return sentences;
}

void warn_of_surprises(const Scene& scene, ImageFormat format, const CircleSample& sample,
                       std::size_t frames, bool is_film) {
  for (const std::string& sentence : surprises_of_look(scene, format, sample, frames))
    print_warning(fmt::format("{}: {}", scene.path, sentence));
  warn_of_first(with_path(scene, skipped_rows(scene, is_film ? RowsOf::kFilm : RowsOf::kScene)),
                false);
  warn_of_rounding(scene);
}

void warn_of_rounding(const Scene& scene) {
  warn_of_first(with_path(scene, rounded_numbers(scene)), true);
}

void warn_of_nothing(const Scene& scene, ImageFormat format, const CircleSample& sample,
                     std::int64_t frame, std::uint64_t overlaps) {
  const std::string sentence = nothing_to_see(scene, format, sample, frame, overlaps);
  if (!sentence.empty()) print_warning(fmt::format("{}: {}", scene.path, sentence));
}

void FrameRemarks::look_at(std::int64_t frame, const Scene& scene, const CircleStream& circles) {
  rounded_.merge(with_path(scene, rounded_numbers(scene)));
  skipped_.merge(with_path(scene, skipped_rows(scene, RowsOf::kScene)));
  if (!shows_nothing(scene, circles)) return;
  if (unseen_.empty()) first_unseen_ = {scene.path, frame, nothing_to_see(scene, {}, {}, frame, 0)};
  unseen_.insert(frame);
}

void FrameRemarks::warn(const Scene& film) const {
  const char* const noun = film.film && film.film->rows > 0 ? "row" : "frame";
  if (!unseen_.empty()) {
    const auto& [path, frame, why] = first_unseen_;
    print_warning(fmt::format("{}: {} {}: {}", path, noun, frame, why));
  }
  if (unseen_.size() > 1)
    print_warning(fmt::format("{}: no circle in {}: {}", film.path, counted(unseen_.size(), noun),
                              frames_text({unseen_.begin(), unseen_.end()})));
  warn_of_first(without(skipped_, with_path(film, skipped_rows(film, RowsOf::kFilm))), false);
  warn_of_first(without(rounded_, with_path(film, rounded_numbers(film))), true);
}

}  // namespace roundel
