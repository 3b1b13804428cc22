#include "tools/lab/primitives/cuda/device_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "renderer/base/error.h"
#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/rasterizer.h"
#include "tools/lab/primitives/cuda/saxpy.h"
#include "tools/lab/primitives/cuda/scan.h"
#include "tools/lab/primitives/cuda/select.h"

namespace roundel::primitives {
namespace {

/// Page-locked memory of the host, for `count` floats.
class LockedFloats {
 public:
  explicit LockedFloats(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* data = nullptr;
    ROUNDEL_CUDA_CHECK(cudaMallocHost(&data, count * sizeof(float)));
    data_ = static_cast<float*>(data);
  }
  ~LockedFloats() { cudaFreeHost(data_); }
  LockedFloats(const LockedFloats&) = delete;
  LockedFloats& operator=(const LockedFloats&) = delete;
  std::span<float> span() const { return {data_, count_}; }

 private:
  float* data_ = nullptr;
  std::size_t count_;
};

/// Streams, and events to time the work in the first one.
class Timer {
 public:
  Timer() {
    ROUNDEL_CUDA_CHECK(cudaSetDevice(0));
    for (cudaStream_t& stream : streams_)
      ROUNDEL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&start_, &end_}) ROUNDEL_CUDA_CHECK(cudaEventCreate(event));
    for (cudaEvent_t& event : joined_)
      ROUNDEL_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~Timer() {
    for (cudaEvent_t event : {start_, end_}) cudaEventDestroy(event);
    for (cudaEvent_t event : joined_) cudaEventDestroy(event);
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  cudaStream_t stream() const { return streams_.front(); }
  std::span<const cudaStream_t> streams() const { return streams_; }

  /// Returns the device's milliseconds from the first stream's start of `work` to the end of all
  /// streams.
  template <typename Work>
  double milliseconds(const Work& work) {
    ROUNDEL_CUDA_CHECK(cudaEventRecord(start_, stream()));
    for (std::size_t i = 1; i < streams_.size(); ++i)
      ROUNDEL_CUDA_CHECK(cudaStreamWaitEvent(streams_[i], start_));
    work();
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      ROUNDEL_CUDA_CHECK(cudaEventRecord(joined_[i], streams_[i]));
      ROUNDEL_CUDA_CHECK(cudaStreamWaitEvent(stream(), joined_[i]));
    }
    ROUNDEL_CUDA_CHECK(cudaEventRecord(end_, stream()));
    ROUNDEL_CUDA_CHECK(cudaEventSynchronize(end_));
    float elapsed = 0;
    ROUNDEL_CUDA_CHECK(cudaEventElapsedTime(&elapsed, start_, end_));
    return elapsed;
  }

 private:
  std::array<cudaStream_t, kSaxpyStreams> streams_{};
  cudaEvent_t start_ = nullptr, end_ = nullptr;
  std::array<cudaEvent_t, kSaxpyStreams> joined_{};
};

/// Returns the number of elements whose `bytes_each` fit in the device's memory, with a margin.
std::uint64_t max_elements(std::uint64_t bytes_each) {
  std::size_t unused = 0, all = 0;
  ROUNDEL_CUDA_CHECK(cudaMemGetInfo(&unused, &all));
  return all / 10 * 9 / bytes_each;
}

/// Returns after the complete copy. A copy from ordinary memory may still be in flight when
/// cudaMemcpy() returns, and the timer's streams do not wait for it.
template <typename T>
void copy_to_device(T* to, std::span<const T> from) {
  ROUNDEL_CUDA_CHECK(cudaMemcpy(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice));
  ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());
}

template <typename T>
void copy_to_host(T* to, const T* from, std::uint64_t count) {
  ROUNDEL_CUDA_CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

/// Input and output of scans and selections on the device.
template <typename Output>
class Arrays {
 public:
  Arrays(std::span<const std::int32_t> in, std::span<Output> out)
      : host_out_(out), in_(in.size()), out_(out.size()), result_(1) {
    copy_to_device(in_.data(), in);
  }

  /// Times `work` on the first n elements; copies the result, of which `count_of(result)` elements
  /// count, to `result`.
  template <typename Work, typename CountOf>
  Timing run(std::uint64_t n, int repeats, std::int64_t& result, const Work& work,
             const CountOf& count_of) {
    // Makes unwritten elements wrong.
    ROUNDEL_CUDA_CHECK(cudaMemset(out_.data(), 0xFF, n * sizeof(Output)));
    ROUNDEL_CUDA_CHECK(cudaMemset(result_.data(), n == 0 ? 0 : 0xFF, sizeof(std::int64_t)));
    ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());
    const Timing timing = time_repeatedly(repeats, [&] {
      return timer.milliseconds([&] {
        if (n > 0) work();
      });
    });
    copy_to_host(&result, result_.data(), 1);
    copy_to_host(host_out_.data(), out_.data(), std::min<std::uint64_t>(n, count_of(result)));
    return timing;
  }

  const std::int32_t* in() const { return in_.data(); }
  Output* out() const { return out_.data(); }
  std::int64_t* result() const { return result_.data(); }

  Timer timer;
  Scratch scratch;

 private:
  std::span<Output> host_out_;
  cuda::DeviceBuffer<std::int32_t> in_;
  cuda::DeviceBuffer<Output> out_;
  cuda::DeviceBuffer<std::int64_t> result_;
};

/// Made by the first row that uses it.
template <typename Output>
using SharedArrays = std::shared_ptr<std::unique_ptr<Arrays<Output>>>;

template <typename Output>
Arrays<Output>& arrays_of(const SharedArrays<Output>& shared, std::span<const std::int32_t> in,
                          std::span<Output> out) {
  if (!*shared) *shared = std::make_unique<Arrays<Output>>(in, out);
  return **shared;
}

constexpr std::uint64_t kInAndOut = 8;  ///< bytes an element of input and output

}  // namespace

std::string missing_device_reason() {
  try {
    return cuda_devices().empty() ? "no CUDA device" : "";
  } catch (const Error& error) {  // a failing driver counts as a missing device
    return error.what();
  }
}

std::vector<Variant> device_saxpy_variants(float a, std::span<const float> x, std::span<float> y,
                                           int& runs) {
  if (!missing_device_reason().empty()) return {};
  struct State {
    explicit State(std::size_t n) : x(n), y(n) {}
    Timer timer;
    cuda::DeviceBuffer<float> x, y;
  };
  const auto shared = std::make_shared<std::unique_ptr<State>>();
  const auto state_of = [shared, x]() -> State& {
    if (!*shared) *shared = std::make_unique<State>(x.size());
    return **shared;
  };
  const auto kernel = [=, &runs](std::uint64_t n, int repeats) {
    State& state = state_of();
    copy_to_device(state.x.data(), x.first(n));
    copy_to_device(state.y.data(), std::span<const float>(y.first(n)));
    const Timing timing = time_repeatedly(repeats, [&] {
      ++runs;
      return state.timer.milliseconds(
          [&] { saxpy_device(a, state.x.data(), state.y.data(), n, state.timer.stream()); });
    });
    copy_to_host(y.data(), state.y.data(), n);
    return timing;
  };
  const auto pageable = [=, &runs](std::uint64_t n, int repeats) {
    State& state = state_of();
    return time_repeatedly(repeats, [&] {
      ++runs;
      return state.timer.milliseconds([&] {
        saxpy_with_copies(a, {x.first(n), y.first(n), state.x.data(), state.y.data()},
                          state.timer.stream());
      });
    });
  };
  const auto locked = [=, &runs](std::uint64_t n, int repeats, bool overlaps) {
    State& state = state_of();
    const LockedFloats locked_x(n), locked_y(n);
    std::copy_n(x.begin(), n, locked_x.span().begin());
    std::copy_n(y.begin(), n, locked_y.span().begin());
    const SaxpyThroughDevice arrays{locked_x.span(), locked_y.span(), state.x.data(),
                                    state.y.data()};
    const Timing timing = time_repeatedly(repeats, [&] {
      ++runs;
      return state.timer.milliseconds([&] {
        if (overlaps)
          saxpy_overlapped(a, arrays, state.timer.streams());
        else
          saxpy_with_copies(a, arrays, state.timer.stream());
      });
    });
    std::copy_n(locked_y.span().begin(), n, y.begin());
    return timing;
  };
  const std::uint64_t most = max_elements(kInAndOut);
  return {
      {"GPU, kernel", kernel, true, most},
      {"GPU, pageable copies", pageable, true, most},
      {"GPU, page-locked copies",
       [locked](std::uint64_t n, int repeats) { return locked(n, repeats, false); }, true, most},
      {"GPU, page-locked, overlapped",
       [locked](std::uint64_t n, int repeats) { return locked(n, repeats, true); }, true, most}};
}

std::vector<Variant> device_scan_variants(std::span<const std::int32_t> in,
                                          std::span<std::int32_t> out, std::int64_t& total,
                                          bool& has_total) {
  if (!missing_device_reason().empty()) return {};
  struct Way {
    const char* name;
    void (*scan)(const DeviceScan&);
    std::uint64_t scratch_bytes;  ///< for each element
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  };
  std::vector<Way> ways = {
      {"GPU, naive", scan_naive, 4},
      {"GPU, tree, all threads", scan_tree, 8},
      {"GPU, tree, active threads", scan_tree_active, 8},
      {"GPU, one block, static", scan_one_block_static, 0, kOneBlockStatic},
      {"GPU, one block, static, padded", scan_one_block_static_padded, 0, kOneBlockStatic},
      {"GPU, one block, dynamic", scan_one_block_dynamic, 0, kOneBlockDynamic},
      {"GPU, one block, dynamic, padded", scan_one_block_dynamic_padded, 0, kOneBlockDynamic},
      {"GPU, blocks, sums by host", scan_blocks_host_sums, 1},
      {"GPU, blocks, recursive", scan_blocks_tree, 1},
      {"GPU, blocks, shuffles", scan_blocks_shuffles, 1},
      {"GPU, look-back", scan_look_back, 1},
  };
  if (has_bulk_copies()) ways.push_back({"GPU, bulk copies", scan_bulk, 1});
  ways.push_back({"GPU, single pass by n", scan_single_pass, 1});
  ways.push_back({"GPU, CUB DeviceScan", scan_cub, 1});

  const auto shared = std::make_shared<std::unique_ptr<Arrays<std::int32_t>>>();
  std::vector<Variant> variants;
  for (const Way& way : ways) {
    const auto run = [=, &total, &has_total](std::uint64_t n, int repeats) {
      auto& arrays = arrays_of<std::int32_t>(shared, in, out);
      has_total = way.scan != scan_cub || n == 0;
      return arrays.run(
          n, repeats, total,
          [&] {
            way.scan({arrays.in(), arrays.out(), arrays.result(), n, arrays.scratch,
                      arrays.timer.stream()});
          },
          [n](std::int64_t) { return n; });
    };
    variants.push_back(
        {way.name, run, true, std::min(way.most, max_elements(kInAndOut + way.scratch_bytes))});
  }
  return variants;
}

namespace {

template <typename Selection>
struct SelectWay {
  const char* name;
  std::function<void(const DeviceSelect<Selection>&)> select;
  std::uint64_t scratch_bytes;  ///< for each element
  bool needs_flags = false;     ///< written before, untimed
};

/// Map, scan and scatter with each scan that supports any n.
template <typename Selection>
std::vector<SelectWay<Selection>> scanning_ways() {
  const auto by = [](void (*scan)(const DeviceScan&)) {
    return [scan](const DeviceSelect<Selection>& select) { select_by_scan(select, scan); };
  };
  return {{"GPU, map, naive scan, scatter", by(scan_naive), 12},
          {"GPU, map, tree scan, scatter", by(scan_tree_active), 16},
          {"GPU, map, blocks' scan, scatter", by(scan_blocks_shuffles), 9},
          {"GPU, map, single pass, scatter", by(scan_single_pass), 9}};
}

/// Ballots, and one fused pass if the device supports it.
template <typename Selection>
void add_faster_ways(std::vector<SelectWay<Selection>>& ways) {
  ways.push_back({"GPU, ballots", select_by_ballots<Selection>, 1});
  if (has_bulk_copies()) ways.push_back({"GPU, one fused pass", select_bulk<Selection>, 1});
}

template <typename Selection>
std::vector<Variant> select_variants(const std::vector<SelectWay<Selection>>& ways,
                                     Selection selection, std::span<const std::int32_t> in,
                                     std::span<typename Selection::Output> out,
                                     std::uint64_t& count) {
  using Output = typename Selection::Output;
  const auto shared = std::make_shared<std::unique_ptr<Arrays<Output>>>();
  std::vector<Variant> variants;
  for (const SelectWay<Selection>& way : ways) {
    const auto run = [=, &count](std::uint64_t n, int repeats) {
      auto& arrays = arrays_of<Output>(shared, in, out);
      const DeviceSelect<Selection> select{arrays.in(), arrays.out(),   arrays.result(),      n,
                                           selection,   arrays.scratch, arrays.timer.stream()};
      if constexpr (Selection::kLacking == 0) {
        if (way.needs_flags && n > 0) write_flags(select);
      }
      std::int64_t found = 0;
      const Timing timing = arrays.run(
          n, repeats, found, [&] { way.select(select); },
          [](std::int64_t result) {
            return static_cast<std::uint64_t>(std::max<std::int64_t>(result, 0));
          });
      count = static_cast<std::uint64_t>(found);
      return timing;
    };
    variants.push_back({way.name, run, true, max_elements(kInAndOut + way.scratch_bytes)});
  }
  return variants;
}

}  // namespace

std::vector<Variant> device_compaction_variants(std::span<const std::int32_t> in,
                                                std::span<std::int32_t> out, std::uint64_t& count) {
  if (!missing_device_reason().empty()) return {};
  auto ways = scanning_ways<KeepNonZero>();
  add_faster_ways(ways);
  ways.push_back({"GPU, CUB DeviceSelect::If", select_cub<KeepNonZero>, 1});
  ways.push_back({"GPU, CUB Flagged (flags given)", select_cub_flagged<KeepNonZero>, 5, true});
  return select_variants<KeepNonZero>(ways, {}, in, out, count);
}

std::vector<Variant> device_selection_variants(std::span<const std::int32_t> in, std::int32_t limit,
                                               std::span<std::int32_t> out, std::uint64_t& count) {
  if (!missing_device_reason().empty()) return {};
  std::vector<SelectWay<KeepBelow>> ways;
  add_faster_ways(ways);
  ways.push_back({"GPU, CUB DeviceSelect::If", select_cub<KeepBelow>, 1});
  return select_variants<KeepBelow>(ways, {limit}, in, out, count);
}

std::vector<Variant> device_find_repeats_variants(std::span<const std::int32_t> in,
                                                  std::span<std::uint32_t> out,
                                                  std::uint64_t& count) {
  if (!missing_device_reason().empty()) return {};
  auto ways = scanning_ways<KeepRepeated>();
  add_faster_ways(ways);
  ways.push_back({"GPU, CUB DeviceSelect::If", select_cub<KeepRepeated>, 1});
  return select_variants<KeepRepeated>(ways, {}, in, out, count);
}

}  // namespace roundel::primitives
