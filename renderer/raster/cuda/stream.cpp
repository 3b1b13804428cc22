#include "renderer/raster/cuda/stream.h"

#include <array>
#include <atomic>
#include <thread>

#include "renderer/base/waiting_line.h"

namespace roundel::cuda {
namespace {

/// Processors for each device at least, one of which polls.
constexpr unsigned kProcessors = 4;
/// After a wait that took longer the next one sleeps: so few interrupts do no harm.
constexpr std::chrono::milliseconds kLongWait{2};

/// A device, as this process uses it.
struct DeviceInUse {
  std::atomic<int> streams{0};
  WaitingLine waiting;
};
std::array<DeviceInUse, 64> devices;
std::atomic<unsigned> num_devices{0};  // that have streams

/// Null for devices beyond those.
DeviceInUse* find(int device) {
  const auto number = static_cast<std::size_t>(device);
  return number < devices.size() ? &devices[number] : nullptr;
}

bool has_ended(cudaEvent_t event) {
  if (cudaEventQuery(event) == cudaSuccess) return true;
  cudaGetLastError();  // that it is not ready counts as one
  return false;
}

}  // namespace

Stream::Stream() {
  ROUNDEL_CUDA_CHECK(cudaGetDevice(&device_));
  ROUNDEL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  DeviceInUse* const device = find(device_);
  if (device != nullptr && device->streams.fetch_add(1) == 0) ++num_devices;
}

Stream::~Stream() {
  DeviceInUse* const device = find(device_);
  if (device != nullptr && device->streams.fetch_sub(1) == 1) --num_devices;
  if (wakes_ != nullptr) cudaEventDestroy(wakes_);
  if (polled_ != nullptr) cudaEventDestroy(polled_);
  cudaStreamDestroy(stream_);
}

void Stream::wait() {
  const bool polls = this->polls();
  cudaEvent_t& end = polls ? polled_ : wakes_;
  const unsigned flags = (polls ? 0 : cudaEventBlockingSync) | cudaEventDisableTiming;
  if (end == nullptr) ROUNDEL_CUDA_CHECK(cudaEventCreateWithFlags(&end, flags));
  ROUNDEL_CUDA_CHECK(cudaEventRecord(end, stream_));
  const auto start = std::chrono::steady_clock::now();
  const auto wait_alone = [&] { ROUNDEL_CUDA_CHECK(cudaEventSynchronize(end)); };
  if (polls)
    find(device_)->waiting.wait(wait_alone, [&] { return has_ended(end); });
  else
    wait_alone();
  last_wait_ = std::chrono::steady_clock::now() - start;
}

/// True where several devices are at work, with processors to spare for each.
bool Stream::polls() const {
  static const unsigned processors = std::thread::hardware_concurrency();
  return num_devices > 1 && processors >= kProcessors * num_devices && find(device_) != nullptr &&
         last_wait_ < kLongWait;
}

}  // namespace roundel::cuda
