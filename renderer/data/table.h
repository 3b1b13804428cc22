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
  std::string name;             ///< empty where the file gives none
  bool is_text = false;         ///< else numbers
  double one = 1;               ///< what stands for 1 in a colour: 255 for uint8, 65535 for uint16
  bool fits_float = false;      ///< all values its type has are binary32 numbers, too
  bool has_order_keys = false;  ///< whole numbers of 64 bits, of which read_order_keys() has all
  bool is_quick = true;         ///< reading it once more takes little longer than copying it
  std::optional<std::uint64_t> rows = {};  ///< absent: those of the table; see table_for()
  std::uint64_t text_bytes = 0;            ///< about how many a row has at most, over some rows
  /// Row of the first field that is not a number; absent where the file itself says that the column
  /// holds texts.
  std::optional<std::uint64_t> first_text = {};
};

/// Line of a row in its file. The next rows stand in the lines after it, up to the next entry.
struct RowLine {
  std::uint64_t row, line;
};

/// A table with more columns is refused.
inline constexpr std::uint64_t kMaxTableColumns = 65'536;
/// So is one with a longer row, in the file's bytes.
inline constexpr std::uint64_t kMaxTableRowBytes = std::uint64_t{16} << 20;

/// Some columns of a run of rows, as Table::read fills it; reused from run to run, by one thread.
class TableRows {
 public:
  /// Of the rows.
  std::size_t count() const { return count_; }
  /// Of the k-th column that was asked for, [count]; empty where it is the other kind.
  std::span<const double> numbers(std::size_t k) const { return columns_[k].numbers; }
  /// Leaves these rows only, in this order.
  void select(std::span<const std::uint32_t> rows);
  /// UTF-8 as it stands in the file; valid until the next run is read.
  std::span<const std::string_view> texts(std::size_t k) const { return columns_[k].texts; }

  // For readers:
  /// Makes room for `count` rows of a table's `columns`.
  void start(const std::vector<TableColumn>& of_table, std::span<const std::size_t> columns,
             std::size_t count);
  std::span<double> numbers_to_fill(std::size_t k) { return columns_[k].numbers; }
  std::span<std::string_view> texts_to_fill(std::size_t k) { return columns_[k].texts; }
  /// A copy of the text that lives as long as the run.
  std::string_view keep(std::string_view text);
  /// Room to work in, which stays from run to run.
  Buffer<std::byte>& scratch() { return scratch_; }
  std::string& text_room() { return text_room_; }
  /// Texts that come with the records being read (Element::Kind::kPlace).
  std::string& placed_texts() { return placed_texts_; }
  /// Main memory of all this.
  std::uint64_t memory_bytes() const;

 private:
  struct Column {
    std::vector<double> numbers, spare_numbers;
    std::vector<std::string_view> texts, spare_texts;
  };
  std::size_t count_ = 0;
  std::vector<Column> columns_;
  std::vector<Buffer<char>> pages_;  // of texts; those before page_ are full
  std::size_t page_ = 0, used_ = 0;
  std::vector<Buffer<char>> long_texts_;  // a text each
  std::size_t long_count_ = 0;
  Buffer<std::byte> scratch_;
  std::string text_room_, placed_texts_;
};

/// A file with columns, or columns in memory (column_table.h). A file is open for the life of the
/// object: hash and values come from one file, whatever takes its name in the meantime. In memory
/// is at most an index of it. Rows and columns are counted from 0. Errors while reading are
/// InputFile's, and Error(kInvalidScene) "PATH: PLACE: …" where a row is not what the start of the
/// file promised.
class Table {
 public:
  virtual ~Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const std::string& path() const { return path_; }
  /// True for columns in memory, which have no file.
  bool is_in_memory() const { return file_ == nullptr; }
  /// 1 to kMaxTableColumns; no two have the same name.
  const std::vector<TableColumn>& columns() const { return columns_; }
  std::uint64_t rows() const { return rows_; }
  /// Rows of one column, which may differ from rows() in an NPZ: see table_for().
  std::uint64_t rows_of(std::size_t column) const { return columns_[column].rows.value_or(rows_); }
  /// What the file has besides, and why that is no column, by name: for messages.
  using LeftOut = std::map<std::string, std::string, std::less<>>;
  void leave_out(LeftOut problems) { left_out_ = std::move(problems); }
  const LeftOut& left_out() const { return left_out_; }
  /// A sentence for errors about columns that are missing, such as what else can read the file.
  void set_hint(std::string hint) { hint_ = std::move(hint); }
  const std::string& hint() const { return hint_; }
  /// All columns do.
  bool fits_float() const;
  /// How many neighbours are best read at once: runs that begin at a multiple of it cost least.
  std::uint64_t run_rows() const { return run_rows_; }
  /// Main memory that the object holds beside its columns' names, with what reading took up to now.
  virtual std::uint64_t memory_bytes() const { return 0; }
  /// Returns memory_bytes() of the same table opened with TableOptions::memory = `limit`.
  std::uint64_t memory_bytes_within(std::uint64_t limit) const {
    return memory_bytes() - (has_temporary_file_ ? 0 : column_bytes_) +
           (column_bytes_ <= limit ? column_bytes_ : 0);
  }
  /// True if its columns are kept, in memory or in a temporary file.
  bool keeps_columns() const { return column_bytes_ > 0; }
  /// True if they are in a temporary file, for want of memory.
  bool has_temporary_file() const { return has_temporary_file_; }
  /// Main memory that opening the table took for a while.
  std::uint64_t opening_bytes() const { return opening_bytes_; }
  /// About how many bytes of texts in these columns any `rows` neighbours have at most.
  std::uint64_t text_bytes(std::span<const std::size_t> columns, std::uint64_t rows) const;

  /// Reads rows first to first + count − 1 ≤ rows_of() − 1 of these columns, from many threads at
  /// once. Numbers are binary64, exact but for integers beyond 2⁵³, which are rounded; missing ones
  /// are NaN.
  void read(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
            TableRows& out) const;
  /// Of a column that has them, for rows first to first + keys.size() − 1: keys that ascend, or
  /// descend, with its whole numbers, exactly, 0 for missing ones.
  virtual void read_order_keys(std::size_t /*column*/, std::uint64_t /*first*/, bool /*descending*/,
                               std::span<std::uint64_t> /*keys*/) const {}
  /// Of the rows of a column that have been read, what to say of the first whose number was
  /// rounded: "PATH: row 17: id: 9007199254740993 is rounded to …".
  std::optional<std::string> rounding_of(std::size_t column) const;
  /// Columns in memory may hold other numbers by now.
  void forget_rounded() const;
  /// True where reading these columns once more takes little longer than copying them.
  bool is_quick(std::span<const std::size_t> columns) const;
  /// For messages: "row 17", "line 19" in texts with lines.
  std::string row_place(std::uint64_t row) const;
  /// For messages: "row 17: radius", "line 19: column radius" in texts with lines.
  std::string place_of(std::uint64_t row, std::size_t column) const;
  /// Lines below the header that are comments.
  std::uint64_t comments() const { return comments_; }
  /// Warning about comments below the first row that have as many fields as a row; empty without
  /// any.
  const std::string& comments_like_rows() const { return comments_like_rows_; }

  /// XXH3 of all bytes of the file.
  std::uint64_t content_hash() const;
  /// Throws Error(kRuntimeFailure) "PATH: has changed while it was read" where what has been read
  /// need not be what was hashed.
  void check_unchanged() const {
    if (file_) file_->check_unchanged();
  }
  /// True where the file's name is still that of a file as it was when it was opened, and of
  /// columns in memory.
  bool is_current() const { return !file_ || stamp_of(path_) == stamp(); }
  /// Of the file, when it was opened.
  const FileStamp& stamp() const { return file_->stamp(); }

 protected:
  explicit Table(std::shared_ptr<const InputFile> file)
      : file_(std::move(file)), path_(file_->path()) {}
  /// In memory; `name` stands for the path in messages.
  explicit Table(std::string name) : path_(std::move(name)) {}
  /// Says what the table is like. Throws Error(kInvalidScene) for no columns, too many, or two of
  /// the same name.
  void set_form(std::vector<TableColumn> columns, std::uint64_t rows, std::uint64_t run_rows);
  const InputFile& file() const { return *file_; }
  const std::shared_ptr<const InputFile>& shared_file() const { return file_; }
  /// "radius" or "column 3".
  std::string column_text(std::size_t column) const;
  /// Throws Error(kInvalidScene) "PATH: PROBLEM".
  [[noreturn]] void fail(const std::string& problem) const;
  /// Throws what check_unchanged() does.
  [[noreturn]] void fail_as_changed() const;
  /// True for rows before the first that is known to have been rounded.
  bool is_before_rounded(std::size_t column, std::uint64_t row) const {
    return row < first_rounded_[column].load(std::memory_order_relaxed);
  }
  /// For readers: this row's number was rounded. From many threads at once.
  void note_rounded(std::size_t column, std::uint64_t row, const std::string& digits,
                    double number) const;
  using VisitBytes = std::function<void(std::span<const std::byte>)>;
  /// Calls visit() for the file's bytes [begin, end), piece by piece.
  void visit_file(std::uint64_t begin, std::uint64_t end, const VisitBytes& visit) const;
  /// For readers that have been through all bytes.
  void set_content_hash(std::uint64_t hash) { content_hash_ = hash; }
  /// For files with lines; `row_lines` ascend.
  void set_row_lines(std::vector<RowLine> row_lines) { row_lines_ = std::move(row_lines); }
  std::uint64_t row_lines_bytes() const { return row_lines_.capacity() * sizeof(RowLine); }
  void set_comments(std::uint64_t count, std::string like_rows) {
    comments_ = count;
    comments_like_rows_ = std::move(like_rows);
  }
  /// For readers that keep `bytes` of columns in memory or in a temporary file.
  void set_column_bytes(std::uint64_t bytes, bool in_file) {
    column_bytes_ = bytes;
    has_temporary_file_ = in_file;
  }
  void set_opening_bytes(std::uint64_t bytes) { opening_bytes_ = bytes; }

 private:
  /// Calls visit() for all bytes of the file, or of the one that columns in memory stand for, piece
  /// by piece.
  virtual void visit_bytes(const VisitBytes& visit) const;
  /// Returns a table of `rows` rows, of which columns of that length may be read.
  virtual std::shared_ptr<const Table> with_rows(std::uint64_t /*rows*/) const { return nullptr; }
  friend std::shared_ptr<const Table> table_for(std::shared_ptr<const Table> table,
                                                const std::vector<std::size_t>& columns);
  /// `out` has the room; there is at least one row.
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
  mutable std::vector<std::atomic<std::uint64_t>> first_rounded_;  ///< by column, rows
  mutable std::mutex rounded_mutex_;
  mutable std::map<std::size_t, std::string> rounded_texts_;  ///< by column
};

/// Columns of a table, by name or number.
struct UsedColumns {
  std::set<std::string, std::less<>> names;
  std::set<std::uint64_t> numbers;
};

struct TableOptions {
  std::string dataset = {};  ///< of several tables in a file (.npz, .ply, .h5) this one
  /// Columns of a text are texts, too, where those of the same name, or else place, are.
  std::span<const TableColumn> like = {};
  /// A text's columns that may be read; all where absent. The kinds of the others are not found.
  std::optional<UsedColumns> used = {};
  /// Memory for a text's columns, at most, in bytes; more go to a temporary file.
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
};

/// The problem with a dataset of what is one table alone.
inline constexpr std::string_view kNoDatasets =
    "\"dataset\" is for files with several tables (.npz, .ply, .h5), but this is one table";

/// Opens the table in a file, of whatever format its first bytes and else its suffix say. Throws
/// Error(kInvalidScene) "PATH: …" where it is missing, of no format that is known, or broken as far
/// as its headers tell; nothing is allocated in proportion to what a header claims.
std::unique_ptr<Table> open_table(const std::string& path, const TableOptions& options = {});

/// The column of this name.
std::optional<std::size_t> find_column(const Table& table, std::string_view name);
/// The table with the rows of these columns, or as it is without any. Throws Error(kInvalidScene)
/// where they differ in length.
std::shared_ptr<const Table> table_for(std::shared_ptr<const Table> table,
                                       const std::vector<std::size_t>& columns);
/// "there are x, y and radius", "its 3 columns have no names".
std::string columns_there(const Table& table);
/// `PATH has no column "radus" (did you mean "radius"?); there are x, y and radius`, or why what
/// has this name is none.
std::string no_such_column(const Table& table, std::string_view name);
/// Text of a row's field, in a column that is_text.
std::string text_at(const Table& table, std::uint64_t row, std::size_t column);
/// `holds texts, first in line 2: "--"`, with what to write instead: for columns that should be
/// numbers.
std::string texts_there(const Table& table, std::size_t column);

}  // namespace roundel
