#include <unistd.h>

#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "renderer/base/frame_name.h"
#include "renderer/base/text.h"
#include "tools/roundel/cli/file_watch.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/commands/export.h"

namespace roundel {
namespace {

/// Returns the scenes and the table that the command line names.
std::set<std::string> named_files(const RenderOptions& options) {
  std::set<std::string> files(options.scenes.begin(), options.scenes.end());
  if (!options.each.empty()) files.insert(options.each);
  if (!options.frames.list) return files;
  for (const std::string& scene : options.scenes) {
    const FrameName name(scene);
    if (!name.has_number() || access(scene.c_str(), F_OK) == 0) continue;
    files.erase(scene);
    for (const std::int64_t frame : *options.frames.list) files.insert(name.path(frame));
  }
  return files;
}

}  // namespace

void OwnFiles::add(const std::string& path) {
  const std::lock_guard lock(mutex_);
  paths_.insert(path);
}

bool OwnFiles::contains(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return paths_.count(path) > 0;
}

void watch(RenderOptions options, const std::function<void(const RenderOptions&)>& draw) {
  const std::set<std::string> named = named_files(options);
  std::set<std::string> files = named;
  FileWatch watch;
  for (const std::string& file : named) watch.add(file);
  std::mutex mutex;  // rows of a table are read in parallel
  options.scene.overrides.on_data_file = [&](const std::string& path) {
    const std::lock_guard lock(mutex);
    files.insert(path);
    watch.add(path);
  };
  for (bool is_first = true;; is_first = false) {
    Problems problems;
    problems.attempt([&] { draw(options); });
    watch.keep(files);
    if (is_first && options.verbosity != Verbosity::kQuiet)
      print_err("watching " + counted(files.size(), "file") + "; Ctrl-C ends\n");
    watch.wait();
    files = named;
  }
}

int draw_changes(const RenderOptions& options, OwnFiles& own) {
  RenderOptions round = options;
  round.resume = true;
  round.own = &own;
  const auto failure = catch_error([&] { export_film(round); });
  defer_signals(false);
  if (stop_signal() != 0) return kSignalExitCode + stop_signal();
  if (failure) throw Error(*failure);
  return 0;
}

}  // namespace roundel
