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

/// Bytes that can be read anywhere, from many threads at once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual void read_at(std::uint64_t offset, std::span<std::byte> bytes) const = 0;
  /// Reads records, and into `texts` those that have places there (Element::Kind::kPlace).
  virtual void read_records(std::uint64_t offset, std::span<std::byte> records,
                            std::string& /*texts*/) const {
    read_at(offset, records);
  }
  /// How many are best read at once.
  virtual std::uint64_t run_bytes() const { return std::uint64_t{1} << 16; }  // stays in L2
  virtual std::uint64_t memory_bytes() const { return 0; }
  /// True where they are as they stand in the file.
  virtual bool is_plain() const { return false; }
};

/// The file's own, from `offset` on.
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

/// Records of the same number of bytes, one a row, without a gap between them.
struct RecordRun {
  std::shared_ptr<const ByteSource> bytes;
  std::uint64_t offset = 0;                ///< of the first row's
  std::uint64_t record_bytes = 0;          ///< 1 to kMaxTableRowBytes
  std::optional<std::uint64_t> rows = {};  ///< absent: those of the table
};

/// A column whose elements lie in records.
struct ArrayColumn {
  std::string name;
  Element element;
  std::size_t run = 0;       ///< which records
  std::uint64_t offset = 0;  ///< in a record
};

/// A table of records that lie in a file, or are unpacked from it: [n, k] and structured arrays are
/// one run of records, those in Fortran order and arrays that are a column each are many.
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
  /// Numbers of a column that begins at `in`, of rows from `first` on.
  void read_column(std::size_t column, const std::byte* in, std::uint64_t first,
                   std::span<double> out) const;

  std::vector<RecordRun> runs_;
  std::vector<ArrayColumn> array_columns_;
};

}  // namespace roundel
