#include "renderer/format/format_errors.h"
// The interface's types come after the library's.
#include "renderer/api/inner.h"

namespace roundel::inner {
namespace {

/// A message without the dashes of the command's options.
std::string message_of(const Error& error) {
  const std::string message = error.what();
  return message.starts_with("--") ? message.substr(2) : message;
}

}  // namespace

void throw_for_host() {
  try {
    throw;
  } catch (const v0::Error&) {
    throw;
  } catch (const InvalidScene& error) {
    std::vector<Problem> problems;
    for (const FormatProblem& problem : error.problems())
      problems.push_back({error.file(), static_cast<int>(problem.place.line),
                          static_cast<int>(problem.place.column), problem.key_path,
                          problem.message});
    throw SceneError(message_of(error), std::move(problems));
  } catch (...) {
    const Error error = current_error();
    switch (error.exit_code()) {
      case ExitCode::kUsage:
        throw UsageError(message_of(error));
      case ExitCode::kInvalidScene:
        throw SceneError(message_of(error), {});
      case ExitCode::kOutputRefused:
        throw OutputError(message_of(error));
      default:
        throw RenderError(message_of(error));
    }
  }
}

}  // namespace roundel::inner

namespace roundel {
inline namespace v0 {

std::uint64_t checked_memory(const std::optional<std::uint64_t>& bytes) {
  constexpr std::uint64_t kMinBytes = std::uint64_t{1} << 20;
  if (bytes)
    check(*bytes >= kMinBytes, "memory", fmt::format("at least {} bytes", kMinBytes), *bytes);
  return bytes.value_or(0);
}

}  // namespace v0
}  // namespace roundel
