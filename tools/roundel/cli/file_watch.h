#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include "renderer/base/input_file.h"

namespace roundel {

/// Files that others may change. Changes are noticed at once if the system reports them (inotify),
/// else, as on network file systems, within half a second.
class FileWatch {
 public:
  FileWatch();
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Watches a file, which may not exist yet; watching it twice is fine.
  void add(const std::string& file);
  /// Watches only these files.
  void keep(const std::set<std::string>& files);
  /// Returns once a file has changed, appeared or disappeared and all files have been quiet for a
  /// moment: editors write in several steps.
  void wait();

 private:
  using Stamps = std::map<std::string, std::optional<FileStamp>>;
  Stamps stamps_now() const;
  void sleep(int milliseconds) const;

  Stamps stamps_;
  int events_;  ///< inotify; −1 if it is unavailable
};

}  // namespace roundel
