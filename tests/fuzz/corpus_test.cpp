#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/fuzz_targets.h"

namespace {

// Runs every file of a folder; returns how many there are.
int run_corpus(const std::string& folder, void (*target)(const std::uint8_t*, std::size_t)) {
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

TEST(FuzzCorpus, EveryNpyInputEndsNormally) {
  EXPECT_GE(run_corpus("npy", try_npy), 5);
}

TEST(FuzzCorpus, EveryPictureInputEndsNormally) {
  EXPECT_GE(run_corpus("picture", try_picture), 20);
}

}  // namespace
