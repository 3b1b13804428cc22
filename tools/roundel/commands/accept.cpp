#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/accept_goldens.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/compare/golden_names.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/compare/stored_goldens.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEveryUnused = "*";

struct AcceptOptions {
  std::vector<std::string> names;
  std::vector<std::string> prunes;  ///< names of unused goldens, or kEveryUnused
  bool all = false;
  bool hashes = false;
  bool files = false;                  ///< pictures also where the golden is a hash
  bool adds = false;                   ///< keep the existing goldens, too
  bool checks = false;                 ///< store nothing
  std::string output;                  ///< folder of regress's pictures
  std::optional<std::string> goldens;  ///< default: the folder that regress compared with
  Verbosity verbosity = Verbosity::kNormal;
};

/// Joins the names after `--prune`, which Boost would read as arguments: `--prune=A --prune=B`.
Arguments with_pruned_names_joined(const Arguments& arguments) {
  Arguments joined;
  bool prunes = false;
  for (const std::string& argument : arguments) {
    const bool is_name = prunes && !argument.starts_with('-');
    prunes = is_name || argument == "--prune";
    if (is_name && joined.back() == "--prune") joined.pop_back();
    joined.push_back(is_name ? "--prune=" + argument : argument);
  }
  return joined;
}

bool parse(const Arguments& arguments, AcceptOptions& options) {
  CommandLine line("accept", "NAME... | --all | --prune [NAME...] [OPTION...]",
                   "Stores pictures of the last \"roundel regress\" as goldens. Goldens that have "
                   "the same bytes are not touched.");
  line.add_arguments("NAME...", 0, kAnyNumber, options.names,
                     "pictures, by the names that regress prints; with or without .png. * stands "
                     "for any characters, ? for one");
  line.add_switch("all", options.all, {Group::kTask, "accept all pictures that regress has kept"});
  line.add_optional_value(
      "prune", "NAME", kEveryUnused,
      [&options](const std::string& value) {
        if (value.empty()) throw Expected{"the name of an unused golden"};
        options.prunes.push_back(value);
      },
      {Group::kTask,
       "remove unused goldens; \"regress --strict\" finds them. Names after it, up to the next "
       "option, are those of the goldens to remove; without names all are removed"});
  line.add_switch("check", options.checks,
                  {Group::kTask,
                   "store and remove nothing, and print what would change; exit code 1 if "
                   "something would"});
  line.add_switch("add", options.adds,
                  {Group::kTask,
                   "keep the goldens, and add the pictures as alternatives; NAME.png is stored as "
                   "NAME.alt-1.png and so on. A picture passes if it matches any"});
  line.add_switch("hashes", options.hashes,
                  {Group::kTask,
                   "store a hash of the pixels in goldens.lock, no picture; goldens that are "
                   "hashes stay hashes without this. NAME may be a golden that the last run did "
                   "not keep, too, of the folder that --goldens names"});
  line.add_switch("files", options.files,
                  {Group::kTask,
                   "store pictures, also where the golden is a hash; \"regress --keep-same\" keeps "
                   "them"});
  add_regress_output(line, options.output, "folder that regress has written to");
  line.add_value("goldens", "DIR", file_name(options.goldens, "a folder"),
                 {Group::kTask,
                  "folder of the goldens; made if it is missing in the working directory. Default: "
                  "the one that regress has compared with, if it lies in the working directory and "
                  "has a goldens.lock or is missing"});
  add_quiet(line, options.verbosity);
  line.add_note(
      "accept stores only sound PNG and EXR files and follows no links: the pictures may come from "
      "another machine. Put names that begin with - after --.");
  line.set_usual({"all", "prune", "check", "add", "hashes", "output", "goldens"});
  line.set_examples(
      {"roundel accept logo", "roundel accept --all", "roundel accept --all --prune"});
  line.set_exit_codes(
      "0 stored, replaced or removed, or there was nothing to do (a folder that --output names "
      "must exist); 1 with --check, if something would change; 2 could not (wrong command line, a "
      "name that means nothing, a file that cannot be read or written); 130, 143 after SIGINT "
      "(Ctrl-C), SIGTERM");
  line.set_guide("docs/compare.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.all && !options.names.empty())
      problems.emplace_back("expected either NAME or --all");
    if (options.adds + options.hashes + options.files > 1)
      problems.emplace_back("expected only one of --add, --hashes and --files");
    for (const auto& [is_on, name] : {std::pair{options.adds, "--add"},
                                      {options.hashes, "--hashes"},
                                      {options.files, "--files"}})
      if (is_on && !options.all && options.names.empty())
        problems.push_back(fmt::format("{}: needs NAME or --all", name));
    if (!options.all && options.prunes.empty() && options.names.empty())
      problems.emplace_back("expected NAME, --all or --prune");
  });
  return line.parse(with_pruned_names_joined(arguments));
}

/// A run without failures keeps nothing, not even its default folder, so --all accepts that. A
/// missing folder that was named is probably misspelt.
int report_nothing_to_accept(const AcceptOptions& options) {
  const std::string message =
      fmt::format("nothing to accept: no run has kept pictures in {}", options.output);
  std::error_code ignored;
  const bool is_known =
      options.output == kRegressOutput || fs::is_directory(options.output, ignored);
  if (!options.names.empty() || !is_known) throw Error(ExitCode::kUsage, message);
  if (options.verbosity != Verbosity::kQuiet) print_out(message);
  return kSame;
}

/// Names to change in one folder of goldens.
struct Choice {
  std::vector<std::string> pending;  ///< pictures to accept
  std::vector<std::string> stored;   ///< goldens to turn into hashes
  std::vector<std::string> pruned;
};

/// Finds what the command line means.
class Chooser {
 public:
  explicit Chooser(const AcceptOptions& options) : options_(options) {
    for (PendingGolden& golden : entries())
      (golden.is_unused ? unused_ : pictures_).push_back(golden.name),
          entries_.emplace(golden.name, std::move(golden));
  }

  bool is_empty() const { return entries_.empty() && !(options_.hashes && options_.goldens); }

  /// By folder of goldens. Throws Error(kUsage) naming every name without a picture.
  std::map<std::string, Choice> choose() const {
    Lines problems;
    std::map<std::string, Choice> choices;
    for (const std::string& name : options_.all ? pictures_ : named_pictures(choices, problems))
      choices[folder_of(name)].pending.push_back(name);
    for (const std::string& name : named_unused(problems))
      choices[folder_of(name)].pruned.push_back(name);
    if (!problems.empty()) throw Error(ExitCode::kUsage, problems);
    return choices;
  }

 private:
  /// With --goldens: those for that folder, or all if they are for one folder, whichever it is.
  std::vector<PendingGolden> entries() const {
    std::vector<PendingGolden> all = read_pending(options_.output), fitting;
    if (!options_.goldens) return all;
    std::error_code ignored;
    std::set<std::string> folders;
    for (const PendingGolden& golden : all) {
      folders.insert(golden.golden_folder);
      if (fs::equivalent(fs::path(options_.output) / golden.golden_folder, *options_.goldens,
                         ignored))
        fitting.push_back(golden);
    }
    if (!fitting.empty() || folders.size() <= 1) return fitting.empty() ? all : fitting;
    throw Error(ExitCode::kUsage,
                fmt::format("--goldens: {} has pictures for several folders of goldens, none of "
                            "which is {}: {}",
                            options_.output, roundel::quoted(*options_.goldens),
                            first_names({folders.begin(), folders.end()})));
  }

  std::string folder_of(const std::string& name) const {
    if (options_.goldens) return *options_.goldens;
    return trusted_golden_folder(options_.output, name, entries_.at(name).golden_folder);
  }

  /// Goldens to turn into hashes go to `choices`.
  std::vector<std::string> named_pictures(std::map<std::string, Choice>& choices,
                                          Lines& problems) const {
    std::vector<std::string> names;
    const auto folders = options_.hashes ? goldens_to_hash() : std::map<std::string, Choice>{};
    for (const std::string& text : options_.names) {
      std::vector<std::string> meant = matching_names(text, pictures_);
      bool is_known = !meant.empty();
      for (const auto& [folder, goldens] : folders)
        for (const std::string& name : matching_names(text, goldens.stored)) {
          is_known = true;
          if (entries_.count(name) == 0) choices[folder].stored.push_back(name);
        }
      names.insert(names.end(), meant.begin(), meant.end());
      if (is_known) continue;
      const auto nearest = nearest_name(text, pictures_);
      std::string advice = nearest             ? fmt::format(" (did you mean \"{}\"?)", *nearest)
                           : pictures_.empty() ? ""
                                               : "; " + list_names(pictures_);
      if (options_.hashes && !options_.goldens)
        advice += "; to turn a golden into a hash, name its folder with --goldens DIR";
      if (options_.files) advice += "; \"regress --keep-same\" also keeps equal pictures";
      problems += fmt::format("{}: the last run kept no such picture in {}{}",
                              roundel::quoted(text), options_.output, advice);
    }
    return names;
  }

  /// Returns the stored goldens of the folder that --goldens names.
  std::map<std::string, Choice> goldens_to_hash() const {
    if (!options_.goldens) return {};
    const std::string& folder = *options_.goldens;
    const GoldenRules rules = load_rules({}, folder, {});
    Choice goldens;
    for (const std::string& name : golden_pictures(folder))
      if (is_acceptable(name) && picture_of_alternative(name).empty() &&
          !is_mask(rules, (fs::path(folder) / name).string()))
        goldens.stored.push_back(name);
    for (const auto& [name, locked] : read_golden_lock(folder))
      if (std::find(goldens.stored.begin(), goldens.stored.end(), name) == goldens.stored.end())
        goldens.stored.push_back(name);
    return {{folder, goldens}};
  }

  std::vector<std::string> named_unused(Lines& problems) const {
    std::vector<std::string> names;
    for (const std::string& text : options_.prunes) {
      const std::vector<std::string> meant = matching_names(text, unused_);
      names.insert(names.end(), meant.begin(), meant.end());
      if (!meant.empty() || text == kEveryUnused) continue;
      problems +=
          fmt::format("--prune: {} is no unused golden that the last \"regress --strict\" found{}",
                      roundel::quoted(text), unused_.empty() ? "" : "; " + list_names(unused_));
    }
    return names;
  }

  const AcceptOptions& options_;
  std::map<std::string, PendingGolden> entries_;
  std::vector<std::string> pictures_, unused_;
};

/// Accepts in one folder of goldens.
class Acceptance {
 public:
  Acceptance(const AcceptOptions& options, const std::string& golden_folder, const Choice& choice,
             Problems& problems)
      : options_(options),
        choice_(choice),
        problems_(problems),
        goldens_{options.output, golden_folder, !options.checks} {}

  /// Returns true if goldens change.
  bool run() {
    options_.checks ? check_golden_folder(goldens_.golden_folder)
                    : make_golden_folder(goldens_.golden_folder);
    const FolderClaim claim(goldens_.golden_folder);
    Names claimed = choice_.pending;
    claimed.insert(claimed.end(), choice_.pruned.begin(), choice_.pruned.end());
    const NameClaims names(options_.output, options_.checks ? Names{} : claimed);
    if (!options_.checks) remove_leftovers();
    goldens_.lock = read_golden_lock(goldens_.golden_folder);
    for (const std::string& name : choice_.pending) problems_.attempt([&] { accept(name, true); });
    for (const std::string& name : choice_.stored) problems_.attempt([&] { accept(name, false); });
    commit();
    for (const std::string& name : choice_.pruned) problems_.attempt([&] { prune(name); });
    if (has_changed_lock_) problems_.attempt([&] { finish_lock(); });
    if (!options_.checks) remove_pending(options_.output, done_);
    return has_changed_;
  }

 private:
  using Names = std::vector<std::string>;

  void print_action(const std::string& name, const std::string& what) const {
    if (options_.verbosity != Verbosity::kQuiet) print_out(name + ": " + what);
  }

  std::string action(const std::string& done) const {
    return (options_.checks ? "would be " : "") + done + goldens_.golden_folder;
  }

  void accept(const std::string& name, bool is_picture) {
    // Another accept may have stored it in the meantime.
    if (is_picture && !is_pending(options_.output, name, false)) {
      waiting_.push_back({name, "is the golden already", false});
      return;
    }
    std::string golden = name;
    Accepted accepted;
    if (options_.adds) {
      std::tie(accepted, golden) = add_golden(goldens_, name);
    } else if (!options_.files && (options_.hashes || is_locked(goldens_, name))) {
      golden = kLockName;
      accepted = lock_golden(goldens_, name, is_picture);
      has_changed_lock_ |= accepted != Accepted::kAlready;
      locked_.push_back(name);
    } else {
      accepted = accept_golden(goldens_, name);
      if (options_.files && goldens_.lock.count(name) > 0) accepted = Accepted::kReplaced;
    }
    has_changed_ |= accepted != Accepted::kAlready;
    if (accepted == Accepted::kStored && !is_windows_name(name))
      print_warning(name + ": Windows cannot have a file of this name");
    const std::string place = golden == name        ? ""
                              : golden == kLockName ? fmt::format(" as a hash in {}", kLockName)
                                                    : " as " + golden;
    const std::string what = accepted == Accepted::kAlready    ? "is the golden already"
                             : accepted == Accepted::kReplaced ? action("replaced in ")
                                                               : action("stored in ");
    if (golden == kLockName && accepted != Accepted::kAlready) {
      late_messages_.emplace_back(name, what + place);
      return;
    }
    waiting_.push_back({name, what + place, is_picture});
    if (goldens_.written.size() >= open_files()) commit();
  }

  /// Returns how many goldens may be open at once.
  static std::size_t open_files() {
    constexpr rlim_t kMost = 256;
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return std::clamp<rlim_t>(limit.rlim_cur / 4, 1, kMost);
  }

  void commit() {
    const std::vector<Waiting> stored = std::exchange(waiting_, {});
    if (!problems_.attempt([&] { commit_goldens(goldens_); })) return;
    for (const Waiting& golden : stored) {
      has_changed_lock_ |= options_.files && goldens_.lock.erase(golden.name) > 0;
      print_action(golden.name, golden.message);
      if (golden.is_picture) done_.push_back(golden.name);
    }
  }

  /// Removes what killed processes left beside the goldens.
  void remove_leftovers() const {
    std::set<fs::path> folders = {goldens_.golden_folder};
    for (const std::string& name : choice_.pending)
      folders.insert((fs::path(goldens_.golden_folder) / name).parent_path());
    for (const fs::path& folder : folders) remove_leftover_files(folder.string());
  }

  void prune(const std::string& name) {
    // A later run may draw it again.
    if (!is_pending(options_.output, name, true)) return;
    const bool was_locked = goldens_.lock.erase(name) > 0;
    has_changed_lock_ |= was_locked;
    if (remove_golden(goldens_, name) || was_locked) {
      has_changed_ = true;
      print_action(name, action("removed from "));
    }
    done_.push_back(name);
  }

  /// Pictures replaced by hashes are removed last, so that they survive if the lock cannot be
  /// written.
  void finish_lock() {
    write_lock(goldens_);
    for (const auto& [name, what] : late_messages_) print_action(name, what);
    for (const std::string& name : locked_)
      problems_.attempt([&] {
        remove_golden(goldens_, name);
        done_.push_back(name);
      });
  }

  struct Waiting {
    std::string name, message;
    bool is_picture;
  };

  const AcceptOptions& options_;
  const Choice& choice_;
  Problems& problems_;
  AcceptableGoldens goldens_;
  std::vector<Waiting> waiting_;  ///< printed and done once their files are stored
  Names locked_;
  Names done_;  ///< no longer pending
  std::vector<std::pair<std::string, std::string>>
      late_messages_;  ///< printed once the lock is written
  bool has_changed_ = false, has_changed_lock_ = false;
};

int accept(const AcceptOptions& options) {
  const Chooser chooser(options);
  if (chooser.is_empty()) return report_nothing_to_accept(options);
  Problems problems;
  bool has_changed = false;
  for (const auto& choice : chooser.choose())
    problems.attempt(
        [&] { has_changed |= Acceptance(options, choice.first, choice.second, problems).run(); });
  if (!problems.empty()) return kCouldNotCompare;
  return options.checks && has_changed ? kDiffer : kSame;
}

}  // namespace

int run_accept(const Arguments& arguments) {
  AcceptOptions options;
  return parse(arguments, options) ? accept(options) : static_cast<int>(kSame);
}

}  // namespace roundel
