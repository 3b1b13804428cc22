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

/// A column somewhere in memory, which must stay as it is while its table is used.
struct MemoryColumn {
  std::string name;
  std::string type;        ///< in NumPy's words, such as <f4 or |u1
  const std::byte* first;  ///< its first element
  std::size_t stride;      ///< bytes from element to element
  std::shared_ptr<const void> owner;
};

/// A table of columns that a caller has in memory. They are not copied. It stands for the .npy file
/// that write() makes: its hash is that file's.
class ColumnTable final : public Table {
 public:
  /// `name` stands for a path in messages. Throws Error(kInvalidScene) "NAME: …".
  ColumnTable(std::string name, std::vector<MemoryColumn> columns, std::uint64_t rows);
  /// A structured array [rows]. Throws Error.
  void write(AtomicFile& file) const;

  void read_order_keys(std::size_t column, std::uint64_t first, bool descending,
                       std::span<std::uint64_t> keys) const override;

 private:
  void read_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const override;
  void visit_bytes(const VisitBytes& visit) const override;

  /// Where the elements of one of the table's columns lie.
  struct Place {
    Element element;
    const std::byte* first;
    std::size_t stride;
  };
  /// Where an element of an array lies in a record of the file.
  struct Part {
    std::size_t offset, size;
  };
  std::vector<MemoryColumn> memory_;
  std::vector<Part> parts_;  ///< of memory_
  std::vector<Place> places_;
  std::string header_;
  std::size_t record_bytes_ = 0;
};

}  // namespace roundel
