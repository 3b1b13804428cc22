#include "tools/roundel/cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/base/write_file.h"
#include "renderer/frame_encoder.h"
#include "renderer/image/files.h"

namespace roundel {

namespace {

int first_output_error = 0;  // errno of the first write to stdout that failed
std::atomic<Verbosity> chosen_verbosity{Verbosity::kNormal};

std::string printed(const Lines& lines, std::string_view before_each) {
  std::string text;
  for (const std::string& line : lines) text.append(before_each).append(printed_line(line)) += '\n';
  return text;
}

struct Label {
  std::string_view text;   // "error: "
  std::string_view color;  // ANSI escape sequence
};
constexpr Label kErrorLabel{"error: ", "\x1b[1;31m"}, kWarningLabel{"warning: ", "\x1b[1;33m"},
    kNoteLabel{"note: ", "\x1b[1;36m"};

/// Returns true for a terminal that shows colours, unless NO_COLOR holds any text
/// (https://no-color.org).
bool shows_colors() {
  static const bool has = [] {
    const char* const no_color = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    return (no_color == nullptr || *no_color == '\0') && isatty(STDERR_FILENO) != 0 &&
           terminal != nullptr && std::string_view(terminal) != "dumb";
  }();
  return has;
}

void print_labelled(Verbosity least, const Label& label, const Lines& lines) {
  if (chosen_verbosity.load() < least) return;
  for (const std::string& line : lines) {
    std::string text = printed_line(std::string(label.text) + line) + '\n';
    if (shows_colors()) text.insert(label.text.size() - 1, "\x1b[0m").insert(0, label.color);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

}  // namespace

void set_verbosity(Verbosity wanted) {
  chosen_verbosity.store(wanted);
}

void print_version() {
  print_out(kSoftware);
}

void print_out(const Lines& lines) {
  print_data(printed(lines, ""));
}

void print_err(const Lines& lines) {
  const std::string text = printed(lines, "");
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_error(const Lines& lines) {
  print_labelled(Verbosity::kQuiet, kErrorLabel, lines);
}

void print_warning(const Lines& lines) {
  print_labelled(Verbosity::kNormal, kWarningLabel, lines);
}

void print_note(const Lines& lines) {
  print_labelled(Verbosity::kNormal, kNoteLabel, lines);
}

void print_detail(const Lines& lines) {
  if (chosen_verbosity.load() >= Verbosity::kVerbose) print_err(lines);
}

void print_commands(const Lines& lines) {
  print_data(printed(lines, "::"));
}

void print_bar(std::string_view text, std::size_t columns) {
  std::string line = printed_line(text);
  const auto is_within_character = [&](std::size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
  };
  while (is_within_character(columns)) --columns;
  line = "\r\x1b[K" + line.substr(0, columns);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void print_data(std::string_view bytes) {
  // stdio would drop the part that does not fit in a full non-blocking pipe.
  if (first_output_error == 0)
    first_output_error = write_to_descriptor(
        STDOUT_FILENO, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

void finish_output() {
  if (first_output_error == 0) return;
  throw Error(
      ExitCode::kRuntimeFailure,
      fmt::format("standard output: {}", std::strerror(std::exchange(first_output_error, 0))));
}

void check_is_not_terminal(const char* example) {
  // mpirun reads the output of its ranks through a pseudo-terminal.
  const bool is_rank =
      std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
  if (is_rank || isatty(STDOUT_FILENO) == 0) return;
  throw Error(ExitCode::kUsage, fmt::format("--output: standard output is a terminal; write to a "
                                            "file (-o {}) or to a pipe (-o - | ...)",
                                            example));
}

void write_text(const std::string& path, std::string_view text) {
  if (path == "-") return print_data(text);
  write_text_atomically(path, text);
}

}  // namespace roundel
