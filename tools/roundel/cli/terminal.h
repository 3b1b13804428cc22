#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace roundel {

/// What --version prints.
inline constexpr const char* kVersionLine = "roundel " ROUNDEL_VERSION "\n";

/// Data, on stdout. What could not be written shows in finish_output().
void print_out(std::string_view text);
/// Progress and results for people, on stderr, as they stand. Logs go through spdlog.
void print_err(std::string_view text);
/// Throws Error(kRuntimeFailure) unless everything printed on stdout since the last call has gone
/// out.
void finish_output();

/// 1234567 as "1,234,567", whatever the locale.
std::string with_commas(std::uint64_t number);
/// "1 circle", "1,234 circles".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace roundel
