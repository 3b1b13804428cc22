#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/lines.h"
#include "tools/roundel/cli/help.h"

namespace roundel {

using Arguments = std::vector<std::string>;

/// Thrown by the function that stores an option's value: what the option takes, for example
/// "a whole number from 1 to 1024".
struct Expected {
  std::string what;
  std::vector<std::string> names = {};  ///< all values that it takes, where these are few names
};

/// Thrown for a wrong command line: its problems, one a line.
class UsageError : public Error {
 public:
  UsageError(const Lines& problems, std::string advice)
      : Error(ExitCode::kUsage, problems), advice_(std::move(advice)) {}
  /// The line to print after the problems: where to read about the options.
  const std::string& advice() const { return advice_; }

 private:
  std::string advice_;
};

/// The options and arguments of one command: declared once, then read from a command line and
/// listed by -h and --help. Options are GNU ones: `--size 8x8`, `--size=8x8`, `-o FILE`, `-qv`;
/// names are never guessed from their beginnings; `--` ends the options; of an option given twice
/// the last counts.
class CommandLine {
 public:
  /// May throw Expected; or Error, where the whole message is at hand: "expected …, got …".
  using Store = std::function<void(const std::string& value)>;
  using Problems = std::vector<std::string>;

  /// `name`: of a command, or of a program of its own, "roundel-…". `usage`: what follows
  /// "roundel NAME " in the first line of the help. `text`: what it does; its first sentence fits
  /// into a line.
  CommandLine(const std::string& name, const std::string& usage, std::string text);

  /// `names` are "long" or "long,s".
  void add_switch(const std::string& names, std::function<void()> turn_on, HelpText help);
  void add_switch(const std::string& names, bool& target, HelpText help);
  void add_value(const std::string& names, const std::string& value_name, Store store,
                 HelpText help);
  /// An option that may stand alone, which then means `--NAME=alone`; a value needs the `=`.
  void add_optional_value(const std::string& name, const std::string& value_name,
                          const std::string& alone, Store store, HelpText help);
  /// An argument that is no option and may be left out.
  void add_optional_argument(const std::string& name, Store store, const std::string& help);
  /// Arguments that are no options, at least and at most so many.
  void add_arguments(const std::string& name, std::size_t at_least, std::size_t at_most,
                     std::vector<std::string>& target, const std::string& help);
  /// A check of the options together, made when each of them is in order; adds to the problems.
  void add_check(std::function<void(Problems&)> check) { checks_.push_back(std::move(check)); }
  /// A paragraph below the options.
  void add_note(const std::string& note) { page_.notes.push_back(note); }
  /// The options that the short help shows, in this order.
  void set_usual(std::vector<std::string> names) { page_.usual = std::move(names); }
  /// Command lines that work, at most three.
  void set_examples(std::vector<std::string> lines) { page_.examples = std::move(lines); }
  /// See HelpPage::exit_codes.
  void set_exit_codes(std::string codes) { page_.exit_codes = std::move(codes); }
  /// The page of docs about the command.
  void set_guide(std::string page) { page_.guide = std::move(page); }

  /// Stores what the command line says. False when it asked for help, the version or, by
  /// kCompletionOption, what may follow, which has been printed on stdout. Throws UsageError with
  /// every problem found.
  bool parse(const Arguments& arguments);
  /// All that -h and --help show.
  const HelpPage& page() const { return page_; }

 private:
  struct Option {
    std::string names;    // "output,o"
    std::string name;     // "output"
    std::string heading;  // "-o, --output FILE", as in the help
    bool takes_value;
    std::string alone;  // the value of an option that stands alone; empty: it cannot
    Store store;
  };
  /// What Boost makes of a part of the command line.
  struct Token {
    bool is_argument;   // no option
    std::string name;   // "output"; of unknown options as written, "--outptu"
    std::string value;  // of a switch: as written, "-h" or "--help"
    bool is_known;
  };
  void declare(const std::string& names, const std::string& heading_tail, HelpText help,
               Store store, bool takes_value);
  const Option* find(const std::string& name) const;
  std::vector<Token> split(Arguments arguments, Problems& problems) const;
  /// Returns false for an unknown option.
  bool store_option(const Token& token, Problems& problems) const;
  /// True if the help of --output names the ending of this file.
  bool may_be_output(const std::string& argument) const;
  /// Returns what to type instead of values[i], an argument too many; empty if nothing is likely.
  std::string hint_for_extra(const Arguments& values, std::size_t i) const;
  /// `has_unknown`: there are unknown options, whose values may be among the arguments.
  void store_arguments(Arguments values, bool has_unknown, Problems& problems);
  Lines values_of(const Option& option) const;
  Lines completions(const Arguments& words) const;

  std::string name_;
  HelpPage page_;
  std::vector<Option> options_;
  std::size_t at_least_ = 0, at_most_ = 0;
  std::vector<std::string>* arguments_ = nullptr;
  Store argument_store_;
  std::vector<std::function<void(Problems&)>> checks_;
  bool short_help_wanted_ = false, help_wanted_ = false, version_wanted_ = false;
};

/// For shells, as first argument: prints what may stand in place of the last of the other words, a
/// line each, or "<files>", "<folders>" or "<scenes>" (files of scenes, and folders).
inline constexpr const char* kCompletionOption = "--complete";
/// The lines that begin with the text.
Lines completing(const Lines& lines, std::string_view begin);

/// No limit to the number of arguments.
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

/// Readers of option values. All of them want the whole text, take no sign but a leading minus
/// where the range has one, do not depend on the locale, and throw Expected.

/// What stands between the commas; of "" one empty text.
std::vector<std::string> split_list(const std::string& text);
/// A whole number in [low, high]; `unit` ("pixels") is for the message.
std::int64_t parse_whole(const std::string& text, std::int64_t low, std::int64_t high,
                         const std::string& unit = "");
/// A decimal number in [low, high]; `unit` is for the message.
double parse_number(const std::string& text, double low, double high, const std::string& unit = "");
/// "1024x768": width and height in pixels, within kMaxImageSide and kMaxPixels.
std::pair<int, int> parse_size(const std::string& text);
/// "512M", "8G": bytes, with K, M, G, T for powers of 1024; at least 1M.
std::uint64_t parse_memory(const std::string& text);

/// "a, b or c"
Expected expected_one_of(const std::vector<std::string>& names);

template <typename Target>
struct ValueOf {
  using Type = Target;
};
template <typename Value>
struct ValueOf<std::optional<Value>> {
  using Type = Value;
};

/// What stores values of the usual kinds; the target, plain or optional, is referred to. A whole
/// number in [low, high].
template <typename Target>
CommandLine::Store whole(Target& target, std::int64_t low, std::int64_t high,
                         const std::string& unit = "") {
  return [&target, low, high, unit](const std::string& value) {
    target = static_cast<typename ValueOf<Target>::Type>(parse_whole(value, low, high, unit));
  };
}
/// One of some names, each with what it stands for.
template <typename Target>
CommandLine::Store one_of(
    Target& target, std::vector<std::pair<const char*, typename ValueOf<Target>::Type>> choices) {
  return [&target, choices = std::move(choices)](const std::string& value) {
    std::vector<std::string> names;
    for (const auto& [name, meaning] : choices) {
      if (value == name) return void(target = meaning);
      names.emplace_back(name);
    }
    throw expected_one_of(names);
  };
}
/// A decimal number in [low, high].
template <typename Target>
CommandLine::Store number(Target& target, double low, double high, const std::string& unit = "") {
  return [&target, low, high, unit](const std::string& value) {
    target = parse_number(value, low, high, unit);
  };
}
/// Any text; where `expected` ("a folder") is given, any but "", and with this ending.
template <typename Target>
CommandLine::Store text(Target& target, const char* expected = nullptr, const char* ending = "") {
  return [&target, expected, ending](const std::string& value) {
    if (expected != nullptr && (value.empty() || !value.ends_with(ending)))
      throw Expected{expected};
    target = value;
  };
}
/// The same, but for "-", which stands for stdout elsewhere.
template <typename Target>
CommandLine::Store file_name(Target& target, const char* expected) {
  return [store = text(target, expected), expected](const std::string& value) {
    if (value == "-") throw Expected{expected};
    store(value);
  };
}

}  // namespace roundel
