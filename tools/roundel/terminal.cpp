#include "tools/roundel/terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "renderer/base/error.h"

namespace roundel {

void print_out(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_err(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void finish_output() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return;
  const int reason = errno;
  throw Error(ExitCode::kRuntimeFailure,
              reason != 0 ? fmt::format("standard output: {}", std::strerror(reason))
                          : std::string("standard output: writing failed"));
}

std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace roundel
