#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "renderer/base/lines.h"

namespace roundel {

/// Messages and progress on stderr.
enum class Verbosity { kQuiet, kNormal, kVerbose };
/// Which messages are printed from now on; kNormal before.
void set_verbosity(Verbosity wanted);

/// What --version prints, on stdout.
void print_version();
/// Lines for people, on stdout: results; on stderr: progress and messages. All that is printed in
/// lines passes these two, which write each as printed_line() has it, and all of them in one call.
void print_out(const Lines& lines);
void print_err(const Lines& lines);
/// Messages on stderr: each line begins with "error: ", "warning: " or "note: ", in colour on a
/// terminal unless NO_COLOR is set. One call writes a line, so that threads and processes do not
/// mix them. --quiet leaves errors only.
void print_error(const Lines& lines);
void print_warning(const Lines& lines);
void print_note(const Lines& lines);
/// Lines for --verbose, without a label.
void print_detail(const Lines& lines);
/// Workflow commands of a CI, on stdout: lines, each after the "::" that makes it a command.
void print_commands(const Lines& lines);
/// On stderr, which is a terminal: puts this text, cut to the columns, in place of the line's.
void print_bar(std::string_view text, std::size_t columns);
/// Data, on stdout, as it stands. What could not be written, of lines too, shows in
/// finish_output().
void print_data(std::string_view bytes);
/// Throws Error(kRuntimeFailure) unless everything printed on stdout since the last call has gone
/// out.
void finish_output();

/// Throws Error(kUsage) if stdout is a terminal, which would show bytes of a file as text.
/// `example`: a file name to write to instead.
void check_is_no_terminal(const char* example);
/// To a file, replaced as a whole, or to stdout for "-".
void write_text(const std::string& path, std::string_view text);

}  // namespace roundel
