#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "renderer/data/kept_numbers.h"
#include "renderer/data/table.h"
#include "renderer/data/text_grammar.h"
#include "renderer/data/text_window.h"

namespace roundel {

/// The part of a text file that is a table.
struct TextForm {
  TextDialect dialect;
  std::vector<TableColumn> columns;   ///< those with texts are found out
  std::uint64_t start = 0;            ///< offset of a line's first byte
  std::uint64_t start_line = 1;       ///< that line's number
  std::optional<std::uint64_t> rows;  ///< exactly so many; where absent all lines to the file's end
  bool ends_file = true;              ///< else lines behind `rows` are something else
  bool numbers_only = false;          ///< a text is an error
  bool texts_only = false;            ///< numbers are texts, too
};

/// A table in a text, a row a line; lines that are empty or comments are none. Opening it reads the
/// file once, on all cores: it finds the kinds of the columns and makes an index of some lines.
class TextTable final : public Table {
 public:
  /// Throws Error(kInvalidScene) "PATH: line 19: …" for a row with more or fewer fields, or longer
  /// than kMaxTableRowBytes.
  TextTable(std::shared_ptr<const InputFile> file, TextForm form);
  std::string row_place(std::uint64_t row) const override;
  std::string place_of(std::uint64_t row, std::size_t column) const override;
  std::optional<std::uint64_t> first_text(std::size_t column) const override;
  std::uint64_t comments() const override { return comments_; }
  std::string comments_like_rows() const override;
  std::uint64_t memory_bytes() const override { return index_.size() * sizeof(IndexEntry); }
  std::uint64_t text_bytes(std::span<const std::size_t> columns, std::uint64_t rows) const override;
  void keep(std::span<const std::size_t> columns, std::uint64_t block_rows,
            std::uint64_t most_bytes) const override;
  std::uint64_t kept_bytes() const override { return kept_bytes_; }
  /// Numbers are, once they are kept.
  bool is_quick(std::span<const std::size_t> columns) const override {
    const auto kept = kept_numbers();
    return kept && kept->has(columns);
  }
  void keep_no_more() const override {
    const std::lock_guard lock(kept_mutex_);
    kept_.reset();
  }

 private:
  /// A line, before which are so many rows.
  struct IndexEntry {
    std::uint64_t offset, row, line;
  };
  struct Wanted {
    std::size_t column, k;  ///< the k-th asked for
  };

  void read_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const override;
  void parse_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                  TableRows& out) const;
  std::vector<IndexEntry>::const_iterator entry_of(std::uint64_t row) const;
  // These return the place that they look for, for which the window may have moved.
  static const char* line_end(TextWindow& window, const char* place);
  const char* row_start(TextWindow& window, const char* line, std::uint64_t& lines) const;
  const char* row_end(TextWindow& window, const char* place, bool at_field_end,
                      std::uint64_t& lines) const;
  /// Keeps the bytes from `field` on, unless that is null.
  const char* field_end(TextWindow& window, const char* place, const char** field) const;
  const char* read_row(TextWindow& window, const char* line, std::span<const Wanted> wanted,
                       std::uint64_t row, std::size_t i, TableRows& out) const;
  /// Notes a number of at least 2⁵³ that was rounded.
  void look_for_rounding(std::string_view field, double number, std::size_t column,
                         std::uint64_t row) const;

  TextGrammar grammar_;
  std::vector<IndexEntry> index_;
  std::vector<std::uint64_t> first_texts_;  ///< [columns], rows
  std::uint64_t end_ = 0;                   ///< offset of the line behind the last row's
  bool has_quotes_ = false;                 ///< in its rows
  std::uint64_t comments_ = 0;              ///< lines
  std::uint64_t comments_like_rows_ = 0, first_comment_like_row_ = 0;  ///< how many, and its line
  /// Until nobody uses them: others that draw may need them no more.
  std::shared_ptr<KeptNumbers> kept_numbers() const {
    const std::lock_guard lock(kept_mutex_);
    return kept_;
  }

  mutable std::mutex kept_mutex_;
  mutable std::shared_ptr<KeptNumbers> kept_;
  mutable std::atomic<std::uint64_t> kept_bytes_ = 0;
};

}  // namespace roundel
