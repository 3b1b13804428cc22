#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "renderer/data/column_store.h"
#include "renderer/data/table.h"
#include "renderer/data/text_grammar.h"

namespace roundel {

/// The table's part of a text file.
struct TextForm {
  TextDialect dialect;
  std::vector<TableColumn> columns;   ///< more may turn out to be texts
  std::uint64_t start = 0;            ///< offset of a line's first byte
  std::uint64_t start_line = 1;       ///< its line number
  std::optional<std::uint64_t> rows;  ///< absent: all lines to the file's end
  bool ends_file = true;              ///< else other lines follow the rows
  bool numbers_only = false;          ///< a text is an error, in unused columns, too
};

/// Rows in a ColumnStore's block: for each used column its numbers, or the ends of its texts and
/// then these.
struct TextBlock {
  std::uint64_t row = 0;
  std::vector<std::uint64_t> begins;  ///< [used columns + 1], offsets
};

/// A text with a row per line, except empty lines and comments. Opening reads the file once on all
/// cores; twice if a text column begins with numbers.
class TextTable final : public Table {
 public:
  /// Throws Error(kInvalidScene) "PATH: line 19: …" for a row with more or fewer fields, or longer
  /// than kMaxTableRowBytes.
  TextTable(std::shared_ptr<const InputFile> input, TextForm form, const TableOptions& options);
  std::uint64_t memory_bytes() const override;

 private:
  void read_rows(std::span<const std::size_t> columns, std::uint64_t first, std::uint64_t count,
                 TableRows& out) const override;

  ColumnStore store_;
  std::vector<std::size_t> places_;  ///< by column: index in the blocks
  std::vector<TextBlock> blocks_;
};

}  // namespace roundel
