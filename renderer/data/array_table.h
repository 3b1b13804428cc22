#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "renderer/data/element.h"
#include "renderer/data/table.h"

namespace roundel {

/// Random access to bytes. Thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual void read_at(std::uint64_t offset, std::span<std::byte> bytes) const = 0;
  /// Also reads the texts that the records refer to (Element::Kind::kPlace).
  virtual void read_records(std::uint64_t offset, std::span<std::byte> records,
                            std::string& /*texts*/) const {
    read_at(offset, records);
  }
  /// Best size of a read.
  virtual std::uint64_t run_bytes() const { return std::uint64_t{1} << 16; }  // fits in L2
  virtual std::uint64_t memory_bytes() const { return 0; }
  /// True if the file holds these bytes unpacked.
  virtual bool is_plain() const { return false; }
};

/// Bytes of the file from `offset` on.
class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(std::shared_ptr<const InputFile> file, std::uint64_t offset = 0)
      : file_(std::move(file)), offset_(offset) {}
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    file_->read_at(offset_ + offset, bytes);
  }
  bool is_plain() const override { return true; }

 private:
  std::shared_ptr<const InputFile> file_;
  std::uint64_t offset_;
};

/// Adjacent records of equal size, one per row.
struct RecordRun {
  std::shared_ptr<const ByteSource> bytes;
  std::uint64_t offset = 0;                ///< first row's record, in `bytes`
  std::uint64_t record_bytes = 0;          ///< 1 to kMaxTableRowBytes
  std::optional<std::uint64_t> rows = {};  ///< absent: as many as the table
};

struct ArrayColumn {
  std::string name;
  Element element;
  std::size_t run = 0;       ///< index of its run
  std::uint64_t offset = 0;  ///< in a record
};

/// A table of records in a file, stored or packed: one run for [n, k] and structured arrays, a run
/// per column for Fortran order and for an array per column.
class ArrayTable final : public Table {
 public:
  ArrayTable(std::shared_ptr<const InputFile> file, std::vector<RecordRun> runs,
             std::vector<ArrayColumn> columns, std::uint64_t rows);
  std::uint64_t memory_bytes() const override;

  void read_order_keys(std::size_t column, std::uint64_t first, bool descending,
                       std::span<std::uint64_t> keys) const override;

 private:
  std::shared_ptr<const Table> with_rows(std::uint64_t rows) const override;
  void read_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const override;
  /// `in`: element of row `first`.
  void read_column(std::size_t column, const std::byte* in, std::uint64_t first,
                   std::span<double> out) const;

  std::vector<RecordRun> runs_;
  std::vector<ArrayColumn> array_columns_;
};

}  // namespace roundel
