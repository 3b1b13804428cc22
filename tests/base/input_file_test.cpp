// Files that change while they are read, and files of absurd sizes, are errors with their names.
#include "renderer/base/input_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>

#include "renderer/base/error.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

class InputFiles : public ::testing::Test {
 protected:
  InputFiles() : path_(::testing::TempDir() + "roundel_input_file_" + std::to_string(::getpid())) {}
  ~InputFiles() override { fs::remove(path_); }

  /// Dates the file back, so that the next change is noticed.
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    fs::last_write_time(path_, fs::file_time_type::clock::now() - std::chrono::seconds(10));
  }

  template <typename Call>
  std::string failure_of(const Call& call) const {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
      return error.what();
    }
    return "no error";
  }

  const std::string path_;
  const std::string changed_ = path_ + ": has changed while it was read";
};

TEST_F(InputFiles, AreReadWholeAndInParts) {
  write("0123456789");
  const InputFile file(path_);
  EXPECT_EQ(file.size(), 10U);
  const Buffer<std::byte> all = file.read_all();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(all.data()), all.size()), "0123456789");
  EXPECT_EQ(file.read(4), "0123");
  EXPECT_EQ(file.read(99), "0123456789");
  std::string part(3, ' ');
  file.read_at(7, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, "789");
  write("");
  EXPECT_TRUE(InputFile(path_).read_all().empty());
}

TEST_F(InputFiles, RejectTruncation) {
  write(std::string(100'000, 'a'));
  const InputFile file(path_);
  fs::resize_file(path_, 4096);
  std::string part(10, ' ');
  file.read_at(4000, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(failure_of([&] { file.read_at(50'000, std::as_writable_bytes(std::span(part))); }),
            changed_);
  EXPECT_EQ(failure_of([&] { (void)file.read(5000); }), changed_);
  EXPECT_EQ(failure_of([&] { (void)file.read_all(); }), changed_);
}

TEST_F(InputFiles, RejectGrowthAndRewriting) {
  write("0123456789");
  const InputFile file(path_);
  std::ofstream(path_, std::ios::in) << "x";  // in place
  EXPECT_EQ(fs::file_size(path_), 10U);
  EXPECT_EQ(failure_of([&] { file.check_unchanged(); }), changed_);
  EXPECT_EQ(failure_of([&] { (void)file.read_all(); }), changed_);

  write("0123456789");
  const InputFile other(path_);
  std::ofstream(path_, std::ios::app) << "x";
  EXPECT_EQ(failure_of([&] { other.check_unchanged(); }), changed_);
}

TEST_F(InputFiles, StayReadableAfterUnlinking) {
  write("old");
  const InputFile file(path_);
  std::ofstream(path_ + ".new") << "new";
  fs::rename(path_ + ".new", path_);
  const Buffer<std::byte> all = file.read_all();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(all.data()), all.size()), "old");
}

TEST_F(InputFiles, RejectATebibyteBeforeAllocating) {
  write("");
  std::error_code error;
  fs::resize_file(path_, std::uintmax_t{1} << 40, error);  // without blocks
  if (error) GTEST_SKIP() << "no sparse files here: " << error.message();
  const InputFile file(path_);
  EXPECT_TRUE(failure_of([&] {
                (void)file.read_all();
              }).starts_with(path_ + ": its bytes need 1024.0 GiB of memory; this machine has"));
}

TEST_F(InputFiles, RaiseTheDescriptorLimit) {
  write("x");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  if (before.rlim_max < 400) GTEST_SKIP() << "at most " << before.rlim_max << " files";
  rlimit few = before;
  few.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::deque<InputFile> files;
  EXPECT_NO_THROW(while (files.size() < 200) files.emplace_back(path_));
  EXPECT_EQ(files.back().read(1), "x");
  files.clear();
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace roundel
