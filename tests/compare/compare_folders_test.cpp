#include "renderer/compare/comparison_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "renderer/compare/run_json.h"
#include "tests/compare/sample_pictures.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

class CompareFolders : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const Image& image,
                  const ImageMetadata& metadata = {}) const {
    const std::string path = folder_ / name;
    fs::create_directories(fs::path(path).parent_path());
    write_png(path, image, metadata);
    return path;
  }
  ComparisonRun compare(const GoldenRules& rules = rules_without_manifest({})) const {
    return compare_folders(folder_ / "a", folder_ / "b", rules, {});
  }
  static std::string lines(const ComparisonRun& run) {
    std::string text;
    for (const PairResult& result : run.results) text += result_line(result) + "\n";
    return text;
  }

  TemporaryFolder folder_;
};

TEST_F(CompareFolders, PairsByPathAndReportsUnpairedFiles) {
  const Image plain = plain_image(8, 8), spot = with_spot(plain, 3, 4);
  for (const char* name : {"a/same.png", "b/same.png", "a/x/deep er/\xC3\xBC.png", "a/gone.png",
                           "b/new.png", "a/ending.PNG", "b/ending.PNG"}) {
    put(name, plain);
  }
  put("b/x/deep er/\xC3\xBC.png", spot);
  folder_.write("a/notes.txt", "no picture");
  folder_.write("b/notes.txt", "the same name");
  folder_.write("b/x/a.svg", "another");
  fs::create_directory_symlink("x", folder_ / "b/link");
  folder_.write("a/goldens.yaml", "no picture either");
  EXPECT_EQ(lines(compare()),
            "ending.PNG: same [default]\n"
            "gone.png: missing: there is no " +
                (folder_ / "b/gone.png") +
                "\n"
                "new.png: new: there is no golden " +
                (folder_ / "a/new.png") +
                "\n"
                "same.png: same [default]\n"
                "x/deep er/\xC3\xBC.png: differs: 1 pixel differs, at most 0 may [default]\n");
  EXPECT_EQ(counts_text(count_states(compare())),
            "5 pictures: 2 same, 1 differs, 1 new, 1 missing; 3 other files ignored");
}

TEST_F(CompareFolders, UnreadableFileIsAResultAndTheRunContinues) {
  const Image plain = plain_image(8, 8);
  for (const char* name : {"a/1.png", "b/1.png", "a/2.png", "b/2.png", "a/3.png"}) {
    put(name, plain);
  }
  fs::resize_file(folder_ / "b/1.png", 60);
  fs::create_directories(folder_ / "b/3.png");
  fs::create_symlink("nowhere", folder_ / "b/4.png");
  const ComparisonRun run = compare();
  ASSERT_EQ(run.results.size(), 4u);
  EXPECT_EQ(run.results[0].state, PairState::kNotCompared);
  EXPECT_NE(run.results[0].reasons.at(0).find("b/1.png: "), std::string::npos);
  EXPECT_EQ(run.results[1].state, PairState::kSame);
  EXPECT_EQ(run.results[2].state, PairState::kMissing);
  EXPECT_EQ(run.results[3].state, PairState::kNew);
}

TEST_F(CompareFolders, EqualUnreadableFilesAreNotTheSame) {
  put("a/broken.png", plain_image(8, 8));
  put("b/broken.png", plain_image(8, 8));
  const std::vector<std::uint8_t> sound = read_bytes(folder_ / "a/broken.png");
  std::string broken(sound.begin(), sound.end());
  broken[broken.size() - 20] ^= 1;  // a byte of the pixels
  for (const char* side : {"a/", "b/"}) {
    folder_.write(side + std::string("broken.png"), broken);
    folder_.write(side + std::string("none.png"), "no picture");
  }
  EXPECT_EQ(lines(compare()), "broken.png: not compared: " + (folder_ / "a/broken.png") +
                                  ": not a valid PNG: a checksum is wrong [default]\n"
                                  "none.png: not compared: " +
                                  (folder_ / "a/none.png") +
                                  ": expected a PNG, EXR, PFM, JPEG or WebP file [default]\n");
}

TEST_F(CompareFolders, PairsWaitForMemoryUnlessTheirBytesAreEqual) {
  put("a/1.png", plain_image(8, 8));
  put("b/1.png", with_spot(plain_image(8, 8), 3, 4));
  put("b/2.png", plain_image(8, 8));
  MemoryBudget budget(fs::file_size(folder_ / "a/1.png") + 1000);
  std::optional<MemoryBudget::Share> taken = budget.take(1000);
  const auto start = [&](const char* actual) {
    return std::async(std::launch::async, [this, &budget, actual] {
      PairResult result;
      result.golden_path = folder_ / "a/1.png", result.actual_path = folder_ / actual;
      compare_pair_of_files(rules_without_manifest({}), {}, result, budget);
      return result.state;
    });
  };
  EXPECT_EQ(start("b/2.png").get(), PairState::kSame);
  std::future<PairState> waiting = start("b/1.png");
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  taken.reset();
  EXPECT_EQ(waiting.get(), PairState::kDiffers);
}

TEST(MemoryBudget, IsExceededOnlyByASingleThread) {
  constexpr std::uint64_t kBudget = 10;
  MemoryBudget budget(kBudget);
  std::atomic<std::uint64_t> taken = 0;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (std::uint64_t k = 0; k < 200; ++k) {
        const std::uint64_t bytes = 1 + (i + k) % 12;
        const MemoryBudget::Share share = budget.take(bytes);
        const std::uint64_t all = taken += bytes;
        if (all > kBudget && all != bytes) ++wrong;
        std::this_thread::yield();
        taken -= bytes;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CompareFolders, MissingFoldersAreErrors) {
  put("a/1.png", plain_image(8, 8));
  const std::string missing = folder_ / "b";
  EXPECT_EQ(message_of([&] { compare(); }), missing + ": No such file or directory");
  folder_.write("b", "a file");
  EXPECT_EQ(message_of([&] { compare(); }), missing + ": Not a directory");
}

TEST_F(CompareFolders, SkipsLinksToFolders) {
  put("a/1.png", plain_image(8, 8));
  put("b/1.png", plain_image(8, 8));
  fs::create_directory_symlink(".", folder_ / "a/loop");
  EXPECT_EQ(lines(compare()), "1.png: same [default]\n");
}

TEST_F(CompareFolders, AppliesTheRuleOfEachPicture) {
  const Image plain = plain_image(8, 8), spot = with_spot(plain, 3, 4);
  for (const char* name : {"one.png", "two.png"}) {
    put("a/" + std::string(name), plain);
    put("b/" + std::string(name), spot);
  }
  const GoldenRules rules =
      parse_manifest("version: 1\ntolerances: [{pictures: t*, max-pixels: 1}]", "g.yaml", {});
  EXPECT_EQ(lines(compare(rules)),
            "one.png: differs: 1 pixel differs, at most 0 may [default]\n"
            "two.png: same [g.yaml:2 \"t*\"]\n");
}

TEST_F(CompareFolders, FingerprintsDistinguishChangesOfSceneAndRenderer) {
  const Image plain = plain_image(8, 8), spot = with_spot(plain, 3, 4);
  const auto pair = [&](const std::string& name, const ImageMetadata& a, const ImageMetadata& b) {
    put("a/" + name, plain, a);
    put("b/" + name, spot, b);
  };
  const ImageMetadata one{"roundel", "0123", 1, 5}, other{"roundel", "4567", 1, 5},
      later{"roundel", "0123", 1, 6}, none{"roundel", "", 1, 5};
  pair("frame.png", one, later);
  pair("renderer.png", one, one);
  pair("scene.png", one, other);
  pair("unknown.png", none, one);
  const ComparisonRun run = compare();
  ASSERT_EQ(run.results.size(), 4u);
  EXPECT_EQ(run.results[0].origin, Origin::kOtherFrame);
  EXPECT_EQ(run.results[1].origin, Origin::kSameScene);
  EXPECT_EQ(run.results[2].origin, Origin::kSceneChanged);
  EXPECT_EQ(run.results[3].origin, Origin::kUnknown);
  EXPECT_NE(result_line(run.results[1]).find("the renderer changed"), std::string::npos);
  EXPECT_NE(result_line(run.results[2]).find("the scene changed"), std::string::npos);
}

TEST_F(CompareFolders, ResultsAreTheSameInEveryRun) {
  const Image plain = plain_image(33, 17), spot = with_spot(plain, 20, 3);
  for (int i = 0; i < 60; ++i) {
    put("a/" + std::to_string(i) + ".png", plain);
    put("b/" + std::to_string(i) + ".png", i % 7 == 0 ? spot : plain);
  }
  const auto json_without_times = [this] {
    ComparisonRun run = compare();
    for (PairResult& result : run.results) result.seconds = 0;
    return run_json(run);
  };
  const std::string first = json_without_times();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(json_without_times(), first);
}

}  // namespace
}  // namespace roundel
