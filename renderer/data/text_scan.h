#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/data/column_store.h"
#include "renderer/data/content_hash.h"
#include "renderer/data/text_table.h"

namespace roundel {

/// Treatment of a column's fields.
enum class TextUse : std::uint8_t { kSkip, kCheckNumber, kNumber, kText };

struct ScannedText {
  struct Column {
    std::optional<std::uint64_t> first_text;  ///< its field is not a number
    std::string text;                         ///< the field's text, if texts are errors
    struct Rounded {
      std::uint64_t row;
      std::string digits;
      double number;
    };
    std::optional<Rounded> rounded;  ///< the first rounded number
    std::uint64_t text_bytes = 0;    ///< TableColumn::text_bytes
  };
  std::vector<Column> columns;  ///< all but skipped ones
  std::vector<TextBlock> blocks;
  std::vector<RowLine> row_lines;
  std::uint64_t rows = 0, lines = 0;
  std::uint64_t end = 0;          ///< offset after the last byte read
  std::uint64_t piece_bytes = 0;  ///< main memory per thread
  std::uint64_t comments = 0;
  /// Comments below the first row with as many fields as a row, and the first one's line.
  std::uint64_t comments_like_rows = 0, first_comment_like_row = 0;
};

/// Turns number columns with a text into text columns. Returns false without any.
bool take_kinds(const std::vector<ScannedText::Column>& found, std::vector<TextUse>& uses);

/// Reads all rows on all cores; puts used columns into `store` and all bytes into `hash`. `uses`:
/// by column, after take_kinds() for the first rows. Throws as TextTable() does.
ScannedText scan_text(const InputFile& file, const TextForm& form, std::vector<TextUse>& uses,
                      ColumnStore& store, ContentHash& hash);

}  // namespace roundel
