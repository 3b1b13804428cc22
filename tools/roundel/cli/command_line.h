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

/// Thrown by the function that stores an option's value: the expected value, for example "a whole
/// number from 1 to 1024".
struct Expected {
  std::string what;
  std::vector<std::string> names = {};  ///< all values, if they are a few names
};

/// Thrown for a wrong command line: its problems, one a line.
class UsageError : public Error {
 public:
  UsageError(const Lines& problems, std::string advice)
      : Error(ExitCode::kUsage, problems), advice_(std::move(advice)) {}
  /// Line to print after the problems: where to read about the options.
  const std::string& advice() const { return advice_; }

 private:
  std::string advice_;
};

/// Options and arguments of one command: declared once, then read from a command line and listed by
/// -h and --help. Options are GNU ones: `--size 8x8`, `--size=8x8`, `-o FILE`, `-qv`; abbreviated
/// names are refused; `--` ends the options; if an option is given twice, the last value counts.
class CommandLine {
 public:
  /// May throw Expected, or Error with the whole message: "expected …, got …".
  using Store = std::function<void(const std::string& value)>;
  using Problems = std::vector<std::string>;

  /// `name`: the command, or a separate program, "roundel-…". `usage`: follows "roundel NAME " in
  /// the first line of the help. `text`: description; its first sentence fits in a line.
  CommandLine(const std::string& name, const std::string& usage, std::string text);

  /// `names` are "long" or "long,s".
  void add_switch(const std::string& names, std::function<void()> turn_on, HelpText help);
  void add_switch(const std::string& names, bool& target, HelpText help);
  void add_value(const std::string& names, const std::string& value_name, Store store,
                 HelpText help);
  /// Adds an option that may stand alone, which then means `--NAME=alone`; a value needs the `=`.
  void add_optional_value(const std::string& name, const std::string& value_name,
                          const std::string& alone, Store store, HelpText help);
  void add_optional_argument(const std::string& name, Store store, const std::string& help);
  /// Adds positional arguments, at least `at_least` and at most `at_most`.
  void add_arguments(const std::string& name, std::size_t at_least, std::size_t at_most,
                     std::vector<std::string>& target, const std::string& help);
  /// Adds a check of the options together; it runs if each of them is valid, and adds to the
  /// problems.
  void add_check(std::function<void(Problems&)> check) { checks_.push_back(std::move(check)); }
  /// Adds a paragraph below the options.
  void add_note(const std::string& note) { page_.notes.push_back(note); }
  /// Sets the options that the short help shows, in this order.
  void set_usual(std::vector<std::string> names) { page_.usual = std::move(names); }
  /// Sets command lines that work, at most three.
  void set_examples(std::vector<std::string> lines) { page_.examples = std::move(lines); }
  /// See HelpPage::exit_codes.
  void set_exit_codes(std::string codes) { page_.exit_codes = std::move(codes); }
  /// Sets the page of docs about the command.
  void set_guide(std::string page) { page_.guide = std::move(page); }

  /// Stores the values of the command line. Returns false after printing help, the version or
  /// completions (kCompletionOption) on stdout. Throws UsageError with all problems.
  bool parse(const Arguments& arguments);
  /// Everything that -h and --help show.
  const HelpPage& page() const { return page_; }

 private:
  struct Option {
    std::string names;    // "output,o"
    std::string name;     // "output"
    std::string heading;  // "-o, --output FILE", as in the help
    bool takes_value;
    std::string alone;  // value of an option that stands alone; empty if it needs one
    Store store;
  };
  /// A part of the command line as Boost splits it.
  struct Token {
    bool is_argument;
    std::string name;   // "output"; an unknown option as written, "--outptu"
    std::string value;  // a switch as written, "-h" or "--help"
    bool is_known;
  };
  void declare(const std::string& names, const std::string& heading_tail, HelpText help,
               Store store, bool takes_value);
  const Option* find(const std::string& name) const;
  std::vector<Token> split(Arguments arguments, Problems& problems) const;
  /// Returns false for an unknown option.
  bool store_option(const Token& token, Problems& problems) const;
  /// Returns true if the help of --output names the extension of this file.
  bool may_be_output(const std::string& argument) const;
  /// Returns what to type instead of values[i], an extra argument; empty if there is no likely
  /// guess.
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

/// For shells, as first argument: prints the possible values of the last of the other words, one a
/// line, or "<files>", "<folders>" or "<scenes>" (scene files and folders).
inline constexpr const char* kCompletionOption = "--complete";
Lines completing(const Lines& lines, std::string_view begin);

inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

/// Readers of option values. Each reads the whole text, ignores the locale and throws Expected. A
/// sign is refused, except a minus if the range has negative numbers.

/// Returns the texts between the commas; "" is one empty text.
std::vector<std::string> split_list(const std::string& text);
/// Returns a whole number in [low, high]; `unit` ("pixels") is for the message.
std::int64_t parse_whole(const std::string& text, std::int64_t low, std::int64_t high,
                         const std::string& unit = "");
/// Returns a decimal number in [low, high]; `unit` is for the message.
double parse_number(const std::string& text, double low, double high, const std::string& unit = "");
/// Reads "1024x768": width and height in pixels, within kMaxImageSide and kMaxPixels.
std::pair<int, int> parse_size(const std::string& text);
/// Reads "512M", "8G": bytes, with K, M, G, T for powers of 1024; at least 1M.
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

/// Stores a whole number in [low, high]. Like the functions below it keeps a reference to the
/// target, plain or optional.
template <typename Target>
CommandLine::Store whole(Target& target, std::int64_t low, std::int64_t high,
                         const std::string& unit = "") {
  return [&target, low, high, unit](const std::string& value) {
    target = static_cast<typename ValueOf<Target>::Type>(parse_whole(value, low, high, unit));
  };
}
/// Stores the value that belongs to one of some names.
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
/// Stores a decimal number in [low, high].
template <typename Target>
CommandLine::Store number(Target& target, double low, double high, const std::string& unit = "") {
  return [&target, low, high, unit](const std::string& value) {
    target = parse_number(value, low, high, unit);
  };
}
/// Stores any text. With `expected` ("a folder") the text must not be empty and has this ending.
template <typename Target>
CommandLine::Store text(Target& target, const char* expected = nullptr, const char* ending = "") {
  return [&target, expected, ending](const std::string& value) {
    if (expected != nullptr && (value.empty() || !value.ends_with(ending)))
      throw Expected{expected};
    target = value;
  };
}
/// Like store_text(), but refuses "-", which means stdout elsewhere.
template <typename Target>
CommandLine::Store file_name(Target& target, const char* expected) {
  return [store = text(target, expected), expected](const std::string& value) {
    if (value == "-") throw Expected{expected};
    store(value);
  };
}

}  // namespace roundel
