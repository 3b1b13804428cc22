#include <algorithm>
#include <cmath>
#include <limits>

#include "renderer/compare/golden_rules.h"
#include "renderer/compare/run_json.h"
// The interface's types come after the library's.
#include "renderer/api/inner.h"

namespace roundel {
inline namespace v0 {
namespace {

Tolerance tolerance_of(const CompareOptions& options) {
  check_range("max_delta", options.max_delta, 0.0, kMaxDelta);
  if (options.max_pixels)
    check(*options.max_pixels >= 0, "max_pixels", "a number >= 0", *options.max_pixels);
  if (options.max_percent) check_range("max_percent", *options.max_percent, 0.0, 100.0);
  check(!options.max_pixels || !options.max_percent, "max_percent", "max_pixels or max_percent",
        "both");
  if (options.max_flip_mean) check_range("max_flip_mean", *options.max_flip_mean, 0.0, 1.0);
  if (options.pixels_per_degree)
    check_range("pixels_per_degree", *options.pixels_per_degree, kMinPixelsPerDegree,
                kMaxPixelsPerDegree);
  Tolerance tolerance;
  tolerance.max_delta = options.max_delta;
  tolerance.max_pixels = options.max_percent ? options.max_percent : options.max_pixels;
  tolerance.pixels_in_percent = options.max_percent.has_value();
  tolerance.flip_mean = options.max_flip_mean;
  tolerance.ignores_antialiasing = options.ignore_antialiasing;
  for (const Box& box : options.ignore) {
    check(box.x >= 0 && box.y >= 0 && box.width > 0 && box.height > 0, "ignore",
          "x and y >= 0, width and height > 0",
          fmt::format("{}, {}, {} and {}", box.x, box.y, box.width, box.height));
    tolerance.ignore.push_back({box.x, box.y, box.width, box.height});
  }
  return tolerance;
}

Measures measures_of(const CompareOptions& options) {
  return {options.flip || options.max_flip_mean, options.ssim,
          options.pixels_per_degree.value_or(kDefaultPixelsPerDegree), options.align};
}

/// A measure of pictures of one shape.
double measured(const PictureDifference& difference, double value) {
  return difference.kind == PictureDifference::Kind::kOtherShape
             ? std::numeric_limits<double>::quiet_NaN()
             : value;
}

}  // namespace

Comparison compare(const Picture& a, const Picture& b, const CompareOptions& options) {
  return inner::guarded([&] {
    std::optional<inner::Picture> made[2];
    const auto compared = [](const auto& state, auto& kept) -> const inner::Picture& {
      if (state->file) return *state->file;
      const Pixels& pixels = state->pixels;
      kept = picture_of(pixels.width, pixels.height, pixels.channels,
                        static_cast<inner::Picture::Samples>(pixels.type), pixels.bytes.data());
      return *kept;
    };
    const Tolerance tolerance = tolerance_of(options);
    PictureDifference difference =
        compare_pictures(compared(Access::state(a), made[0]), compared(Access::state(b), made[1]),
                         tolerance, measures_of(options));
    Verdict verdict = apply_tolerance(difference, tolerance);
    return Access::value<Comparison>({std::move(difference), std::move(verdict)});
  });
}

Comparison compare_files(const std::string& a, const std::string& b,
                         const CompareOptions& options) {
  return inner::guarded([&] {
    const Tolerance tolerance = tolerance_of(options);
    PictureDifference difference =
        roundel::compare_files(a, b, tolerance, measures_of(options)).difference;
    Verdict verdict = apply_tolerance(difference, tolerance);
    return Access::value<Comparison>({std::move(difference), std::move(verdict)});
  });
}

bool Comparison::same() const {
  return state_->verdict.same;
}

const std::vector<std::string>& Comparison::reasons() const {
  return state_->verdict.reasons;
}

std::uint64_t Comparison::pixels() const {
  return state_->difference.pixels_over;
}

double Comparison::largest() const {
  double largest = 0;
  for (const PictureDifference::Channel& channel : state_->difference.channels)
    largest = std::max(largest, channel.largest);
  return measured(state_->difference, largest);
}

double Comparison::rmse() const {
  return measured(state_->difference, state_->difference.rmse);
}

double Comparison::psnr() const {
  const bool differs = state_->difference.pixels > 0;
  return measured(state_->difference,
                  differs ? state_->difference.psnr : std::numeric_limits<double>::infinity());
}

std::optional<double> Comparison::flip_mean() const {
  const auto& flip = state_->difference.flip;
  return flip ? std::optional(flip->mean) : std::nullopt;
}

std::optional<double> Comparison::ssim() const {
  return state_->difference.ssim;
}

std::string Comparison::json() const {
  return dump(difference_json(state_->difference, state_->verdict));
}

}  // namespace v0
}  // namespace roundel
