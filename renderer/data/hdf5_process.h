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

/// Tenths of a second without any byte of an answer (5 minutes) after which a request fails. The
/// helper limits its own processor time: only the file system can take this long. A process that
/// was stopped meanwhile continues.
inline std::atomic<int> max_hdf5_waits{3000};

/// A process of the helper program roundel-hdf5, which reads one file after another. A broken file
/// can crash libhdf5: then only the helper ends. A fork of this process can only destroy the
/// object.
class Hdf5Process {
 public:
  /// Returns an idle process, or starts one in some milliseconds. `path` is for messages, also of
  /// ask(). Throws Error(kRuntimeFailure), and as find_module() does.
  static std::unique_ptr<Hdf5Process> take(const std::string& path);
  /// Closes the process's file and keeps the process for another.
  static void give_back(std::unique_ptr<Hdf5Process> process);
  /// Kills the process.
  ~Hdf5Process() { end(); }
  Hdf5Process(const Hdf5Process&) = delete;
  Hdf5Process& operator=(const Hdf5Process&) = delete;

  /// False in a fork of the process that started it.
  bool is_own() const;
  /// Sends a request; one that opens a file has `name` and the open file. Returns the size of the
  /// extra bytes that follow the requested ones. Throws Error "PATH: ..." if the answer is an error
  /// or does not come.
  std::uint64_t ask(const Hdf5Question& question, const std::string& name = "", int file = -1);
  /// Receives some bytes of the answer.
  void receive(void* bytes, std::size_t size);
  /// Peak main memory of the process for the file.
  std::uint64_t peak_memory() const { return peak_memory_; }

 private:
  Hdf5Process() = default;
  void start();
  bool send(Hdf5Question question, int file) const;
  [[noreturn]] void fail();
  int end();

  std::string program_, path_;
  pid_t process_ = 0, owner_ = 0;
  int socket_ = -1;
  bool has_started_ = false, is_late_ = false;
  std::uint64_t peak_memory_ = 0;
};

}  // namespace roundel
