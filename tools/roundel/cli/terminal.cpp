#include "tools/roundel/cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/write_file.h"
#include "renderer/frame_encoder.h"
#include "renderer/image/files.h"

namespace roundel {

namespace {

int first_output_error = 0;  // errno of the first write to stdout that failed

}  // namespace

void print_version() {
  print_out(kSoftware + std::string("\n"));
}

void print_out(std::string_view text) {
  // stdio would drop what a full pipe does not take at once where writing to it does not wait.
  if (first_output_error == 0)
    first_output_error = write_to_descriptor(
        STDOUT_FILENO, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void print_err(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void finish_output() {
  if (first_output_error == 0) return;
  throw Error(
      ExitCode::kRuntimeFailure,
      fmt::format("standard output: {}", std::strerror(std::exchange(first_output_error, 0))));
}

void write_text(const std::string& path, std::string_view text) {
  if (path == "-") return print_out(text);
  write_text_atomically(path, text);
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace roundel
