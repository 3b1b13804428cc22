#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace roundel {

/// Logs and progress on stderr.
enum class Verbosity { kQuiet, kNormal, kVerbose };

/// The commit that was built, for benchmarks to name; "" where git is not at hand.
extern const char* const kCommit;

/// What --version prints, on stdout.
void print_version();
/// Data, on stdout. What could not be written shows in finish_output().
void print_out(std::string_view text);
/// Progress and results for people, on stderr, as they stand. Logs go through spdlog.
void print_err(std::string_view text);
/// Throws Error(kRuntimeFailure) unless everything printed on stdout since the last call has gone
/// out.
void finish_output();

/// To a file, replaced as a whole, or to stdout for "-".
void write_text(const std::string& path, std::string_view text);
/// JSON on one line, or indented by so many spaces a level; text that is not UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace roundel
