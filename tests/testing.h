#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/base/error.h"

namespace roundel {

/// Sanitizers of this build. A test that takes long with one of them, and cannot find more there
/// than others, begins with:
/// if (kThreadSanitized) GTEST_SKIP() << "REASON";
#ifdef ROUNDEL_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#ifdef ROUNDEL_THREAD_SANITIZED
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif
inline constexpr bool kAddressSanitized = kSanitized && !kThreadSanitized;

/// A test's own empty folder, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "roundel-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Returns the new file's path.
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return *this / name;
  }
  const std::filesystem::path& path() const { return path_; }
  std::size_t count_files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::uint8_t> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, std::span<const std::uint8_t> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

/// Returns the lines, each with a line feed.
inline std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

template <typename T>
Buffer<T> clone_of(const Buffer<T>& buffer) {
  Buffer<T> copy(buffer.size());
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}

/// Runs `action`, which must throw an Error; returns it.
template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an Error";
  return Error(ExitCode::kDone, "");
}

/// Returns the message of the Error that `call` throws, after checking its exit code.
template <typename Call>
std::string message_of(Call call, ExitCode exit_code = ExitCode::kInvalidScene) {
  const Error error = error_of(call);
  EXPECT_EQ(error.exit_code(), exit_code) << error.what();
  return error.what();
}

}  // namespace roundel
