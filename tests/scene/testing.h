#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "renderer/base/error.h"
#include "renderer/scene/load_scene.h"

namespace roundel {

inline const std::filesystem::path kSceneFolder =
    std::filesystem::path(ROUNDEL_SOURCE_DIR) / "scenes";

/// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "roundel-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

/// What `call` throws as Error, after checking its exit code; "" with a failure if it throws
/// nothing.
template <typename Call>
std::string error_of(Call call, ExitCode exit_code = ExitCode::kInvalidScene) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.exit_code()), static_cast<int>(exit_code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "expected an error";
  return "";
}

inline std::string parse_error(const std::string& text, const std::string& path = "s.yaml") {
  return error_of([&] { parse_scene(text, path); });
}

}  // namespace roundel
