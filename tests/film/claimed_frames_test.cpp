#include "renderer/film/claimed_frames.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "tests/testing.h"

namespace roundel {
namespace {

/// One of several exports of frames 0 to 5 into a folder.
struct Export {
  explicit Export(const TemporaryFolder& folder) : sink(FrameName(folder / "#")) {}

  /// Returns the next frame to make. Frames made by others go to `kept`.
  std::optional<std::int64_t> next() {
    while (const auto frame = frames.next()) {
      if (!frame->is_made) return frame->number;
      kept.push_back(frame->number);
    }
    return std::nullopt;
  }
  void write(std::int64_t frame) { sink.write(frame, {}); }
  bool exists(std::int64_t frame) const { return std::filesystem::exists(sink.name(frame)); }

  FrameList kept;
  ListedFrames list{run_of_frames(0, 6)};
  FileSink sink;
  ClaimedFrames frames{list, sink, [this](std::int64_t frame) { return exists(frame); }};
};

TEST(ClaimedFrames, EachFrameGoesToOneExport) {
  const TemporaryFolder folder;
  Export one(folder), other(folder);
  std::multiset<std::int64_t> made;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (Export* const each : {&one, &other}) {
      if (const auto frame = each->next()) {
        made.insert(*frame);
        each->write(*frame);
        goes_on = true;
      }
    }
  }
  EXPECT_EQ(made, (std::multiset<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(one.kept, (FrameList{1, 3, 5}));
  EXPECT_EQ(other.kept, (FrameList{0, 2, 4}));
  EXPECT_EQ(folder.count_files(), 6U);
}

TEST(ClaimedFrames, WaitsForClaimedFramesUntilWrittenOrReleased) {
  const TemporaryFolder folder;
  Export one(folder);
  auto other = std::make_unique<Export>(folder);
  EXPECT_EQ(other->next(), 0);
  EXPECT_EQ(other->next(), 1);
  for (const std::int64_t frame : {2, 3, 4, 5}) {
    EXPECT_EQ(one.next(), frame);
    one.write(frame);
  }
  EXPECT_EQ(one.frames.waiting_for(), FrameList());
  std::optional<std::int64_t> last;
  std::thread waits([&] { last = one.next(); });
  while (one.frames.waiting_for() != FrameList{0, 1}) std::this_thread::yield();
  other->write(0);
  other.reset();  // without frame 1
  waits.join();
  EXPECT_EQ(last, 1);
  one.write(1);
  EXPECT_EQ(one.next(), std::nullopt);
  EXPECT_EQ(one.kept, FrameList{0});
  EXPECT_EQ(folder.count_files(), 6U);
}

TEST(ClaimedFrames, WaitingCanBeStopped) {
  const TemporaryFolder folder;
  Export one(folder), other(folder);
  EXPECT_EQ(other.next(), 0);
  for (int i = 1; i < 6; ++i) one.write(*one.next());
  one.frames.close();
  EXPECT_EQ(one.next(), std::nullopt);
  EXPECT_EQ(one.frames.waiting_for(), FrameList{0});
}

TEST(ClaimedFrames, ReleasedFramesGoToAnotherExport) {
  const TemporaryFolder folder;
  Export one(folder), other(folder);
  EXPECT_EQ(one.next(), 0);
  EXPECT_EQ(other.next(), 1);
  one.frames.release(0, true);
  for (int i = 1; i < 6; ++i) other.write(i == 1 ? 1 : *other.next());
  EXPECT_EQ(other.next(), 0);
  EXPECT_EQ(folder.count_files(), 6U);  // 0 is claimed, and not written
}

TEST(FileSink, UnwritablePathFailsWhenWriting) {
  const TemporaryFolder folder;
  FileSink sink{FrameName(folder / "#")};
  std::filesystem::create_directory(folder / "0");
  EXPECT_TRUE(sink.claim(0));
  EXPECT_EQ(message_of([&] { sink.write(0, {}); }, ExitCode::kOutputRefused),
            folder / "0: cannot write: Is a directory");
}

}  // namespace
}  // namespace roundel
