#pragma once
#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/data/array_table.h"

// What the process that reads HDF5 and the one that it reads for say to each other.
namespace roundel {

/// What the child says first.
inline constexpr std::byte kReady{1};

/// One end of a connection between the two processes. False: the other one is gone.
class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}

  bool send(const void* bytes, std::size_t size) const {
    const auto* next = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t sent = ::send(socket_, next, size, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      next += sent;
      size -= static_cast<std::size_t>(sent);
    }
    return true;
  }
  bool receive(void* bytes, std::size_t size) const {
    auto* next = static_cast<char*>(bytes);
    while (size > 0) {
      const ssize_t got = ::recv(socket_, next, size, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      next += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }
  template <typename T>
  bool send(const T& value) const {
    return send(&value, sizeof(value));
  }
  template <typename T>
  bool receive(T& value) const {
    return receive(&value, sizeof(value));
  }
  bool send_text(const std::string& text) const {
    return send(std::uint64_t{text.size()}) && send(text.data(), text.size());
  }
  bool receive_text(std::string& text) const {
    std::uint64_t size = 0;
    if (!receive(size)) return false;
    text.resize(size);
    return receive(text.data(), size);
  }

 private:
  int socket_;
};

/// A question: rows of a run.
struct RowsAsked {
  std::uint64_t run, offset, size;
};
/// What an answer begins with.
struct Outcome {
  std::int32_t exit_code = 0;     ///< but for 0 the error's text follows
  std::uint64_t most_memory = 0;  ///< that the child has had beyond what it has from its parent
};
/// What the parent knows of a run; all else stays in the child.
struct RunHead {
  std::uint64_t offset, record_bytes, run_bytes;
  bool is_in_file, has_pointers;
  bool operator==(const RunHead&) const = default;
};
/// What a child finds in the file.
struct Found {
  std::uint64_t rows = 0;
  std::vector<RunHead> heads;
  std::vector<ArrayColumn> columns;
};

/// Where in a run's records texts are pointed to.
inline std::vector<std::uint64_t> pointers_of(const std::vector<ArrayColumn>& columns,
                                              std::size_t run) {
  std::vector<std::uint64_t> offsets;
  for (const ArrayColumn& column : columns)
    if (column.run == run && column.element.kind == Element::Kind::kPointer)
      offsets.push_back(column.offset);
  return offsets;
}

template <typename Visit>
void for_each_pointer(std::span<std::byte> records, std::uint64_t record_bytes,
                      const std::vector<std::uint64_t>& offsets, const Visit& visit) {
  for (std::size_t row = 0; row + record_bytes <= records.size(); row += record_bytes)
    for (const std::uint64_t offset : offsets) visit(records.data() + row + offset);
}

}  // namespace roundel
