#include "tools/roundel/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <filesystem>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/scene/scene.h"
#include "tools/roundel/cli/guesses.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

namespace po = boost::program_options;

/// Returns the token that Boost refused because of its option: the value is missing, or the option
/// takes none.
Arguments::iterator offending_token(Arguments& arguments, const std::string& long_name,
                                    const std::string& short_name) {
  const auto options_end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto token = arguments.begin(); token != options_end; ++token) {
    const auto next = token + 1;
    const bool lacks_value = next == arguments.end() || next->starts_with('-');
    const bool is_option = *token == long_name || *token == short_name;
    if (token->starts_with(long_name + "=") || (is_option && lacks_value)) return token;
  }
  return arguments.end();
}

/// Returns the names that an option's value is one of; empty if other values are possible, too.
std::vector<std::string> accepted_names(const CommandLine::Store& store) {
  try {
    store("");
  } catch (const Expected& expected) {
    return expected.names;
  } catch (const Error&) {  // it takes other things
  }
  return {};
}

}  // namespace

CommandLine::CommandLine(const std::string& name, const std::string& usage, std::string text)
    : name_(name.starts_with("roundel-") ? name : "roundel " + name) {
  page_.usage = name_ + " " + usage;
  page_.text = std::move(text);
}

void CommandLine::declare(const std::string& names, const std::string& heading_tail, HelpText help,
                          Store store, bool takes_value) {
  const std::size_t comma = names.find(',');
  const std::string name = names.substr(0, comma);
  const std::string short_name =
      comma == std::string::npos ? "    " : "-" + names.substr(comma + 1) + ", ";
  const std::string heading = short_name + "--" + name + heading_tail;
  options_.push_back({names, name, heading, takes_value, "", std::move(store)});
  page_.options.push_back({name, heading, std::move(help)});
}

void CommandLine::add_switch(const std::string& names, std::function<void()> turn_on,
                             HelpText help) {
  const auto store = [turn_on = std::move(turn_on)](const std::string&) { turn_on(); };
  declare(names, "", std::move(help), store, false);
}

void CommandLine::add_switch(const std::string& names, bool& target, HelpText help) {
  const auto turn_on = [&target] { target = true; };
  add_switch(names, turn_on, std::move(help));
}

void CommandLine::add_value(const std::string& names, const std::string& value_name, Store store,
                            HelpText help) {
  declare(names, " " + value_name, std::move(help), std::move(store), true);
}

void CommandLine::add_optional_value(const std::string& name, const std::string& value_name,
                                     const std::string& alone, Store store, HelpText help) {
  declare(name, "[=" + value_name + "]", std::move(help), std::move(store), true);
  options_.back().alone = alone;
}

void CommandLine::add_optional_argument(const std::string& name, Store store,
                                        const std::string& help) {
  page_.argument = name;
  page_.argument_help = help;
  at_most_ = 1;
  argument_store_ = std::move(store);
}

void CommandLine::add_arguments(const std::string& name, std::size_t at_least, std::size_t at_most,
                                std::vector<std::string>& target, const std::string& help) {
  page_.argument = name;
  page_.argument_help = help;
  at_least_ = at_least;
  at_most_ = at_most;
  arguments_ = &target;
}

const CommandLine::Option* CommandLine::find(const std::string& name) const {
  const auto option = std::find_if(options_.begin(), options_.end(),
                                   [&](const Option& known) { return known.name == name; });
  return option == options_.end() ? nullptr : &*option;
}

std::vector<CommandLine::Token> CommandLine::split(Arguments arguments, Problems& problems) const {
  namespace style = po::command_line_style;
  po::options_description description;
  for (const Option& option : options_) {
    if (option.takes_value) {
      description.add_options()(option.names.c_str(), po::value<std::string>());
    } else {
      description.add_options()(option.names.c_str(), "");
    }
  }
  // Boost would take the next argument as the value of an option that may stand alone.
  const auto options_end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto token = arguments.begin(); token != options_end; ++token) {
    for (const Option& option : options_) {
      if (!option.alone.empty() && *token == "--" + option.name) *token += "=" + option.alone;
    }
  }
  std::vector<Token> tokens;
  // Boost stops at the first misuse: note it, remove it and continue.
  for (;;) {
    try {
      const po::parsed_options parsed = po::command_line_parser(arguments)
                                            .options(description)
                                            .style(style::unix_style & ~style::allow_guessing)
                                            .allow_unregistered()
                                            .run();
      for (const po::option& option : parsed.options) {
        const std::vector<std::string>& written = option.original_tokens;
        const std::string value = !option.value.empty() ? option.value.front()
                                  : written.empty()     ? ""
                                                        : written.front();
        // Boost keeps the dash of unknown short options, but drops those of long ones.
        const bool lacks_dashes = option.unregistered && !option.string_key.starts_with('-');
        tokens.push_back({option.position_key >= 0, (lacks_dashes ? "--" : "") + option.string_key,
                          value, !option.unregistered});
      }
      return tokens;
    } catch (const po::invalid_command_line_syntax& e) {
      const std::string long_name = e.get_option_name();  // "--size"
      const Option* const option =
          find(long_name.substr(std::min<std::size_t>(2, long_name.size())));
      if (option == nullptr) throw;
      const std::string value =  // "FILE", or "=NAME]" if the option may stand alone
          option->heading.substr(option->heading.find_first_of(" [", 4) + 1);
      problems.push_back(
          !option->alone.empty() ? fmt::format("{0}: expected {0} or {0}{1}", long_name,
                                               value.substr(0, value.size() - 1))
          : option->takes_value
              ? fmt::format("{}: expected {} after it", long_name, value)
              : fmt::format("{}: takes no value{}", long_name,
                            find("no-" + option->name) == nullptr
                                ? ""
                                : fmt::format("; type {0} or --no-{1}", long_name, option->name)));
      const auto token = offending_token(arguments, long_name, option->heading.substr(0, 2));
      if (token == arguments.end()) return tokens;
      arguments.erase(token);
    }
  }
}

bool CommandLine::store_option(const Token& token, Problems& problems) const {
  const Option* const option = token.is_known ? find(token.name) : nullptr;
  if (option == nullptr) {
    std::vector<KnownOption> known;
    for (const Option& other : options_)
      known.push_back({other.name, other.heading.substr(other.heading.find("--"))});
    problems.push_back(fmt::format("{}: unknown option{}", roundel::quoted(token.name),
                                   guess_option(token.name, known)));
    return false;
  }
  try {
    option->store(token.value);
  } catch (const Expected& expected) {
    problems.push_back(fmt::format("--{}: expected {}, got {}", option->name, expected.what,
                                   roundel::quoted(token.value)));
  } catch (const Error& error) {
    problems.push_back(fmt::format("--{}: {}", option->name, error.what()));
  }
  return true;
}

bool CommandLine::may_be_output(const std::string& argument) const {
  const std::string ending = std::filesystem::path(argument).extension().string();
  if (ending.empty()) return false;
  return std::any_of(
      page_.options.begin(), page_.options.end(), [&](const HelpPage::Option& option) {
        return option.name == "output" && option.help.text.find(ending) != std::string::npos;
      });
}

std::string CommandLine::hint_for_extra(const Arguments& values, std::size_t i) const {
  if (may_be_output(values[i]))
    return fmt::format("; to write this file: -o {}", shell_word(values[i]));
  if (find("pixel") == nullptr || i != at_most_) return "";
  const std::string pixel = i + 1 < values.size() ? values[i] + "," + values[i + 1] : values[i];
  const std::vector<std::string> numbers = split_list(pixel);
  const bool is_pixel =
      numbers.size() == 2 && to_number<int>(numbers[0]) && to_number<int>(numbers[1]);
  return is_pixel ? "; to explain a pixel: --pixel " + pixel : "";
}

void CommandLine::store_arguments(Arguments values, bool has_unknown, Problems& problems) {
  if (values.size() < at_least_) problems.push_back(fmt::format("expected {}", page_.argument));
  for (std::size_t i = at_most_; i < values.size() && !has_unknown; ++i) {
    problems.push_back(fmt::format("{}: expected {}{}", roundel::quoted(values[i]),
                                   at_most_ == 0   ? "options only"
                                   : at_most_ == 1 ? "one argument only"
                                                   : fmt::format("{} arguments only", at_most_),
                                   hint_for_extra(values, i)));
  }
  if (argument_store_ && values.size() == 1) {
    try {
      argument_store_(values.front());
    } catch (const Expected& expected) {
      problems.push_back(
          fmt::format("expected {}, got {}", expected.what, roundel::quoted(values.front())));
    }
  }
  if (arguments_ != nullptr) *arguments_ = std::move(values);
}

/// Returns the values of an option: names, or the kind of files that it takes.
Lines CommandLine::values_of(const Option& option) const {
  const std::vector<std::string> names = accepted_names(option.store);
  if (!names.empty()) return names;
  const auto takes = [&](const char* word) {
    return option.heading.find(word) != std::string::npos;
  };
  return takes("DIR") || takes("FOLDER")   ? "<folders>"
         : takes("SCENE")                  ? "<scenes>"
         : takes("FILE") || takes("TABLE") ? "<files>"
                                           : Lines();
}

Lines CommandLine::completions(const Arguments& words) const {
  const std::string word = words.empty() ? "" : words.back();
  const auto last = words.empty() ? words.end() : words.end() - 1;
  const bool may_be_option = std::find(words.begin(), last, "--") == last;
  if (may_be_option && word.starts_with("--") && word.find('=') != std::string::npos) {
    const std::size_t value = word.find('=') + 1;
    const Option* const option = find(word.substr(2, value - 3));
    Lines lines;
    if (option == nullptr || !option->takes_value) return lines;
    for (const std::string& name : values_of(*option))
      lines += name.starts_with('<') ? name : word.substr(0, value) + name;
    return completing(lines, word);
  }
  if (may_be_option && word.starts_with('-')) {
    Lines names;
    for (const Option& option : options_) names += "--" + option.name;
    return completing(names, word);
  }
  for (const Option& option : options_) {
    const std::string short_name = option.heading.substr(0, 2);
    const bool is_value = may_be_option && last != words.begin() && option.takes_value &&
                          option.alone.empty() &&
                          (*(last - 1) == "--" + option.name || *(last - 1) == short_name);
    if (is_value) return completing(values_of(option), word);
  }
  if (argument_store_) return completing(accepted_names(argument_store_), word);
  if (at_most_ == 0) return {};
  return page_.argument.starts_with("SCENE") ? "<scenes>" : "<files>";
}

bool CommandLine::parse(const Arguments& arguments) {
  const auto ask_for_help = [this](const std::string& written) {
    (written.starts_with("--") ? help_wanted_ : short_help_wanted_) = true;
  };
  declare("help,h", "", {Group::kMessages, "print this list; -h: the usual options and examples"},
          ask_for_help, false);
  add_switch("version,V", version_wanted_, {Group::kMessages, "print the version"});
  if (!arguments.empty() && arguments.front() == kCompletionOption) {
    print_out(completions({arguments.begin() + 1, arguments.end()}));
    return false;
  }
  Problems problems;
  Arguments values;
  bool has_unknown = false;
  for (const Token& token : split(arguments, problems)) {
    if (token.is_argument)
      values.push_back(token.value);
    else if (!store_option(token, problems))
      has_unknown = true;
  }
  if (help_wanted_) return print_out(lines_of(full_help(page_))), false;
  if (short_help_wanted_) return print_out(lines_of(short_help(page_))), false;
  if (version_wanted_) return print_version(), false;
  store_arguments(std::move(values), has_unknown, problems);
  if (problems.empty()) {
    for (const auto& check : checks_) check(problems);
  }
  if (problems.empty()) return true;
  throw UsageError(problems, fmt::format("\"{} --help\" lists the options", name_));
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return items;
}

std::int64_t parse_whole(const std::string& text, std::int64_t low, std::int64_t high,
                         const std::string& unit) {
  const auto number = to_number<std::int64_t>(text);
  if (number && *number >= low && *number <= high) return *number;
  throw Expected{
      fmt::format("a whole number{}{} from {} to {}", unit.empty() ? "" : " of ", unit, low, high)};
}

double parse_number(const std::string& text, double low, double high, const std::string& unit) {
  const auto number = to_number<double>(text);
  if (number && *number >= low && *number <= high) return *number;
  throw Expected{
      fmt::format("a number{}{} from {} to {}", unit.empty() ? "" : " of ", unit, low, high)};
}

Expected expected_one_of(const std::vector<std::string>& names) {
  return {join_names(names, "or", false), names};
}

Lines completing(const Lines& lines, std::string_view begin) {
  Lines found;
  for (const std::string& line : lines)
    if (line.starts_with(begin) || line.starts_with('<')) found += line;
  return found;
}

std::pair<int, int> parse_size(const std::string& text) {
  const std::size_t x = text.find('x');
  if (x != std::string::npos) {
    const auto width = to_number<int>(text.substr(0, x));
    const auto height = to_number<int>(text.substr(x + 1));
    if (width && height && *width >= 1 && *height >= 1 && *width <= kMaxImageSide &&
        *height <= kMaxImageSide) {
      if (pixel_count(*width, *height) <= kMaxPixels) return {*width, *height};
    }
  }
  throw Expected{fmt::format("WIDTHxHEIGHT in pixels, 1..{} each, such as 800x600", kMaxImageSide)};
}

std::uint64_t parse_memory(const std::string& text) {
  constexpr std::uint64_t kMinBytes = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;
  constexpr std::string_view kUnits = "KMGT";
  std::size_t digits = text.size();
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = kUnits.find(text.back());
    if (unit != std::string_view::npos) {
      --digits;
      shift = 10 * (static_cast<unsigned>(unit) + 1);
    }
  }
  const auto number = to_number<std::uint64_t>(text.substr(0, digits));
  if (number && *number <= (kMaxBytes >> shift)) {
    const std::uint64_t bytes = *number << shift;
    if (bytes >= kMinBytes) return bytes;
  }
  throw Expected{"a whole number of bytes, or of K, M, G or T (powers of 1024), at least 1M"};
}

}  // namespace roundel
