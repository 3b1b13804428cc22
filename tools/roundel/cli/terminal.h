#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "renderer/base/lines.h"

namespace roundel {

/// Messages and progress on stderr.
enum class Verbosity { kQuiet, kNormal, kVerbose };
/// Sets which messages are printed; kNormal by default.
void set_verbosity(Verbosity wanted);

void print_version();
/// Print lines for people: results on stdout, progress and messages on stderr. All printed lines
/// pass these two functions, which apply printed_line() to each and write all of them in one call.
void print_out(const Lines& lines);
void print_err(const Lines& lines);
/// Prints messages on stderr: each line begins with "error: ", "warning: " or "note: ", in colour
/// on a terminal unless NO_COLOR is set. One call writes a line, so that processes do not mix them.
/// --quiet leaves errors only.
void print_error(const Lines& lines);
void print_warning(const Lines& lines);
void print_note(const Lines& lines);
/// Prints lines for --verbose, without a label.
void print_detail(const Lines& lines);
/// Prints workflow commands of a CI on stdout: lines, each after the "::" that makes it a command.
void print_commands(const Lines& lines);
/// Replaces the line of a terminal on stderr by this text, cut to the columns.
void print_bar(std::string_view text, std::size_t columns);
/// Writes data on stdout as it stands. finish_output() reports failed writes, also those of lines.
void print_data(std::string_view bytes);
/// Throws Error(kRuntimeFailure) unless everything printed on stdout since the last call was
/// written.
void finish_output();

/// Throws Error(kUsage) if stdout is a terminal, which would show bytes of a file as text.
/// `example`: a file name to write to instead.
void check_is_not_terminal(const char* example);
/// Writes to a file, replaced as a whole, or to stdout for "-".
void write_text(const std::string& path, std::string_view text);

}  // namespace roundel
