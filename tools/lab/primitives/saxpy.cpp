#include "tools/lab/primitives/saxpy.h"

#include <memory>

#include "tools/lab/primitives/chunks.h"
#include "tools/lab/primitives/cuda/device_rows.h"
#include "tools/lab/primitives/variant.h"

namespace roundel::primitives {

void saxpy_serial(float a, std::span<const float> x, std::span<float> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = a * x[i] + y[i];
}

void saxpy_parallel(float a, std::span<const float> x, std::span<float> y) {
  const Chunks chunks(y.size());
  chunks.for_each([&](std::size_t chunk) {
    const std::size_t begin = chunks.begin(chunk), count = chunks.end(chunk) - begin;
    saxpy_serial(a, x.subspan(begin, count), y.subspan(begin, count));
  });
}

namespace {

constexpr float kA = 2;

// Small whole numbers: exact in binary32 after any realistic number of repeats.
float x_of(std::uint64_t i) {
  return static_cast<float>(i % 7);
}
float y_of(std::uint64_t i) {
  return static_cast<float>(i % 1000);
}

class Saxpy final : public Primitive {
 public:
  explicit Saxpy(std::uint64_t largest) : x_(largest), y_(largest) { fill(x_, largest, x_of); }

  std::string name() const override { return "saxpy"; }
  std::string text() const override { return "y = a*x + y over n floats"; }
  std::vector<Variant> variants() override {
    std::vector<Variant> all = {variant("CPU, one thread", saxpy_serial),
                                variant("CPU, all threads", saxpy_parallel)};
    for (Variant& more : device_saxpy_variants(kA, x_.span(), y_.span(), runs_))
      all.push_back(std::move(more));
    return all;
  }
  double bytes(std::uint64_t n) const override { return 12.0 * static_cast<double>(n); }
  bool is_right(std::uint64_t n) const override {
    const float added = kA * static_cast<float>(runs_);
    return all_of(n, [&](std::uint64_t i) { return y_[i] == added * x_of(i) + y_of(i); });
  }
  void spoil(std::uint64_t n) override {
    runs_ = 0;
    fill(y_, n, y_of);
  }

 private:
  using Function = void (*)(float, std::span<const float>, std::span<float>);

  Variant variant(const char* name, Function function) {
    return {name, [this, function](std::uint64_t n, int repeats) {
              return time_on_cpu(repeats, [&] {
                function(kA, x_.span().first(n), y_.span().first(n));
                ++runs_;
              });
            }};
  }

  Buffer<float> x_, y_;
  int runs_ = 0;  // runs of a variant on y since spoil()
};

}  // namespace

std::unique_ptr<Primitive> make_saxpy(std::uint64_t largest) {
  return std::make_unique<Saxpy>(largest);
}

}  // namespace roundel::primitives
