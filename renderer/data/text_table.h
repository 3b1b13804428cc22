#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "renderer/data/column_store.h"
#include "renderer/data/table.h"
#include "renderer/data/text_grammar.h"

namespace roundel {

/// The part of a text file that is a table.
struct TextForm {
  TextDialect dialect;
  std::vector<TableColumn> columns;   ///< more of them may turn out to be texts
  std::uint64_t start = 0;            ///< offset of a line's first byte
  std::uint64_t start_line = 1;       ///< its line number
  std::optional<std::uint64_t> rows;  ///< absent: all lines to the file's end
  bool ends_file = true;              ///< else other lines follow the rows
  bool numbers_only = false;          ///< a text is an error, in unused columns, too
};

/// Rows of a text in a ColumnStore's block: for each used column its numbers, or its texts with
/// their ends before them.
struct TextBlock {
  std::uint64_t row = 0;              ///< the first row
  std::vector<std::uint64_t> begins;  ///< [used columns + 1], offsets of the columns
};

/// A table in a text, a row per line; empty lines and comments are not rows. Opening reads the file
/// once, on all cores, into the used columns; twice if a text column begins with numbers.
class TextTable final : public Table {
 public:
  /// Uses the options' `used` and `memory`. Throws Error(kInvalidScene) "PATH: line 19: …" for a
  /// row with more or fewer fields, or longer than kMaxTableRowBytes.
  TextTable(std::shared_ptr<const InputFile> input, TextForm form, const TableOptions& options);
  std::uint64_t memory_bytes() const override;

 private:
  void read_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const override;

  ColumnStore store_;
  std::vector<std::size_t> places_;  ///< by column, its index in the blocks
  std::vector<TextBlock> blocks_;
};

}  // namespace roundel
