#include "tools/roundel/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "renderer/format/json_text.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

constexpr std::chrono::seconds kRateWindow{5};
constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kLineInterval{3};
constexpr std::chrono::milliseconds kSilentTime{1000};  ///< shorter work shows nothing
constexpr std::size_t kUsualColumns = 80;

std::size_t terminal_columns() {
  struct winsize size {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

ProgressFormat resolve(ProgressFormat format) {
  if (format != ProgressFormat::kAuto) return format;
  return isatty(STDERR_FILENO) != 0 ? ProgressFormat::kBar : ProgressFormat::kPlain;
}

double share(const ProgressState& state) {
  if (state.total == 0) return 1;
  return static_cast<double>(state.done) / static_cast<double>(state.total);
}

/// Returns the seconds until the last frame; negative while they are unknown.
double seconds_left(const ProgressState& state, double frames_per_second) {
  if (state.done >= state.total) return 0;
  if (frames_per_second <= 0) return -1;
  return static_cast<double>(state.total - state.done) / frames_per_second;
}

/// "1:02:03", "2:03", "--:--"
std::string time_text(double seconds) {
  if (seconds < 0) return "--:--";
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  const std::uint64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string numbers_text(const ProgressState& state, double frames_per_second,
                         double bytes_per_second) {
  std::string text =
      fmt::format("{}/{} frames  {:.1f} fps  ETA {}  {:.1f} MB/s  queue {}", state.done,
                  state.total, frames_per_second, time_text(seconds_left(state, frames_per_second)),
                  bytes_per_second / 1e6, state.queue);
  if (state.failed > 0) text += fmt::format("  {} failed", state.failed);
  return text;
}

std::string bar_text(const ProgressState& state, const std::string& numbers, std::size_t columns) {
  constexpr std::size_t kMaxBarColumns = 30, kMinBarColumns = 5,
                        kFrameColumns = 4;  // "[", "] " and the last column
  const std::size_t bar_columns =
      columns > numbers.size() + kFrameColumns ? columns - numbers.size() - kFrameColumns : 0;
  if (bar_columns < kMinBarColumns) return numbers.substr(0, columns > 0 ? columns - 1 : 0);
  const std::size_t length = std::min(bar_columns, kMaxBarColumns);
  const auto filled = static_cast<std::size_t>(share(state) * static_cast<double>(length));
  return "[" + std::string(filled, '#') + std::string(length - filled, ' ') + "] " + numbers;
}

std::string state_json(const ProgressState& state, double frames_per_second,
                       double bytes_per_second) {
  nlohmann::ordered_json object = {{"done", state.done},     {"total", state.total},
                                   {"failed", state.failed}, {"fps", frames_per_second},
                                   {"bytes", state.bytes},   {"bytes_per_second", bytes_per_second},
                                   {"queue", state.queue}};
  const double eta = seconds_left(state, frames_per_second);
  object["eta_seconds"] = eta < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(eta);
  return object.dump();
}

}  // namespace

void Rates::add(Clock::time_point now, std::uint64_t done, std::uint64_t bytes) {
  samples_.push_back({now, done, bytes});
  // Two finished frames at least, for frames that take longer than the window.
  while (samples_.size() > 2 && now - samples_[1].time > kRateWindow &&
         samples_[1].done + 2 <= done)
    samples_.pop_front();
  const Sample& first = samples_.front();
  const double seconds = std::chrono::duration<double>(now - first.time).count();
  if (seconds <= 0) return;
  frames_per_second_ = static_cast<double>(done - first.done) / seconds;
  bytes_per_second_ = static_cast<double>(bytes - first.bytes) / seconds;
}

Lines progress_text(ProgressFormat format, const ProgressState& state, double frames_per_second,
                    double bytes_per_second, std::size_t columns) {
  const std::string numbers = numbers_text(state, frames_per_second, bytes_per_second);
  switch (format) {
    case ProgressFormat::kBar:
      return bar_text(state, numbers, columns);
    case ProgressFormat::kPlain:
      return numbers;
    case ProgressFormat::kJson:
      return state_json(state, frames_per_second, bytes_per_second);
    case ProgressFormat::kOpenJd:
      return Lines(fmt::format("openjd_progress: {:.1f}", 100 * share(state))) +
             ("openjd_status: " + numbers);
    case ProgressFormat::kDeadline:
      return fmt::format("Progress: {:.0f}%", std::floor(100 * share(state)));
    default:
      return {};
  }
}

Lines frame_text(ProgressFormat format, std::int64_t frame, const std::string& name) {
  if (format != ProgressFormat::kBlender) return {};
  return Lines(fmt::format("Fra:{} | Rendered", frame)) + fmt::format("Saved: '{}'", name);
}

std::string work_text(std::uint64_t done, std::uint64_t total, double seconds) {
  constexpr double kMaxShare = 0.99;  // work under way is never complete, and its total may grow
  const double part = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const bool is_known = part > 0 && part < kMaxShare;
  return fmt::format("{:.0f} %  ETA {}", std::floor(100 * std::min(part, kMaxShare)),
                     time_text(is_known ? seconds * (1 - part) / part : -1));
}

Lines work_line(ProgressFormat format, const std::string& name, std::uint64_t done,
                std::uint64_t total, double seconds) {
  std::string text = name + ": " + work_text(done, total, seconds);
  const double percent = 100 * share({.done = done, .total = total});
  switch (format) {
    case ProgressFormat::kBar:
    case ProgressFormat::kPlain:
      return text;
    case ProgressFormat::kJson:  // a shown name needs no escapes
      return json_text({{"work", printed_line(name)}, {"done", done}, {"total", total}});
    case ProgressFormat::kOpenJd:
      return Lines(fmt::format("openjd_progress: {:.1f}", percent)) + ("openjd_status: " + text);
    case ProgressFormat::kDeadline:
      return fmt::format("Progress: {:.0f}%", std::floor(percent));
    default:
      return {};
  }
}

WorkProgress::WorkProgress(std::string name, const WorkCount& count, ProgressFormat format)
    : name_(std::move(name)),
      count_(count),
      format_(resolve(format)),
      thread_([this] { show(); }) {}

WorkProgress::~WorkProgress() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void WorkProgress::show() {
  const auto start = Rates::Clock::now();
  const bool is_bar = format_ == ProgressFormat::kBar;
  const std::chrono::milliseconds interval = is_bar ? kBarInterval : kLineInterval;
  std::unique_lock lock(mutex_);
  bool is_shown = false;
  for (std::chrono::milliseconds wait = kSilentTime;
       !ended_.wait_for(lock, wait, [this] { return has_ended_; }); wait = interval) {
    const std::uint64_t done = count_.done, total = count_.total;
    if (total == 0) continue;
    const double seconds = std::chrono::duration<double>(Rates::Clock::now() - start).count();
    const Lines lines = work_line(format_, name_, done, total, seconds);
    is_bar ? print_bar(lines.all().front(), terminal_columns() - 1) : print_err(lines);
    is_shown = is_bar;
  }
  if (is_shown) print_bar("", 0);
}

Progress::Progress(ProgressFormat format) : format_(resolve(format)) {}

Progress::~Progress() {
  const std::lock_guard lock(mutex_);
  clear_bar();
}

void Progress::update(const ProgressState& state) {
  const std::lock_guard lock(mutex_);
  const auto now = Rates::Clock::now();
  rates_.add(now, state.done, state.bytes);
  const bool is_bar = format_ == ProgressFormat::kBar;
  if (next_print_ == Rates::Clock::time_point() && !is_bar) next_print_ = now + kLineInterval;
  if (now < next_print_) return;
  next_print_ = now + (is_bar ? std::chrono::milliseconds(kBarInterval) : kLineInterval);
  print(state);
}

void Progress::finish(const ProgressState& state) {
  const std::lock_guard lock(mutex_);
  rates_.add(Rates::Clock::now(), state.done, state.bytes);
  const bool is_for_people = format_ == ProgressFormat::kBar || format_ == ProgressFormat::kPlain;
  if (!is_for_people && (!has_printed_ || printed_done_ != state.done)) print(state);
  clear_bar();
}

void Progress::frame_written(std::int64_t frame, const std::string& name) {
  const Lines lines = frame_text(format_, frame, name);
  if (lines.empty()) return;
  const std::lock_guard lock(mutex_);
  print_err(lines);
}

void Progress::print(const ProgressState& state) {
  const std::size_t columns = terminal_columns();
  const Lines lines =
      progress_text(format_, state, rates_.frames_per_second(), rates_.bytes_per_second(), columns);
  if (lines.empty()) return;
  bar_shown_ = format_ == ProgressFormat::kBar;
  bar_shown_ ? print_bar(lines.all().front(), columns) : print_err(lines);
  has_printed_ = true;
  printed_done_ = state.done;
}

void Progress::clear_bar() {
  if (!bar_shown_) return;
  print_bar("", 0);
  bar_shown_ = false;
}

}  // namespace roundel
