#include "tools/roundel/cli/file_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

#include "renderer/base/write_file.h"

namespace roundel {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

FileWatch::FileWatch() : events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

FileWatch::~FileWatch() {
  if (events_ >= 0) close(events_);
}

void FileWatch::add(const std::string& file) {
  if (!stamps_.emplace(file, stamp_of(file)).second || events_ < 0) return;
  // Watches folders, since editors replace files. A link has two: its own folder and that of its
  // target.
  for (const std::string& path : {file, link_target(file)})
    inotify_add_watch(events_, folder_of(path).c_str(),
                      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE);
}

void FileWatch::keep(const std::set<std::string>& files) {
  std::erase_if(stamps_, [&](const auto& entry) { return files.count(entry.first) == 0; });
}

void FileWatch::wait() {
  constexpr int kPollMilliseconds = 500, kQuietMilliseconds = 50;
  while (stamps_now() == stamps_) sleep(kPollMilliseconds);
  while (std::exchange(stamps_, stamps_now()) != stamps_) poll(nullptr, 0, kQuietMilliseconds);
}

FileWatch::Stamps FileWatch::stamps_now() const {
  Stamps now;
  for (const auto& [file, stamp] : stamps_) now[file] = stamp_of(file);
  return now;
}

/// Sleeps until something happens in a folder, or the time is over.
void FileWatch::sleep(int milliseconds) const {
  pollfd waiting{events_, POLLIN, 0};
  poll(&waiting, 1, milliseconds);  // ignores a descriptor of −1
  std::array<char, 4096> unused;    // NOLINT: filled by read
  while (events_ >= 0 && read(events_, unused.data(), unused.size()) > 0) {
  }
}

}  // namespace roundel
