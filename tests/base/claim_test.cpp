#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "renderer/base/atomic_file.h"
#include "tests/testing.h"

namespace roundel {
namespace {

const std::vector<std::uint8_t> kWritten(100000, 7), kLater = {1, 2, 3};

TEST(Claim, BelongsToOneProcessAndEndsWithIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  int to_child[2] = {}, to_parent[2] = {};
  ASSERT_EQ(pipe(to_child) + pipe(to_parent), 0);
  for (const bool commits : {false, true, false}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    // Holds it until told to end, like a killed process or with the file present.
    if (child == 0) {
      const auto claim = AtomicFile::claim(path);
      char byte = claim ? 'y' : 'n';
      if (write(to_parent[1], &byte, 1) != 1 || read(to_child[0], &byte, 1) != 1) _exit(99);
      if (commits) {
        claim->write(kWritten);
        claim->commit();
      }
      _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(to_parent[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    EXPECT_EQ(AtomicFile::claim(path), nullptr);
    remove_leftover_files(folder.path());  // still in use
    EXPECT_EQ(AtomicFile::claim(path), nullptr);
    EXPECT_NE(AtomicFile::claim(folder / "b"), nullptr);
    ASSERT_EQ(write(to_child[1], &byte, 1), 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(std::filesystem::exists(path), commits);
    EXPECT_EQ(read_bytes(path), commits ? kWritten : std::vector<std::uint8_t>());
    const auto claim = AtomicFile::claim(path);
    ASSERT_NE(claim, nullptr);
    claim->write(kLater);
    claim->commit();
    EXPECT_EQ(read_bytes(path), kLater);
    std::filesystem::remove(path);
  }
  EXPECT_EQ(folder.count_files(), 0U);
}

TEST(Claim, ManyProcessesNeverShareAClaim) {
  // Each adds 1 to the number in a file, while it has the exclusive claim.
  const TemporaryFolder folder;
  constexpr int kProcesses = 4, kTimes = 60;
  const auto add_one = [&] {
    for (int done = 0; done < kTimes;) {
      const auto claim = AtomicFile::claim(folder / "sum");
      if (done % 8 == 0) remove_leftover_files(folder.path());
      if (!claim) continue;
      const std::vector<std::uint8_t> bytes = std::filesystem::exists(folder / "sum")
                                                  ? read_bytes(folder / "sum")
                                                  : std::vector<std::uint8_t>(2);
      const int sum = bytes[0] * 256 + bytes[1] + 1;
      const std::uint8_t next[] = {static_cast<std::uint8_t>(sum / 256),
                                   static_cast<std::uint8_t>(sum % 256)};
      claim->write(next);
      claim->commit(Sync::kLater);
      ++done;
    }
    _exit(0);
  };
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) add_one();
  }
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::uint8_t> bytes = read_bytes(folder / "sum");
  EXPECT_EQ(bytes[0] * 256 + bytes[1], kProcesses * kTimes);
  EXPECT_EQ(folder.count_files(), 1U);
}

}  // namespace
}  // namespace roundel
