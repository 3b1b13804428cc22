#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>

#include "renderer/base/input_file.h"

namespace roundel {

/// Files that others may write to. Where the system tells of changes (inotify) they are noticed at
/// once, else, as on network file systems, within half a second.
class FileWatch {
 public:
  FileWatch();
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Watches a file from now on, if it is not watched already. One that is not there may come.
  void add(const std::string& file);
  /// Watches none but these from now on.
  void keep(const std::set<std::string>& files);
  /// Returns once a file has changed, come or gone, and nothing has changed for a moment since:
  /// editors write in several steps.
  void wait();

 private:
  using Stamps = std::map<std::string, std::optional<FileStamp>>;
  Stamps stamps_now() const;
  void sleep(int milliseconds) const;

  Stamps stamps_;
  int events_;  ///< of inotify; −1 where there is none
};

}  // namespace roundel
