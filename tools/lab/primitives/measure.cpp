#include "tools/lab/primitives/measure.h"

#include <algorithm>
#include <chrono>

#include "tools/roundel/cli/command_line.h"

namespace roundel::primitives {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMinRepeats = 3;
constexpr double kMinMilliseconds = 200;
constexpr std::int64_t kMaxExponent = 32;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::uint64_t parse_one_size(const std::string& text) {
  constexpr std::int64_t kMaxSize = std::int64_t{1} << kMaxExponent;
  if (!text.starts_with("2^")) return static_cast<std::uint64_t>(parse_whole(text, 0, kMaxSize));
  const std::size_t sign = text.find_first_of("+-", 2);
  const std::int64_t power = std::int64_t{1}
                             << parse_whole(text.substr(2, sign - 2), 0, kMaxExponent);
  if (sign == std::string::npos) return static_cast<std::uint64_t>(power);
  const std::int64_t rest = parse_whole(text.substr(sign + 1), 0, kMaxSize);
  const std::int64_t size = text[sign] == '-' ? power - rest : power + rest;
  if (size < 0 || size > kMaxSize) throw Expected{""};
  return static_cast<std::uint64_t>(size);
}

}  // namespace

Timing time_repeatedly(int most, const std::function<double()>& work) {
  work();
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  do {
    times.push_back(work());
  } while (static_cast<int>(times.size()) < most && (static_cast<int>(times.size()) < kMinRepeats ||
                                                     milliseconds_since(begin) < kMinMilliseconds));
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), static_cast<int>(times.size())};
}

Timing time_on_cpu(int most, const std::function<void()>& work) {
  return time_repeatedly(most, [&] {
    const Clock::time_point start = Clock::now();
    work();
    return milliseconds_since(start);
  });
}

std::vector<Row> measure(Primitive& primitive, const std::vector<std::uint64_t>& sizes, int repeats,
                         const std::function<void(const Row&)>& on_row) {
  std::vector<Row> rows;
  const std::vector<Variant> variants = primitive.variants();
  rows.reserve(sizes.size() * variants.size());
  for (const std::uint64_t n : sizes) {
    for (const Variant& variant : variants) {
      if (n > variant.most) continue;
      primitive.spoil(n);
      Row row{variant.name, variant.is_on_device, n, variant.run(n, repeats), 0, false};
      row.bytes = primitive.bytes(n);
      row.is_right = primitive.is_right(n);
      rows.push_back(row);
      on_row(row);
    }
  }
  return rows;
}

std::vector<std::uint64_t> usual_sizes() {
  std::vector<std::uint64_t> sizes = {1'000'000, 10'000'000, 20'000'000, 40'000'000};
  for (int power = 10; power <= 28; ++power) {
    sizes.push_back((std::uint64_t{1} << power) - 3);
    sizes.push_back(std::uint64_t{1} << power);
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  try {
    for (const std::string& size : split_list(text)) sizes.push_back(parse_one_size(size));
  } catch (const Expected&) {
    throw Expected{"numbers of elements from 0 to 2^32, as in 1000,2^20,2^20-3"};
  }
  return sizes;
}

}  // namespace roundel::primitives
