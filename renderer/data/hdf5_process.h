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

/// Tenths of a second without a byte of an answer, 5 minutes, after which a question has failed.
/// The helper limits its processor time itself: what takes so long is the file system. A process
/// that was stopped meanwhile goes on.
inline std::atomic<int> max_hdf5_waits{3000};

/// A process of the helper program roundel-hdf5, which reads one file after the other. Broken files
/// can crash libhdf5: the helper then ends, and this process goes on. A process that is forked from
/// this one can only destroy the object.
class Hdf5Process {
 public:
  /// Returns an idle one, or starts one, which takes some milliseconds. `path` is for messages of
  /// this function and of ask(). Throws Error(kRuntimeFailure), also as find_module() does.
  static std::unique_ptr<Hdf5Process> take(const std::string& path);
  /// Keeps it for another file, without the one that it has open.
  static void give_back(std::unique_ptr<Hdf5Process> process);
  /// Ends the process, whatever it does.
  ~Hdf5Process() { end(); }
  Hdf5Process(const Hdf5Process&) = delete;
  Hdf5Process& operator=(const Hdf5Process&) = delete;

  /// False in a process that was forked from the one that has started it.
  bool is_own() const;
  /// Asks a question, with `name` and an open file where it opens one. Returns how many bytes of
  /// the answer follow beyond those that the question is for. Throws Error "PATH: ..." if the
  /// answer is an error, or if none comes.
  std::uint64_t ask(const Hdf5Question& question, const std::string& name = "", int file = -1);
  /// Receives some of these bytes.
  void receive(void* bytes, std::size_t size);
  /// Most main memory that the process has taken for the file.
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
