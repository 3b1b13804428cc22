#include "renderer/raster/cuda/stream.h"

#include <sys/prctl.h>

#include <array>
#include <thread>

#include "renderer/base/wait_queue.h"

namespace roundel::cuda {
namespace {

/// After a longer wait the next one ends by an interrupt.
constexpr std::chrono::milliseconds kLongWait{2};

/// Lines by device number.
std::array<WaitQueue, 64> waiting_lines;

/// Returns null for other devices.
WaitQueue* find_line(int device) {
  const auto number = static_cast<std::size_t>(device);
  return number < waiting_lines.size() ? &waiting_lines[number] : nullptr;
}

/// Returns cudaErrorNotReady while the event is pending.
cudaError_t poll(cudaEvent_t event) {
  const cudaError_t state = cudaEventQuery(event);
  if (state == cudaErrorNotReady) cudaGetLastError();  // counts as an error
  return state;
}

void sleep_briefly() {
  // Else the system may wake the thread 50 µs late.
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
  if (blocking_ != nullptr) cudaEventDestroy(blocking_);
  if (polled_ != nullptr) cudaEventDestroy(polled_);
  cudaStreamDestroy(stream_);
}

void Stream::wait() {
  WaitQueue* const line = last_wait_ < kLongWait ? find_line(device_) : nullptr;
  cudaEvent_t& end = line != nullptr ? polled_ : blocking_;
  const unsigned flags = (line != nullptr ? 0 : cudaEventBlockingSync) | cudaEventDisableTiming;
  if (end == nullptr) ROUNDEL_CUDA_CHECK(cudaEventCreateWithFlags(&end, flags));
  ROUNDEL_CUDA_CHECK(cudaEventRecord(end, stream_));
  const auto start = std::chrono::steady_clock::now();
  const auto poll_until_done = [&] {
    cudaError_t state = poll(end);
    for (; state == cudaErrorNotReady; state = poll(end)) sleep_briefly();
    ROUNDEL_CUDA_CHECK(state);
  };
  if (line != nullptr)
    line->wait(poll_until_done, [&] { return poll(end) == cudaSuccess; });
  else
    ROUNDEL_CUDA_CHECK(cudaEventSynchronize(end));
  last_wait_ = std::chrono::steady_clock::now() - start;
}

bool Event::is_reached() const {
  const cudaError_t state = poll(event_);
  if (state != cudaErrorNotReady) ROUNDEL_CUDA_CHECK(state);
  return state == cudaSuccess;
}

}  // namespace roundel::cuda
