// Writes folders of pictures that differ in known ways, and their reports: report_sample FOLDER.
//   FOLDER/report   one of everything, in pictures with difficult names
//   FOLDER/values   floats, 16 bits, and a picture that is too large to be shown as a whole
//   FOLDER/large    10,000 pictures that differ
//   FOLDER/same     equal pictures
// report_sample --many FOLDER: 10,000 different pairs of 256x256 in FOLDER/report.
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/compare/report.h"
#include "renderer/image/files.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Returns a gradient without two equal pixels in a row, with alpha falling from left to right.
Image make_picture(int width, int height, int channels) {
  Image image;
  image.resize(width, height, channels);
  std::uint8_t* byte = image.bytes.data();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      *byte++ = static_cast<std::uint8_t>(3 * x);
      *byte++ = static_cast<std::uint8_t>(4 * y);
      *byte++ = static_cast<std::uint8_t>(200 - x - y);
      if (channels == 4) *byte++ = static_cast<std::uint8_t>(x < 8 ? 0 : 4 * x);
    }
  }
  return image;
}

std::uint8_t* pixel_of(Image& image, int x, int y) {
  return image.bytes.data() + (static_cast<std::ptrdiff_t>(y) * image.width + x) * image.channels;
}

Image make_disc(int x, int y, int radius) {
  Image image = make_picture(256, 256, 3);
  for (int row = y - radius; row <= y + radius; ++row)
    for (int column = x - radius; column <= x + radius; ++column)
      if ((row - y) * (row - y) + (column - x) * (column - x) <= radius * radius)
        pixel_of(image, column, row)[1] = static_cast<std::uint8_t>(x + y);
  return image;
}

class Sample {
 public:
  explicit Sample(fs::path folder) : folder_(std::move(folder)) {}

  void put(const char* side, const std::string& name, const Image& image,
           const std::string& fingerprint = "") const {
    const fs::path path = folder_ / side / name;
    fs::create_directories(path.parent_path());
    write_png(path.string(), image, {"roundel", fingerprint, 1, 0});
  }
  void put_both(const std::string& name, const Image& image) const {
    put("golden", name, image);
    put("actual", name, image);
  }

  void make_all_kinds() const {
    const Image plain = make_picture(64, 48, 3);
    for (const char* name : {"same 1.png", "same 2.png", "same 3.png"}) put_both(name, plain);

    Image spot = make_picture(64, 48, 3);
    for (int x = 40; x < 44; ++x) pixel_of(spot, x, 30)[0] = 255;
    pixel_of(spot, 2, 3)[1] += 1;
    put("golden", "spot.png", plain, "a scene");
    put("actual", "spot.png", spot, "a scene");

    Image see_through = make_picture(60, 48, 4);
    put("golden", "alpha \xCE\xB1 \"quoted\" & 'more'.png", see_through, "a scene");
    pixel_of(see_through, 5, 7)[2] = 9;  // under alpha 0
    put("actual", "alpha \xCE\xB1 \"quoted\" & 'more'.png", see_through, "another scene");

    put("golden", "film <b>/<!--<script>.png", plain);
    put("actual", "film <b>/<!--<script>.png", spot);
    put("golden", "x</script>.png", plain);
    put("actual", "x</script>.png", spot);
    put("golden", "shape.png", plain);
    put("actual", "shape.png", make_picture(64, 47, 3));
    put("golden", "gone.png", plain);
    put("actual", "new.png", plain);
    put_both("broken.png", plain);
    fs::resize_file(folder_ / "actual/broken.png", 100);
    put("golden", "tolerated.png", plain);
    put("actual", "tolerated.png", spot);
  }

  /// Pictures whose values, or size, exceed a screen's.
  void make_values() const {
    Image words;
    words.resize(40, 30, 3, 16);
    for (std::size_t i = 0; i < words.bytes.size(); ++i)
      words.bytes[i] = static_cast<std::uint8_t>(7 * i);
    put("values/golden", "words.png", words);
    words.bytes[(5 * 40 + 6) * 6 + 1] ^= 3;  // the low byte of red
    put("values/actual", "words.png", words);

    Framebuffer bright;
    bright.resize(20, 10);
    std::fill(bright.pixels.begin(), bright.pixels.end(), Pixel{0.5f, 0.25f, 0.0f, 1.0f});
    Pixel& pixel = bright.pixels.data()[(10 - 1 - 3) * 20 + 4];  // rows from the bottom
    pixel = {21.5f, 0.00012345f, std::numeric_limits<float>::quiet_NaN(), 1.0f};
    write_floats("values/golden", bright);
    pixel.red = 33.125f;
    write_floats("values/actual", bright);

    Image huge = make_picture(5000, 3000, 3);
    put("values/golden", "huge.png", huge);
    *pixel_of(huge, 4990, 2980) = 1;
    for (int x = 10; x < 40; ++x) pixel_of(huge, x, 200)[2] ^= 64;
    put("values/actual", "huge.png", huge);
  }

  static Measures measures() {
    Measures measures;
    measures.flip = true;
    return measures;
  }

  ComparisonRun compare_values() const {
    return compare_folders((folder_ / "values/golden").string(),
                           (folder_ / "values/actual").string(), rules_without_manifest({}), {});
  }

  ComparisonRun compare() const {
    GoldenRules rules = rules_without_manifest({});
    Tolerance five;
    five.max_pixels = 5;
    rules.insert(rules.begin(), {"goldens.yaml:3 \"tol*\"", {"tol*"}, five});
    ComparisonRun run = compare_folders((folder_ / "golden").string(),
                                        (folder_ / "actual").string(), rules, measures());
    run.title = "goldens & <actual>";
    run.output_folder = folder_.string();
    run.accept_command = "roundel accept";
    return run;
  }

  void make_pairs(int count) const {
    tbb::parallel_for(0, count, [&](int i) {
      const std::string name = fmt::format("film {}/frame {:05}.png", i / 1000, i);
      const int x = 60 + i % 100, y = 60 + i / 100;
      put("golden", name, make_disc(x, y, 20 + i % 20));
      put("actual", name, make_disc(x + 1, y, 20 + i % 20));
    });
  }

  ComparisonRun many(std::size_t count) const {
    const fs::path tiny = folder_ / "tiny";
    put("tiny/golden", "a.png", make_picture(8, 6, 3));
    put("tiny/actual", "a.png", make_picture(8, 6, 4));
    ComparisonRun run = compare_folders((tiny / "golden").string(), (tiny / "actual").string(),
                                        rules_without_manifest({}), measures());
    run.results.resize(count, run.results.at(0));
    for (std::size_t i = 0; i < count; ++i) {
      run.results[i].name = fmt::format("film {}/frame {:05}.png", i / 1000, i);
    }
    return run;
  }

 private:
  void write_floats(const char* side, const Framebuffer& framebuffer) const {
    const std::vector<std::uint8_t> file = encode_pfm(framebuffer);
    std::ofstream((folder_ / side / "floats.pfm").string(), std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
  }

  fs::path folder_;
};

int make_reports(const fs::path& folder) {
  const Sample sample(folder);
  sample.make_all_kinds();
  write_report((folder / "report").string(), sample.compare());
  sample.make_values();
  write_report((folder / "values").string(), sample.compare_values());
  write_report((folder / "large").string(), sample.many(10000));
  ComparisonRun same = sample.compare();
  std::erase_if(same.results,
                [](const PairResult& result) { return result.state != PairState::kSame; });
  write_report((folder / "same").string(), same);
  return 0;
}

int make_many(const fs::path& folder) {
  const Sample sample(folder);
  sample.make_pairs(10000);
  const auto start = std::chrono::steady_clock::now();
  const ComparisonRun run = compare_folders(
      (folder / "golden").string(), (folder / "actual").string(), rules_without_manifest({}), {});
  const std::chrono::duration<double> compared = std::chrono::steady_clock::now() - start;
  write_report((folder / "report").string(), run);
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  std::printf("%zu pairs compared in %.1f s, their report written in %.1f s\n", run.results.size(),
              compared.count(), (all - compared).count());
  return 0;
}

}  // namespace
}  // namespace roundel

int main(int argc, char** argv) {
  try {
    if (argc == 2) return roundel::make_reports(argv[1]);
    if (argc == 3 && std::string_view(argv[1]) == "--many") return roundel::make_many(argv[2]);
    std::fprintf(stderr, "usage: report_sample [--many] FOLDER\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "report_sample: %s\n", error.what());
  }
  return 1;
}
