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
  std::vector<TableColumn> columns;   ///< more of them may turn out to hold texts
  std::uint64_t start = 0;            ///< offset of a line's first byte
  std::uint64_t start_line = 1;       ///< that line's number
  std::optional<std::uint64_t> rows;  ///< number of rows; absent: all lines to the file's end
  bool ends_file = true;              ///< else lines after `rows` are something else
  bool numbers_only = false;          ///< a text is an error, in unused columns, too
};

/// Rows of a text, in the bytes of a ColumnStore's block: each used column's numbers, or the ends
/// of its texts and these.
struct TextBlock {
  std::uint64_t row = 0;              ///< first one
  std::vector<std::uint64_t> begins;  ///< [used columns + 1], offsets of the columns
};

/// A table in a text, a row a line; empty lines and comments are not rows. Opening it reads the
/// file once, on all cores, into the columns that are used; twice if a column with texts begins
/// with numbers.
class TextTable final : public Table {
 public:
  /// Takes `used` and `memory` of the options. Throws Error(kInvalidScene) "PATH: line 19: …" for a
  /// row with more or fewer fields, or longer than kMaxTableRowBytes.
  TextTable(std::shared_ptr<const InputFile> input, TextForm form, const TableOptions& options);
  std::uint64_t memory_bytes() const override;

 private:
  void read_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const override;

  ColumnStore store_;
  std::vector<std::size_t> places_;  ///< by column, in its blocks
  std::vector<TextBlock> blocks_;
};

}  // namespace roundel
