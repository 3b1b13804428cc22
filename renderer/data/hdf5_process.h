#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "renderer/base/error.h"
#include "renderer/data/hdf5_protocol.h"

namespace roundel {

/// Tenths of a second without a byte of an answer, 5 minutes, until a request fails. The helper
/// limits its processor time: only the file system can take this long.
inline std::atomic<int> max_hdf5_waits{3000};

/// A process of roundel-hdf5, which reads one file after another. Broken files can crash libhdf5:
/// then only this process ends. A fork of Roundel can only destroy the object.
class Hdf5Process {
 public:
  /// Returns an idle process, or starts one in some milliseconds. `path`: for messages. Throws
  /// Error(kRuntimeFailure), and as find_module() does.
  static std::unique_ptr<Hdf5Process> take(const std::string& path);
  /// Closes the file and keeps the process.
  static void return_to_pool(std::unique_ptr<Hdf5Process> process);
  ~Hdf5Process() { end(); }
  Hdf5Process(const Hdf5Process&) = delete;
  Hdf5Process& operator=(const Hdf5Process&) = delete;

  /// False in a fork.
  bool is_own() const;
  /// `name`, `file`: to open a file. Returns the size of the extra bytes after the requested ones.
  /// Throws Error "PATH: ..." if the answer is an error or does not come.
  std::uint64_t send_request(const Hdf5Request& request, const std::string& name = "",
                             int file = -1);
  /// Receives bytes of the answer.
  void receive(void* bytes, std::size_t size);
  /// Peak for the file.
  std::uint64_t peak_memory() const { return peak_memory_; }

 private:
  Hdf5Process() = default;
  void start();
  bool send(Hdf5Request request, int file) const;
  [[noreturn]] void fail();
  int end();

  std::string program_, path_;
  pid_t process_ = 0, owner_ = 0;
  int socket_ = -1;
  bool has_started_ = false, is_late_ = false;
  std::uint64_t peak_memory_ = 0;
};

}  // namespace roundel
