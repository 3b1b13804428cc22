#pragma once
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

// Messages between Roundel and its helper program roundel-hdf5: requests and answers alternate over
// a pair of sockets. Both sides come from one build, so values have their memory layout.
namespace roundel {

/// Requests bytes of a run's records.
struct Hdf5Request {
  std::uint64_t run, offset, size;
};
/// Run of the request that opens a file, with its descriptor. `offset` bytes follow, the dataset's
/// name.
inline constexpr std::uint64_t kHdf5Open = ~std::uint64_t{0};
/// Run of the request that closes the file, without an answer.
inline constexpr std::uint64_t kHdf5Close = kHdf5Open - 1;

/// Start of an answer. `size` bytes follow: if the exit code is not 0, an error's text without the
/// path; else a table's description, or records and then their texts.
struct Hdf5Answer {
  std::uint64_t exit_code, peak_memory, size;
};

/// A description: this, runs, columns, and texts ended by zeros: names of columns; name and reason
/// for each other dataset.
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

/// Returns false if the other side is gone, or if keep_waiting() does, called after each timeout of
/// the socket.
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
