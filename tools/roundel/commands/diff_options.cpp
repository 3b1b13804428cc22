#include "tools/roundel/commands/diff_options.h"

#include <fmt/format.h>

#include "renderer/scene/scene.h"
#include "tools/roundel/cli/values.h"

namespace roundel {
namespace {

constexpr double kMostPixels = static_cast<double>(kMaxPixels);
constexpr double kMostDelta = 1e9;
constexpr const char* kWindowText =
    "NUMBER/WIDTHxHEIGHT as in 10/16x16: pixels, and the window's size in pixels";

void store_max_pixels(Tolerance& tolerance, const std::string& value) {
  tolerance.pixels_in_percent = value.ends_with('%');
  if (tolerance.pixels_in_percent) {
    tolerance.max_pixels = parse_number(value.substr(0, value.size() - 1), 0, 100, "percent");
  } else {
    tolerance.max_pixels =
        static_cast<double>(parse_whole(value, 0, static_cast<std::int64_t>(kMostPixels)));
  }
}

void store_max_density(Tolerance& tolerance, const std::string& value) {
  const std::size_t slash = value.find('/');
  if (slash == std::string::npos) throw Expected{kWindowText};
  try {
    Tolerance::Density density;
    density.pixels = static_cast<std::uint64_t>(
        parse_whole(value.substr(0, slash), 0, static_cast<std::int64_t>(kMostPixels)));
    std::tie(density.width, density.height) = parse_size(value.substr(slash + 1));
    tolerance.max_density = density;
  } catch (const Expected&) {
    throw Expected{kWindowText};
  }
}

/// `--json FILE.json` too, which Boost would take for an option without a value and an argument.
Arguments with_json_files_joined(const Arguments& arguments) {
  Arguments joined;
  for (const std::string& argument : arguments) {
    const bool follows = !joined.empty() && joined.back() == "--json";
    if (follows && (argument == "-" || argument.ends_with(".json"))) {
      joined.back() += "=" + argument;
    } else {
      joined.push_back(argument);
    }
  }
  return joined;
}

void add_diff_image(CommandLine& line, DiffOptions& options) {
  line.add_value(
      "diff-image", "FILE",
      [&options](const std::string& value) {
        if (!value.ends_with(".png")) throw Expected{"a file name ending in .png"};
        options.diff_image = value;
      },
      "PNG to write where a pixel differs: A faded, with the pixels that count as different "
      "in red, those within --max-delta in yellow");
  line.add_value(
      "diff-image-kind", "KIND",
      [&options](const std::string& value) {
        if (value != "pixels" && value != "flip") throw Expected{"pixels or flip"};
        options.diff_image_kind = value == "flip" ? DiffImageKind::kFlip : DiffImageKind::kPixels;
      },
      "pixels (as above), or flip: FLIP's values as matplotlib's magma has them, black where the "
      "pictures look the same (default: pixels)");
}

}  // namespace

void add_tolerance(CommandLine& line, Tolerance& tolerance, Measures& measures) {
  line.add_value(
      "max-delta", "N",
      [&tolerance](const std::string& value) {
        tolerance.max_delta = parse_number(value, 0, kMostDelta);
      },
      "a pixel counts as different where a channel differs by more: levels of 0 to 255 in PNG "
      "(16-bit ones too), values in EXR and PFM (default: 0)");
  line.add_value(
      "max-pixels", "N|P%",
      [&tolerance](const std::string& value) { store_max_pixels(tolerance, value); },
      "how many pixels may differ, or how many percent of them (default: 0; any number with "
      "--max-density or --flip-mean)");
  line.add_value(
      "max-density", "N/WxH",
      [&tolerance](const std::string& value) { store_max_density(tolerance, value); },
      "how many pixels may differ in any window of WxH pixels");
  line.add_value(
      "flip-mean", "T",
      [&tolerance, &measures](const std::string& value) {
        tolerance.flip_mean = parse_number(value, 0, 1);
        measures.flip = true;
      },
      "largest mean of FLIP's values, 0 to 1");
  line.add_switch(
      "flip", [&measures] { measures.flip = true; },
      "measure FLIP, the difference that people see when the pictures are flipped on a screen: "
      "LDR-FLIP, or HDR-FLIP for EXR and PFM; 0 for nothing, 1 at most");
  line.add_value(
      "ppd", "N",
      [&measures](const std::string& value) {
        measures.pixels_per_degree =
            parse_number(value, kLeastPixelsPerDegree, kMostPixelsPerDegree, "pixels");
      },
      fmt::format("pixels per degree of the viewer's field, for FLIP, {} to {} (default: {:.2f})",
                  kLeastPixelsPerDegree, kMostPixelsPerDegree, kDefaultPixelsPerDegree));
  line.add_switch(
      "ssim", [&measures] { measures.ssim = true; },
      "measure SSIM, the structural similarity of luma; 1 for equal pictures");
}

bool parse(const Arguments& arguments, DiffOptions& options) {
  CommandLine line("diff", "A B [OPTION...]",
                   "Compares two pictures and says on stdout, in one line, whether they are the "
                   "same and how they differ; or the pictures of two folders, by their paths in "
                   "them, a line for each that is not the same. By default no pixel may differ.");
  std::vector<std::string> files;
  line.add_arguments("A B", 2, 2, files,
                     "pictures: PNG, EXR or PFM, whatever their endings; or folders with files "
                     "that end in .png, .exr or .pfm; A is the reference");
  add_tolerance(line, options.tolerance, options.measures);
  add_diff_image(line, options);
  add_run_files(line, options.files);
  add_explain(line, options.explain);
  line.add_optional_value(
      "json", "FILE", "-", [&options](const std::string& value) { options.json = value; },
      "print one JSON object instead of the line; with FILE.json write it there besides");
  line.add_value(
      "threads", "N",
      [&options](const std::string& value) {
        options.threads = static_cast<int>(parse_whole(value, 1, 1024, "threads"));
      },
      "number of CPU threads, 1 to 1024 (default: one a core)");
  line.add_switch(
      "quiet,q", [&options] { options.verbosity = Verbosity::kQuiet; },
      "print nothing but errors: the exit code says it");
  line.add_note(
      "Size, channels, bit depth and colour space must be the same. docs/diff.md defines all "
      "measures.");
  line.add_note(kResultsNote);
  line.add_note(
      "Exit codes: 0 same, or within what may differ; 1 different; 2 could not compare (wrong "
      "command line, a file that cannot be read); 130, 143 after SIGINT, SIGTERM.");
  line.add_check([&options](CommandLine::Problems& problems) {
    const Tolerance& tolerance = options.tolerance;
    const bool judges = tolerance.max_delta > 0 || tolerance.max_pixels || tolerance.max_density ||
                        options.measures.flip || options.measures.ssim || options.diff_image ||
                        options.files.manifest || options.files.report || options.files.junit;
    if (options.explain.is_wanted && judges) {
      problems.emplace_back(
          "--explain: expected without limits, measures, --diff-image and what is for folders");
    }
  });
  if (!line.parse(with_json_files_joined(arguments))) return false;
  options.a = files[0], options.b = files[1];
  return true;
}

}  // namespace roundel
