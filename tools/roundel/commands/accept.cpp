#include <fmt/format.h>

#include <filesystem>
#include <tuple>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/compare/golden_names.h"
#include "renderer/compare/pending_goldens.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {
namespace {

struct AcceptOptions {
  std::vector<std::string> names;
  bool all = false;
  bool prunes = false;
  bool hashes = false;
  bool adds = false;                   ///< keep the existing goldens, too
  std::string output;                  ///< folder of regress's pictures
  std::optional<std::string> goldens;  ///< default: the folder that regress compared with
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, AcceptOptions& options) {
  CommandLine line("accept", "NAME... | --all | --prune [OPTION...]",
                   "Stores pictures of the last \"roundel regress\" as goldens. Goldens that have "
                   "the same bytes are not touched.");
  line.add_arguments("NAME...", 0, kAnyNumber, options.names,
                     "pictures, by the names that regress prints; with or without .png. * stands "
                     "for any characters, ? for one");
  line.add_switch("all", options.all, {Group::kTask, "accept all pictures that regress has kept"});
  line.add_switch("prune", options.prunes,
                  {Group::kTask, "remove unused goldens; \"regress --strict\" finds them"});
  line.add_switch("add", options.adds,
                  {Group::kTask,
                   "keep the goldens, and add the pictures as alternatives; NAME.png is stored as "
                   "NAME.alt-1.png and so on. A picture passes if it matches any"});
  line.add_switch("hashes", options.hashes,
                  {Group::kTask,
                   "store a hash of the pixels in goldens.lock, no picture; goldens that are "
                   "hashes stay hashes without this"});
  add_regress_output(line, options.output, "folder that regress has written to");
  line.add_value("goldens", "DIR", file_name(options.goldens, "a folder"),
                 {Group::kTask,
                  "folder of the goldens; it must exist. Default: the one that regress has "
                  "compared with, if it lies in the working directory and has a goldens.lock"});
  add_quiet(line, options.verbosity);
  line.add_note(
      "accept stores only sound PNG and EXR files and follows no links: the pictures may come from "
      "another machine. Put names that begin with - after --.");
  line.set_usual({"all", "prune", "add", "hashes", "output", "goldens"});
  line.set_examples({"roundel accept logo", "roundel accept --all", "roundel accept --prune"});
  line.set_exit_codes(
      "0 the goldens were right already, or --all or --prune found nothing (a folder that --output "
      "names must exist); 1 goldens were stored, replaced or removed, so that no script passes "
      "that accepts what it checks; 2 could not (wrong command line, a name that means nothing, a "
      "file that cannot be read or written); 130, 143 after SIGINT (Ctrl-C), SIGTERM");
  line.set_guide("docs/compare.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.all && !options.names.empty())
      problems.emplace_back("expected either NAME or --all");
    if (options.adds && options.hashes) problems.emplace_back("expected either --add or --hashes");
    for (const auto& [is_on, name] :
         {std::pair{options.adds, "--add"}, {options.hashes, "--hashes"}})
      if (is_on && !options.all && options.names.empty())
        problems.push_back(fmt::format("{}: needs NAME or --all", name));
    if (!options.all && !options.prunes && options.names.empty())
      problems.emplace_back("expected NAME, --all or --prune");
  });
  return line.parse(arguments);
}

/// Returns the pictures to accept; throws Error(kUsage) naming every argument without one.
std::vector<std::string> names_to_accept(const AcceptOptions& options,
                                         const std::vector<std::string>& pending) {
  if (options.all) return pending;
  std::vector<std::string> names;
  Lines problems;
  for (const std::string& text : options.names) {
    const std::vector<std::string> meant = matching_names(text, pending);
    names.insert(names.end(), meant.begin(), meant.end());
    if (!meant.empty()) continue;
    const auto nearest = nearest_name(text, pending);
    problems += fmt::format(
        "{}: the last run kept no such picture in {}{}", roundel::quoted(text), options.output,
        nearest ? fmt::format(" (did you mean \"{}\"?)", *nearest) : "; " + list_names(pending));
  }
  if (!problems.empty()) throw Error(ExitCode::kUsage, problems);
  return names;
}

/// A run without failures writes nothing, not even its default folder, so --all accepts that. A
/// missing folder that was named is probably misspelt.
int report_nothing_to_accept(const AcceptOptions& options) {
  const std::string message =
      fmt::format("nothing to accept: no run has kept pictures in {}", options.output);
  std::error_code ignored;
  const bool is_known =
      options.output == kRegressOutput || std::filesystem::is_directory(options.output, ignored);
  if (!(options.all || options.prunes) || !is_known) throw Error(ExitCode::kUsage, message);
  if (options.verbosity != Verbosity::kQuiet) print_out(message);
  return kSame;
}

class Acceptance {
 public:
  explicit Acceptance(const AcceptOptions& options)
      : options_(options),
        goldens_(read_pending(options.output, options.goldens)),
        claim_(goldens_.golden_folder, FolderClaim::Kind::kGoldens) {
    goldens_.lock = read_golden_lock(goldens_.golden_folder);
  }

  int run() {
    for (const std::string& name : names_to_accept(options_, goldens_.names))
      problems_.attempt([&] { accept(name); });
    if (options_.prunes)
      for (const std::string& name : goldens_.unused) problems_.attempt([&] { prune(name); });
    if (has_changed_lock_) problems_.attempt([&] { finish_lock(); });
    if (!problems_.empty()) return kCouldNotCompare;
    if (!has_changed_) return kSame;
    if (options_.verbosity != Verbosity::kQuiet) print_out("exit code 1: goldens changed");
    return kDiffer;
  }

 private:
  void print_action(const std::string& name, const std::string& what) const {
    if (options_.verbosity != Verbosity::kQuiet) print_out(name + ": " + what);
  }

  void accept(const std::string& name) {
    std::string golden = name;
    Accepted accepted;
    if (options_.adds) {
      std::tie(accepted, golden) = add_golden(goldens_, name);
    } else if (options_.hashes || is_locked(goldens_, name)) {
      golden = kLockName;
      accepted = lock_golden(goldens_, name);
      has_changed_lock_ |= accepted != Accepted::kAlready;
      locked_.push_back(name);
    } else {
      accepted = accept_golden(goldens_, name);
    }
    has_changed_ |= accepted != Accepted::kAlready;
    if (accepted == Accepted::kStored && !is_windows_name(name))
      print_warning(name + ": Windows cannot have a file of this name");
    const std::string place = golden == name        ? ""
                              : golden == kLockName ? fmt::format(" as a hash in {}", kLockName)
                                                    : " as " + golden;
    const std::string what = accepted == Accepted::kAlready ? "is the golden already"
                             : accepted == Accepted::kReplaced
                                 ? "replaced in " + goldens_.golden_folder
                                 : "stored in " + goldens_.golden_folder;
    if (golden == kLockName && accepted != Accepted::kAlready)
      late_messages_.emplace_back(name, what + place);
    else
      print_action(name, what + place);
  }

  void prune(const std::string& name) {
    const bool was_locked = goldens_.lock.erase(name) > 0;
    has_changed_lock_ |= was_locked;
    if (!remove_golden(goldens_, name) && !was_locked) return;
    has_changed_ = true;
    print_action(name, "removed from " + goldens_.golden_folder);
  }

  /// Pictures replaced by hashes are removed last, so that they survive if the lock cannot be
  /// written.
  void finish_lock() {
    write_lock(goldens_);
    for (const auto& [name, what] : late_messages_) print_action(name, what);
    for (const std::string& name : locked_)
      problems_.attempt([&] { remove_golden(goldens_, name); });
  }

  const AcceptOptions& options_;
  AcceptableGoldens goldens_;
  FolderClaim claim_;
  Problems problems_;
  std::vector<std::string> locked_;
  std::vector<std::pair<std::string, std::string>>
      late_messages_;  ///< printed once the lock is written
  bool has_changed_ = false, has_changed_lock_ = false;
};

int accept(const AcceptOptions& options) {
  if (!has_pending(options.output)) return report_nothing_to_accept(options);
  return Acceptance(options).run();
}

}  // namespace

int run_accept(const Arguments& arguments) {
  AcceptOptions options;
  return parse(arguments, options) ? accept(options) : static_cast<int>(kSame);
}

}  // namespace roundel
