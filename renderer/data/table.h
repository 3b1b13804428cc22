#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/base/input_file.h"

namespace roundel {

struct TableColumn {
  std::string name;                        ///< may be empty
  bool is_text = false;                    ///< else numbers
  double one = 1;                          ///< means 1 in a colour: 255 for uint8, 65535 for uint16
  bool fits_float = false;                 ///< its type is exact in binary32
  bool has_order_keys = false;             ///< 64-bit whole numbers, exact in read_order_keys()
  bool is_quick = true;                    ///< reading it again costs little more than copying it
  std::optional<std::uint64_t> rows = {};  ///< absent: the table's; see table_for()
  std::uint64_t text_bytes = 0;            ///< approximate maximum of the average per row
  /// Row of the first text; absent if the file declares texts.
  std::optional<std::uint64_t> first_text = {};
};

/// Line of a row. Following rows are in the following lines, up to the next entry.
struct RowLine {
  std::uint64_t row, line;
};

inline constexpr std::uint64_t kMaxTableColumns = 65'536;
/// Bytes in the file.
inline constexpr std::uint64_t kMaxTableRowBytes = std::uint64_t{16} << 20;

/// Columns of a run of rows; reused by one thread.
class TableRows {
 public:
  std::size_t count() const { return count_; }
  /// Values [count] of the k-th requested column; empty for texts.
  std::span<const double> numbers(std::size_t k) const { return columns_[k].numbers; }
  void select(std::span<const std::uint32_t> rows);
  /// Texts [count], UTF-8 as in the file, valid until the next read; empty for numbers.
  std::span<const std::string_view> texts(std::size_t k) const { return columns_[k].texts; }

  // Functions for readers:
  void start(const std::vector<TableColumn>& of_table, std::span<const std::size_t> columns,
             std::size_t count);
  std::span<double> numbers_to_fill(std::size_t k) { return columns_[k].numbers; }
  std::span<std::string_view> texts_to_fill(std::size_t k) { return columns_[k].texts; }
  /// Copies a text for the life of the run.
  std::string_view keep(std::string_view text);
  /// Buffers for readers.
  Buffer<std::byte>& scratch() { return scratch_; }
  std::string& text_buffer() { return text_buffer_; }
  /// Texts of the current records (Element::Kind::kPlace).
  std::string& placed_texts() { return placed_texts_; }
  std::uint64_t memory_bytes() const;

 private:
  struct Column {
    std::vector<double> numbers, spare_numbers;
    std::vector<std::string_view> texts, spare_texts;
  };
  std::size_t count_ = 0;
  std::vector<Column> columns_;
  std::vector<Buffer<char>> pages_;  // for texts; full before page_
  std::size_t page_ = 0, used_ = 0;
  std::vector<Buffer<char>> long_texts_;  // one text each
  std::size_t long_count_ = 0;
  Buffer<std::byte> scratch_;
  std::string text_buffer_, placed_texts_;
};

/// A file with columns, or columns in memory (column_table.h). The file stays open, so that hash
/// and values come from one file even if its name is reused. Keeps at most an index in memory. Rows
/// and columns count from 0. Reading throws as InputFile does, and Error(kInvalidScene) "PATH:
/// PLACE: …" if a row contradicts the start of the file.
class Table {
 public:
  virtual ~Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const std::string& path() const { return path_; }
  bool is_in_memory() const { return file_ == nullptr; }
  /// 1 to kMaxTableColumns, unique names.
  const std::vector<TableColumn>& columns() const { return columns_; }
  std::uint64_t rows() const { return rows_; }
  /// Rows of a column; in an NPZ they may differ, see table_for().
  std::uint64_t rows_of(std::size_t column) const { return columns_[column].rows.value_or(rows_); }
  /// Name and reason of parts that are not columns, for messages.
  using LeftOut = std::map<std::string, std::string, std::less<>>;
  void leave_out(LeftOut problems) { left_out_ = std::move(problems); }
  const LeftOut& left_out() const { return left_out_; }
  /// Advice for errors about missing columns, such as another way to read the file.
  void set_hint(std::string hint) { hint_ = std::move(hint); }
  const std::string& hint() const { return hint_; }
  /// True if all columns fit.
  bool fits_float() const;
  /// Best number of rows to read; runs that begin at its multiples are cheapest.
  std::uint64_t run_rows() const { return run_rows_; }
  /// Main memory except names of columns, with buffers of reads so far.
  virtual std::uint64_t memory_bytes() const { return 0; }
  /// memory_bytes() if opened with TableOptions::memory = `limit`.
  std::uint64_t memory_bytes_within(std::uint64_t limit) const {
    return memory_bytes() - (has_temporary_file_ ? 0 : column_bytes_) +
           (column_bytes_ <= limit ? column_bytes_ : 0);
  }
  /// True for columns in memory or in a temporary file.
  bool keeps_columns() const { return column_bytes_ > 0; }
  /// True if columns did not fit in memory.
  bool has_temporary_file() const { return has_temporary_file_; }
  /// Peak main memory of opening.
  std::uint64_t opening_bytes() const { return opening_bytes_; }
  /// Approximate maximum bytes of texts in any `rows` adjacent rows.
  std::uint64_t text_bytes(std::span<const std::size_t> columns, std::uint64_t rows) const;

  /// Reads rows from `first` on; first + count <= rows_of(). Thread-safe. Numbers are binary64;
  /// integers beyond 2⁵³ are rounded, missing numbers are NaN.
  void read(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
            TableRows& out) const;
  /// Sort keys of keys.size() rows from `first` on, for has_order_keys: they ascend, or descend,
  /// exactly with the whole numbers; 0 if missing.
  virtual void read_order_keys(std::size_t /*column*/, std::uint64_t /*first*/, bool /*descending*/,
                               std::span<std::uint64_t> /*keys*/) const {}
  /// "PATH: row 17: id: 9007199254740993 is rounded to …" for the first rounded number read so far.
  std::optional<std::string> rounding_of(std::size_t column) const;
  /// Forgets rounded numbers, since columns in memory may have changed.
  void forget_rounded() const;
  /// True if all of these columns are quick.
  bool is_quick(std::span<const std::size_t> columns) const;
  /// "row 17", or "line 19" in texts with lines.
  std::string row_place(std::uint64_t row) const;
  /// "row 17: radius", or "line 19: column radius" in texts with lines.
  std::string place_of(std::uint64_t row, std::size_t column) const;
  /// Comment lines below the header.
  std::uint64_t comments() const { return comments_; }
  /// Warning about comments below the first row with as many fields as a row.
  const std::string& comments_like_rows() const { return comments_like_rows_; }

  /// XXH3 of the file.
  std::uint64_t content_hash() const;
  /// Throws Error(kRuntimeFailure) "PATH: has changed while it was read" if values may differ from
  /// what was hashed.
  void check_unchanged() const {
    if (file_) file_->check_unchanged();
  }
  /// True if the path still names the unchanged file, or for columns in memory.
  bool is_current() const { return !file_ || stamp_of(path_) == stamp(); }
  /// State at opening.
  const FileStamp& stamp() const { return file_->stamp(); }

 protected:
  explicit Table(std::shared_ptr<const InputFile> file)
      : file_(std::move(file)), path_(file_->path()) {}
  /// A table in memory; `name`: for messages.
  explicit Table(std::string name) : path_(std::move(name)) {}
  /// Throws Error(kInvalidScene) for zero or too many columns or duplicate names.
  void set_form(std::vector<TableColumn> columns, std::uint64_t rows, std::uint64_t run_rows);
  const InputFile& file() const { return *file_; }
  const std::shared_ptr<const InputFile>& shared_file() const { return file_; }
  /// "radius" or "column 3".
  std::string column_text(std::size_t column) const;
  /// Throws Error(kInvalidScene) "PATH: PROBLEM".
  [[noreturn]] void fail(const std::string& problem) const;
  /// Throws as check_unchanged() does.
  [[noreturn]] void fail_as_changed() const;
  bool is_before_rounded(std::size_t column, std::uint64_t row) const {
    return row < first_rounded_[column].load(std::memory_order_relaxed);
  }
  /// Notes, for readers, that this row's number was rounded. Thread-safe.
  void note_rounded(std::size_t column, std::uint64_t row, const std::string& digits,
                    double number) const;
  using VisitBytes = std::function<void(std::span<const std::byte>)>;
  /// Reads bytes [begin, end) in pieces.
  void visit_file(std::uint64_t begin, std::uint64_t end, const VisitBytes& visit) const;
  /// Sets the hash, for readers that have seen all bytes.
  void set_content_hash(std::uint64_t hash) { content_hash_ = hash; }
  /// Sets the ascending lines, for files with lines.
  void set_row_lines(std::vector<RowLine> row_lines) { row_lines_ = std::move(row_lines); }
  std::uint64_t row_lines_bytes() const { return row_lines_.capacity() * sizeof(RowLine); }
  void set_comments(std::uint64_t count, std::string like_rows) {
    comments_ = count;
    comments_like_rows_ = std::move(like_rows);
  }
  /// Sets memory of columns, or their bytes in a temporary file, for readers that keep them.
  void set_column_bytes(std::uint64_t bytes, bool in_file) {
    column_bytes_ = bytes;
    has_temporary_file_ = in_file;
  }
  void set_opening_bytes(std::uint64_t bytes) { opening_bytes_ = bytes; }

 private:
  /// Visits all bytes of the file in pieces, or of the file that columns in memory represent.
  virtual void visit_bytes(const VisitBytes& visit) const;
  /// Returns a table for the columns with `rows` rows.
  virtual std::shared_ptr<const Table> with_rows(std::uint64_t /*rows*/) const { return nullptr; }
  friend std::shared_ptr<const Table> table_for(std::shared_ptr<const Table> table,
                                                const std::vector<std::size_t>& columns);
  /// `out` is prepared; count is at least 1.
  virtual void read_rows(std::span<const std::size_t> columns, std::uint64_t first,
                         std::uint64_t count, TableRows& out) const = 0;

  std::shared_ptr<const InputFile> file_;
  std::string path_;
  std::vector<TableColumn> columns_;
  LeftOut left_out_;
  std::string hint_;
  std::uint64_t rows_ = 0, run_rows_ = 1, column_bytes_ = 0, opening_bytes_ = 0, comments_ = 0;
  bool has_temporary_file_ = false;
  std::string comments_like_rows_;
  std::vector<RowLine> row_lines_;
  std::optional<std::uint64_t> content_hash_;
  mutable std::vector<std::atomic<std::uint64_t>> first_rounded_;  ///< row by column
  mutable std::mutex rounded_mutex_;
  mutable std::map<std::size_t, std::string> rounded_texts_;  ///< message by column
};

struct UsedColumns {
  std::set<std::string, std::less<>> names;
  std::set<std::uint64_t> numbers;
};

struct TableOptions {
  std::string dataset = {};  ///< this table of a file with several (.npz, .ply, .h5)
  /// A text file's column is read as text if the one here with its name, or without names with its
  /// number, is text.
  std::span<const TableColumn> like = {};
  /// Readable columns of a text file; absent: all. Kinds of the others stay unknown.
  std::optional<UsedColumns> used = {};
  /// Limit in bytes for columns of a text file; more go to a temporary file.
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
};

/// Message about a dataset for a file with one table.
inline constexpr std::string_view kNoDatasets =
    "\"dataset\" is for files with several tables (.npz, .ply, .h5), but this is one table";

/// Opens a file of the format that its first bytes or else its extension tell. Throws
/// Error(kInvalidScene) "PATH: …" for a missing file, an unknown format or a broken header. Never
/// allocates in proportion to a header's claims.
std::unique_ptr<Table> open_table(const std::string& path, const TableOptions& options = {});

std::optional<std::size_t> find_column(const Table& table, std::string_view name);
/// The table with the rows of these columns, if any. Throws Error(kInvalidScene) if their lengths
/// differ.
std::shared_ptr<const Table> table_for(std::shared_ptr<const Table> table,
                                       const std::vector<std::size_t>& columns);
/// "there are x, y and radius", "its 3 columns have no names".
std::string describe_columns(const Table& table);
/// `PATH has no column "radus" (did you mean "radius"?); there are x, y and radius`, or why it is
/// not a column.
std::string missing_column_text(const Table& table, std::string_view name);
/// Reads a field of a column that is_text.
std::string text_at(const Table& table, std::uint64_t row, std::size_t column);
/// `holds texts, first in line 2: "--"`, with a remedy.
std::string describe_texts(const Table& table, std::size_t column);

}  // namespace roundel
