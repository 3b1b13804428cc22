#include "renderer/data/text_scan.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;  // fits in L2
/// Shorter or smaller whole numbers are exact in binary64.
constexpr std::ptrdiff_t kRoundedDigits = 16;
constexpr double kMinRounded = 0x1p53;

/// Lines of the file, parsed.
struct TextPiece {
  Buffer<char> text;  ///< with a line feed after its `size` bytes
  std::size_t size = 0;
  bool is_last = false;  ///< the file ends with it

  struct Values {
    std::vector<double> numbers;
    std::vector<std::uint32_t> ends;  ///< ends of texts in `texts`
    std::string texts;
  };
  std::vector<Values> values;                ///< by used column
  std::vector<ScannedText::Column> columns;  ///< rows count from the piece's start
  std::vector<RowLine> row_lines;
  std::uint64_t rows = 0, lines = 0, comments = 0;
  /// Comments with as many fields as a row, before and after the piece's first row.
  struct LikeRows {
    std::uint64_t count = 0, line = 0;  ///< lines before the first
  } above, below;
  std::size_t end = 0;  ///< end of its complete rows
  std::string problem;  ///< in the row after these
  Buffer<std::byte> bytes;
  TextBlock block;

  /// Prepends the start of its first row.
  void prepend(const std::string& start) {
    Buffer<char> longer(start.size() + size + 1);
    std::copy_n(text.begin(), size + 1, std::copy(start.begin(), start.end(), longer.begin()));
    text = std::move(longer);
    size += start.size();
  }
  std::uint64_t memory_bytes() const {
    std::uint64_t sum = text.size() + bytes.size();
    for (const Values& of_column : values)
      sum += of_column.numbers.capacity() * sizeof(double) +
             of_column.ends.capacity() * sizeof(std::uint32_t) + of_column.texts.capacity();
    return sum;
  }
};

/// Splits a file into pieces of whole lines, unless quotes contain line feeds.
class PieceReader {
 public:
  PieceReader(const InputFile& file, std::uint64_t start, ContentHash& hash)
      : file_(file), hash_(hash), offset_(start) {}

  std::uint64_t offset() const { return offset_; }

  /// False at the end of the file.
  bool next(TextPiece& piece) {
    if (offset_ == file_.size() && rest_.empty()) return false;
    piece.size = 0;
    reserve(piece, rest_.size() + kPieceBytes + 1);
    piece.size = rest_.size();
    std::copy(rest_.begin(), rest_.end(), piece.text.begin());
    rest_.clear();
    std::size_t end = 0;  // end of whole lines
    while (end == 0 && offset_ < file_.size() && piece.size <= kMaxTableRowBytes) {
      reserve(piece, piece.size + kPieceBytes + 1);
      const auto count = std::min<std::uint64_t>(kPieceBytes, file_.size() - offset_);
      const std::span<char> more = piece.text.span().subspan(piece.size, count);
      file_.read_at(offset_, std::as_writable_bytes(more));
      hash_.add(std::as_bytes(more));
      offset_ += count;
      piece.size += count;
      const void* const line_end = ::memrchr(more.data(), '\n', count);
      if (line_end != nullptr)
        end = static_cast<std::size_t>(static_cast<const char*>(line_end) - piece.text.data()) + 1;
    }
    piece.is_last = offset_ == file_.size();
    if (!piece.is_last && end > 0) {
      rest_.assign(piece.text.begin() + end, piece.text.begin() + piece.size);
      piece.size = end;
    }
    piece.text[piece.size] = '\n';
    return true;
  }

 private:
  /// Rounds sizes up, so that malloc reuses freed blocks.
  static void reserve(TextPiece& piece, std::size_t bytes) {
    if (piece.text.size() >= bytes) return;
    Buffer<char> larger(std::bit_ceil(bytes));
    std::copy_n(piece.text.begin(), piece.size, larger.begin());
    piece.text = std::move(larger);
  }

  const InputFile& file_;
  ContentHash& hash_;
  std::uint64_t offset_;
  std::string rest_;  ///< start of a line
};

/// Parses pieces. Thread-safe.
class PieceParser {
 public:
  PieceParser(const TextForm& form, const std::vector<TextUse>& uses)
      : grammar_(form.dialect), keeps_texts_(form.numbers_only), uses_(uses) {
    for (const TextUse use : uses) {
      places_.push_back(used_);
      if (use != TextUse::kSkip) ++used_;
    }
  }

  void parse(TextPiece& piece) const {
    start(piece);
    const char* const end = piece.text.data() + piece.size;
    const char* line = piece.text.data();
    while (line < end) {
      const char* const first = grammar_.skip_blanks(line);
      const bool is_comment = grammar_.begins_comment(first, end);
      const bool is_row = !is_comment && *first != '\n';
      const std::uint64_t lines = piece.lines;
      const char* const line_end = is_row ? parse_row(line, end, piece) : find_line_end(first, end);
      const bool is_open = line_end == end && !piece.is_last;
      if (is_open || !piece.problem.empty()) {
        piece.lines = lines;
        if (is_row) drop_row(piece);
        if (is_open) piece.problem.clear();
        break;
      }
      if (is_comment) add_comment(line, line_end, piece);
      if (is_row) add_row(lines, piece);
      ++piece.lines;
      line = std::min(line_end + 1, end);
    }
    piece.end = static_cast<std::size_t>(line - piece.text.data());
    pack(piece);
  }

  std::size_t used_columns() const { return used_; }

 private:
  void start(TextPiece& piece) const {
    piece.values.resize(used_);
    for (TextPiece::Values& values : piece.values) {
      values.numbers.clear();
      values.ends.clear();
      values.texts.clear();
    }
    piece.columns.assign(used_, {});
    piece.row_lines.clear();
    piece.rows = piece.lines = piece.comments = 0;
    piece.above = piece.below = {};
    piece.problem.clear();
  }

  static const char* find_line_end(const char* place, const char* end) {
    return static_cast<const char*>(
        std::memchr(place, '\n', static_cast<std::size_t>(end - place) + 1));
  }

  /// Returns the row's end; counts line feeds in quotes.
  const char* parse_row(const char* line, const char* end, TextPiece& piece) const {
    std::size_t fields = 0;
    bool has_quotes = false;
    const char* last = line;
    const char* const row_end =
        grammar_.for_each_field(line, [&](std::size_t column, const char* field) {
          fields = column + 1;
          last = field;
          const TextUse use = column < uses_.size() ? uses_[column] : TextUse::kSkip;
          const char* const first = grammar_.skip_blanks(field);
          if (use == TextUse::kNumber || use == TextUse::kCheckNumber) {
            double number = 0;
            if (const char* const after = plain_number(first, end, number)) {
              if (use == TextUse::kNumber) add_number({first, after}, number, column, piece);
              return after;
            }
          }
          has_quotes |= *first == '"' && grammar_.has_quotes();
          const char* const field_end = grammar_.field_end(first, end);
          if (use != TextUse::kSkip) add_field({first, field_end}, use, column, piece);
          return field_end;
        });
    if (has_quotes) piece.lines += static_cast<std::uint64_t>(std::count(line, row_end, '\n'));
    if (row_end == end && grammar_.has_open_quote(last, end))
      piece.problem = "the file ends within quotes that begin in this row";
    else if (fields != uses_.size())
      piece.problem = fmt::format("expected {}, got {}", counted(uses_.size(), "field"), fields);
    return row_end;
  }

  /// End of an unquoted number, or null.
  const char* plain_number(const char* field, const char* end, double& number) const {
    const bool has_plus = *field == '+' && field[1] != '-';
    const auto [after, error] = fast_float::from_chars(field + (has_plus ? 1 : 0), end, number);
    if (error != std::errc{}) return nullptr;
    const char* const field_end = grammar_.ends_field(*after) ? after : grammar_.skip_blanks(after);
    const bool is_short = field_end - field <= static_cast<std::ptrdiff_t>(kMaxNumberBytes);
    return grammar_.ends_field(*field_end) && is_short ? field_end : nullptr;
  }

  void add_number(std::string_view field, double number, std::size_t column,
                  TextPiece& piece) const {
    piece.values[places_[column]].numbers.push_back(number);
    if (std::abs(number) < kMinRounded || field.size() < kRoundedDigits) return;
    std::string buffer;
    const std::string_view digits = grammar_.text_of(field, buffer);
    auto& rounded = piece.columns[places_[column]].rounded;
    if (!rounded && is_rounded(digits, number)) rounded = {piece.rows, std::string(digits), number};
  }

  void add_field(std::string_view field, TextUse use, std::size_t column, TextPiece& piece) const {
    ScannedText::Column& found = piece.columns[places_[column]];
    std::optional<double> number;
    if (use != TextUse::kText || !found.first_text) {
      number = grammar_.number_of(field);
      if (!number && !found.first_text) {
        found.first_text = piece.rows;
        std::string buffer;
        if (keeps_texts_) found.text = grammar_.text_of(field, buffer);
      }
    }
    if (use == TextUse::kNumber)
      add_number(field, number.value_or(std::numeric_limits<double>::quiet_NaN()), column, piece);
    if (use != TextUse::kText) return;
    TextPiece::Values& values = piece.values[places_[column]];
    std::string buffer;
    values.texts += grammar_.text_of(field, buffer);
    values.ends.push_back(static_cast<std::uint32_t>(values.texts.size()));
  }

  static void add_row(std::uint64_t lines, TextPiece& piece) {
    // True if the last entry also gives this row's line.
    const bool follows = !piece.row_lines.empty() && lines - piece.row_lines.back().line ==
                                                         piece.rows - piece.row_lines.back().row;
    if (!follows) piece.row_lines.push_back({piece.rows, lines});
    ++piece.rows;
  }

  /// Drops an incomplete row.
  void drop_row(TextPiece& piece) const {
    for (TextPiece::Values& values : piece.values) {
      values.numbers.resize(std::min<std::size_t>(values.numbers.size(), piece.rows));
      values.ends.resize(std::min<std::size_t>(values.ends.size(), piece.rows));
      values.texts.resize(values.ends.empty() ? 0 : values.ends.back());
    }
    for (ScannedText::Column& column : piece.columns) {
      if (column.first_text == piece.rows) column.first_text.reset();
      if (column.rounded && column.rounded->row == piece.rows) column.rounded.reset();
    }
  }

  void add_comment(const char* comment, const char* end, TextPiece& piece) const {
    ++piece.comments;
    std::size_t fields = 0;
    grammar_.for_each_field(comment, [&](std::size_t column, const char* field) {
      fields = column + 1;
      return grammar_.field_end(field, end);
    });
    if (fields != uses_.size()) return;
    TextPiece::LikeRows& like_rows = piece.rows == 0 ? piece.above : piece.below;
    if (like_rows.count++ == 0) like_rows.line = piece.lines;
  }

  static void pack(TextPiece& piece) {
    constexpr std::uint64_t kAlignment = sizeof(double);
    std::uint64_t size = 0;
    piece.block.begins.clear();
    for (const TextPiece::Values& values : piece.values) {
      piece.block.begins.push_back(size);
      size += values.numbers.size() * sizeof(double) + values.ends.size() * sizeof(std::uint32_t) +
              values.texts.size();
      size = (size + kAlignment - 1) / kAlignment * kAlignment;
    }
    piece.block.begins.push_back(size);
    piece.bytes = Buffer<std::byte>(size);
    for (std::size_t k = 0; k < piece.values.size(); ++k) {
      std::byte* out = piece.bytes.data() + piece.block.begins[k];
      const auto put = [&out](const auto& values) {
        const auto bytes = std::as_bytes(std::span(values));
        out = std::copy(bytes.begin(), bytes.end(), out);
      };
      put(piece.values[k].numbers);
      put(piece.values[k].ends);
      put(piece.values[k].texts);
    }
  }

  TextGrammar grammar_;
  bool keeps_texts_;
  const std::vector<TextUse>& uses_;
  std::vector<std::size_t> places_;  ///< by column: index among used columns
  std::size_t used_ = 0;
};

/// Joins pieces in the file's order.
class PieceJoiner {
 public:
  PieceJoiner(const InputFile& file, const TextForm& form, std::size_t columns, ColumnStore& store)
      : file_(file), form_(form), store_(store) {
    found_.columns.resize(columns);
    found_.lines = form.start_line;
  }

  /// False after the last row.
  bool take(TextPiece& piece, const PieceParser& parser) {
    if (!rest_.empty()) {  // the piece does not begin with a row
      piece.prepend(rest_);
      parser.parse(piece);
    }
    found_.piece_bytes = std::max(found_.piece_bytes, piece.memory_bytes());
    const std::uint64_t limit =
        form_.ends_file || !form_.rows ? std::numeric_limits<std::uint64_t>::max() : *form_.rows;
    rest_.assign(piece.text.begin() + piece.end, piece.text.begin() + piece.size);
    if (piece.problem.empty() && rest_.size() > kMaxTableRowBytes)
      piece.problem = fmt::format("a row is too long (at most {} bytes)", kMaxTableRowBytes);
    if (!piece.problem.empty() && found_.rows + piece.rows < limit)
      throw Error(ExitCode::kInvalidScene, fmt::format("{}: line {}: {}", file_.path(),
                                                       found_.lines + piece.lines, piece.problem));
    for (std::size_t k = 0; k < piece.columns.size(); ++k)
      join(piece.columns[k], limit, found_.columns[k]);
    if (found_.rows > 0) add_comments(piece.above);
    add_comments(piece.below);
    found_.comments += piece.comments;
    for (const auto& [row, line] : piece.row_lines)
      found_.row_lines.push_back({found_.rows + row, found_.lines + line});
    if (piece.rows > 0) add_block(piece);
    found_.rows = std::min(found_.rows + piece.rows, limit);
    found_.lines += piece.lines;
    return found_.rows < limit && piece.problem.empty();
  }

  ScannedText found() { return std::move(found_); }

 private:
  void join(ScannedText::Column& piece, std::uint64_t limit, ScannedText::Column& all) const {
    if (piece.first_text && !all.first_text && found_.rows + *piece.first_text < limit) {
      all.first_text = found_.rows + *piece.first_text;
      all.text = std::move(piece.text);
    }
    if (piece.rounded && !all.rounded) {
      all.rounded = std::move(piece.rounded);
      all.rounded->row += found_.rows;
    }
  }

  void add_comments(const TextPiece::LikeRows& like_rows) {
    if (like_rows.count == 0) return;
    if (found_.comments_like_rows == 0)
      found_.first_comment_like_row = found_.lines + like_rows.line;
    found_.comments_like_rows += like_rows.count;
  }

  void add_block(TextPiece& piece) {
    for (std::size_t k = 0; k < piece.values.size(); ++k) {
      std::uint64_t& bytes = found_.columns[k].text_bytes;
      bytes = std::max(bytes, (piece.values[k].texts.size() + piece.rows - 1) / piece.rows);
    }
    piece.block.row = found_.rows;
    found_.blocks.push_back(piece.block);
    store_.add(std::move(piece.bytes));
  }

  const InputFile& file_;
  const TextForm& form_;
  ColumnStore& store_;
  ScannedText found_;
  std::string rest_;  ///< start of a row that continues in the next piece
};

}  // namespace

bool take_kinds(const std::vector<ScannedText::Column>& found, std::vector<TextUse>& uses) {
  bool is_new = false;
  std::size_t place = 0;
  for (TextUse& use : uses) {
    if (use == TextUse::kSkip || !found[place++].first_text || use != TextUse::kNumber) continue;
    use = TextUse::kText;
    is_new = true;
  }
  return is_new;
}

ScannedText scan_text(const InputFile& file, const TextForm& form, std::vector<TextUse>& uses,
                      ColumnStore& store, ContentHash& hash) {
  PieceReader reader(file, form.start, hash);
  PieceParser parser(form, uses);
  PieceJoiner joiner(file, form, parser.used_columns(), store);
  bool is_done = false;
  if (TextPiece first; reader.next(first)) {
    parser.parse(first);
    while (!form.numbers_only && take_kinds(first.columns, uses)) parser.parse(first);
    is_done = !joiner.take(first, parser);
  }
  const int workers = tbb::this_task_arena::max_concurrency();
  // Other threads get at most this far ahead of a paused thread.
  const std::uint64_t max_ahead = 2 * static_cast<std::uint64_t>(workers);
  std::mutex mutex;  // guards the following, reader and joiner
  std::condition_variable has_joined;
  std::map<std::uint64_t, TextPiece> waiting;  // for earlier ones, by index
  std::uint64_t read = 0, joined = 0;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    for (TextPiece piece;;) {
      has_joined.wait(lock, [&] { return is_done || read - joined < max_ahead; });
      if (is_done || !reader.next(piece)) return;
      const std::uint64_t index = read++;
      lock.unlock();
      checkpoint();
      parser.parse(piece);
      lock.lock();
      waiting.emplace(index, std::move(piece));
      for (auto next = waiting.find(joined); next != waiting.end() && !is_done;
           next = waiting.find(++joined)) {
        piece = std::move(next->second);
        waiting.erase(next);
        is_done = !joiner.take(piece, parser);
      }
      has_joined.notify_all();
    }
  };
  tbb::parallel_for(0, workers, [&](int /*worker*/) {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      is_done = true;
      has_joined.notify_all();
      throw;
    }
  });
  ScannedText found = joiner.found();
  found.end = reader.offset();
  return found;
}

}  // namespace roundel
