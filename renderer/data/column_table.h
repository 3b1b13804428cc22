#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/data/npy_header.h"
#include "renderer/data/table.h"

namespace roundel {

class AtomicFile;

/// A column in the caller's memory, constant while its table exists.
struct MemoryColumn {
  std::string name;
  std::string type;  ///< as NumPy writes it: <f4, |u1
  const std::byte* first;
  std::size_t stride;  ///< bytes between starts of elements
  std::shared_ptr<const void> owner;
};

/// A table of columns in the caller's memory, without a copy. Its hash is that of the .npy file
/// that write() makes.
class ColumnTable final : public Table {
 public:
  /// `name` replaces the path in messages. Throws Error(kInvalidScene) "NAME: …".
  ColumnTable(std::string name, std::vector<MemoryColumn> columns, std::uint64_t rows);
  /// Writes a structured array [rows].
  void write(AtomicFile& file) const;

  void read_order_keys(std::size_t column, std::uint64_t first, bool descending,
                       std::span<std::uint64_t> keys) const override;

 private:
  void read_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const override;
  void visit_bytes(const VisitBytes& visit) const override;

  struct Place {
    Element element;
    const std::byte* first;
    std::size_t stride;
  };
  /// An array's element in a record of the file.
  struct Part {
    std::size_t offset, size;
  };
  std::vector<MemoryColumn> memory_;
  std::vector<Part> parts_;  ///< parts of memory_
  std::vector<Place> places_;
  std::string header_;
  std::size_t record_bytes_ = 0;
};

}  // namespace roundel
