#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/scene_from_bytes.h"

namespace {

// Runs every file of a folder; returns their number.
template <typename Target>
int run_corpus(const std::string& folder, const Target& target) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(ROUNDEL_SOURCE_DIR "/tests/fuzz/corpus/" + folder)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                                  std::istreambuf_iterator<char>());
    EXPECT_NO_THROW(target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    ++files;
  }
  return files;
}

TEST(FuzzCorpus, EverySceneInputEndsNormally) {
  EXPECT_GE(run_corpus("scene", try_scene), 10);
}

TEST(FuzzCorpus, EverySceneOfDecisionsEndsNormally) {
  EXPECT_GE(run_corpus("scene_form", try_scene_form), 10);
}

TEST(FuzzCorpus, ScenesOfRandomDecisionsEndNormally) {
  std::mt19937 random(20240301);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> decisions(1 + random() % 60);
    for (std::uint8_t& decision : decisions) {
      // Small ones mostly follow the format, so that these get deeper into it.
      decision = static_cast<std::uint8_t>(random() % (random() % 4 == 0 ? 256 : 10));
    }
    SCOPED_TRACE(round);
    EXPECT_NO_THROW(try_scene_form(decisions.data(), decisions.size()));
  }
}

TEST(FuzzCorpus, EmptyDecisionsGiveTheShortestScene) {
  EXPECT_EQ(scene_from_bytes({}), "{version: 1, layers: [], }");
}

TEST(FuzzCorpus, EveryNpyInputEndsNormally) {
  EXPECT_GE(run_corpus("npy", try_npy), 5);
}

TEST(FuzzCorpus, EveryTableInputEndsNormally) {
  EXPECT_GE(run_corpus("csv", try_csv), 8);
  EXPECT_GE(run_corpus("npz", try_npz), 5);
  EXPECT_GE(run_corpus("ply", try_ply), 4);
  EXPECT_GE(run_corpus("hdf5", try_hdf5), 5);
}

TEST(FuzzCorpus, EveryPictureInputEndsNormally) {
  EXPECT_GE(run_corpus("picture", try_picture), 20);
}

TEST(FuzzCorpus, DamagedPictureInputsEndNormally) {
  std::mt19937 random(20240229);
  run_corpus("picture", [&random](const std::uint8_t* data, std::size_t size) {
    for (int round = 0; round < 40; ++round) {
      std::vector<std::uint8_t> damaged(data, data + size);
      for (unsigned k = 0, count = 1 + random() % 4; k < count; ++k)
        damaged[random() % size] = static_cast<std::uint8_t>(random());
      if (random() % 4 == 0) damaged.resize(random() % size);
      try_picture(damaged.data(), damaged.size());
    }
  });
}

}  // namespace
