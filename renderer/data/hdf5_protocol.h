#pragma once
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

// Messages between Roundel and its helper program roundel-hdf5, which reads HDF5 files: requests
// and answers alternate over a pair of sockets. Both sides come from one build, so values travel in
// their memory layout.
namespace roundel {

/// Requests bytes of a run's records.
struct Hdf5Question {
  std::uint64_t run, offset, size;
};
/// Run of the request that opens a file and carries its descriptor. The dataset's name follows,
/// `offset` bytes.
inline constexpr std::uint64_t kHdf5Open = ~std::uint64_t{0};
/// Run of the request that closes the file; it has no answer.
inline constexpr std::uint64_t kHdf5Close = kHdf5Open - 1;

/// Start of an answer. `size` bytes follow: with a nonzero exit code an error's text without the
/// path; else a table's description, or records and then the texts outside of them.
struct Hdf5Answer {
  std::uint64_t exit_code, peak_memory, size;
};

/// A description has this, runs, columns, and texts that end with a zero each: the columns' names;
/// name and reason for each dataset that is not a column.
struct Hdf5Counts {
  std::uint64_t runs, columns;
};
struct Hdf5Run {
  std::uint64_t rows, record_bytes, run_bytes, offset, is_in_file;  ///< offset: in the file
};
struct Hdf5Column {
  std::uint64_t run, offset, kind, is_big_endian, size;  ///< the last three: an Element's
};

/// Datasets with larger chunks are refused.
inline constexpr std::uint64_t kMaxHdf5ChunkBytes = std::uint64_t{256} << 20;

inline bool send_bytes(int socket, const void* bytes, std::size_t size) {
  const auto* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = ::send(socket, next, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    next += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// Receives `size` bytes. Returns false if the other side is gone, or if keep_waiting() does, which
/// is called after each timeout of the socket without bytes.
template <typename KeepWaiting>
bool receive_bytes(int socket, void* bytes, std::size_t size, const KeepWaiting& keep_waiting) {
  auto* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = ::recv(socket, next, size, 0);
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && keep_waiting()))) continue;
    if (got <= 0) return false;
    next += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace roundel
