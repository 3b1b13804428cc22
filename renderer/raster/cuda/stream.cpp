#include "renderer/raster/cuda/stream.h"

#include <sys/prctl.h>

#include <array>
#include <thread>

#include "renderer/base/waiting_line.h"

namespace roundel::cuda {
namespace {

/// After a wait that took longer the next one ends with an interrupt: so few do no harm.
constexpr std::chrono::milliseconds kLongWait{2};

/// Of devices by their numbers.
std::array<WaitingLine, 64> waiting_lines;

/// Null for devices beyond those.
WaitingLine* find_line(int device) {
  const auto number = static_cast<std::size_t>(device);
  return number < waiting_lines.size() ? &waiting_lines[number] : nullptr;
}

/// cudaErrorNotReady where it has not come to its end.
cudaError_t look_at(cudaEvent_t event) {
  const cudaError_t state = cudaEventQuery(event);
  if (state == cudaErrorNotReady) cudaGetLastError();  // which counts as an error
  return state;
}

void nap() {
  // Else the system may wake the thread 50 µs late, together with others.
  thread_local const int is_punctual = prctl(PR_SET_TIMERSLACK, 1);
  static_cast<void>(is_punctual);
  std::this_thread::sleep_for(std::chrono::microseconds(30));
}

}  // namespace

Stream::Stream() {
  ROUNDEL_CUDA_CHECK(cudaGetDevice(&device_));
  ROUNDEL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

Stream::~Stream() {
  if (wakes_ != nullptr) cudaEventDestroy(wakes_);
  if (looked_at_ != nullptr) cudaEventDestroy(looked_at_);
  cudaStreamDestroy(stream_);
}

void Stream::wait() {
  WaitingLine* const line = last_wait_ < kLongWait ? find_line(device_) : nullptr;
  cudaEvent_t& end = line != nullptr ? looked_at_ : wakes_;
  const unsigned flags = (line != nullptr ? 0 : cudaEventBlockingSync) | cudaEventDisableTiming;
  if (end == nullptr) ROUNDEL_CUDA_CHECK(cudaEventCreateWithFlags(&end, flags));
  ROUNDEL_CUDA_CHECK(cudaEventRecord(end, stream_));
  const auto start = std::chrono::steady_clock::now();
  const auto look_until_it_ends = [&] {
    cudaError_t state = look_at(end);
    for (; state == cudaErrorNotReady; state = look_at(end)) nap();
    ROUNDEL_CUDA_CHECK(state);
  };
  if (line != nullptr)
    line->wait(look_until_it_ends, [&] { return look_at(end) == cudaSuccess; });
  else
    ROUNDEL_CUDA_CHECK(cudaEventSynchronize(end));
  last_wait_ = std::chrono::steady_clock::now() - start;
}

bool Event::has_come() const {
  const cudaError_t state = look_at(event_);
  if (state != cudaErrorNotReady) ROUNDEL_CUDA_CHECK(state);
  return state == cudaSuccess;
}

}  // namespace roundel::cuda
