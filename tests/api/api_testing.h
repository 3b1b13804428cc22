#pragma once
#include <gtest/gtest.h>
#include <roundel/compare.h>
#include <roundel/render.h>
#include <roundel/scene.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

/// Helpers of the tests of the C++ interface: like a user's program they do not include the
/// library's headers.
namespace api_test {

/// Circles of a law, and one in the middle.
inline const std::string kDiscs = R"(
version: 1
image: {width: 32, height: 24}
vars: {radius: 0.1, count: 50}
layers:
  - name: discs
    random: {count: $count, radius: $radius, color: {choice: ["#ff0000", "#00ff00"]}}
  - {name: middle, circles: [{x: 0.5, y: 0.5, radius: 0.2, color: "#0000ff", alpha: 0.75}]}
)";

/// Returns the message of the Error of this type that `work` throws; empty if it throws none.
template <typename Error, typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "roundel-api-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name) << text;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace api_test
