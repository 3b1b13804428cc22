#include "renderer/data/text_table.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {
namespace {

constexpr std::uint64_t kTextBlockBytes = std::uint64_t{1} << 18;
constexpr std::uint64_t kNoRow = std::numeric_limits<std::uint64_t>::max();
/// Whole numbers with fewer digits, or below, are binary64 numbers.
constexpr std::ptrdiff_t kRoundedDigits = 16;
constexpr double kLeastRounded = 0x1p53;
constexpr std::uint32_t kNoRowOfBlock = std::numeric_limits<std::uint32_t>::max();

/// The first byte from `place` on that is no digit, or one at most 8 bytes before `end`.
const char* skip_digits(const char* place, const char* end) {
  constexpr std::uint64_t kHigh = 0x8080808080808080, kBelow = 0x3030303030303030,
                          kAbove = 0x4646464646464646;  // '9' + kAbove has no high bit, ':' has
  for (; end - place > 8; place += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, place, sizeof(bytes));
    // The lowest bit is right: only what is carried or borrowed above it need not be.
    const std::uint64_t others = ((bytes + kAbove) | (bytes - kBelow)) & kHigh;
    if (others != 0) return place + std::countr_zero(others) / 8;
  }
  return place;
}

/// What stands in the lines that begin in a block of the file.
struct BlockScan {
  std::uint64_t start = 0;  ///< offset of the first of them
  std::uint64_t end = 0;    ///< of the first line behind them
  std::uint64_t rows = 0, lines = 0;
  std::vector<std::uint32_t> first_texts;  ///< [columns], rows of the block
  bool has_quotes = false;
  std::uint64_t comments = 0;  ///< lines
  /// Comments with as many fields as a row, before the block's first row and below it.
  struct LikeRows {
    std::uint64_t count = 0, line = 0;  ///< and lines before the first of them
  } above, below;
  bool gave_up = false;  ///< at a line much longer than the block, of which the start was a guess
  std::string problem;   ///< of the row behind the last one counted
};

class BlockScanner {
 public:
  BlockScanner(const InputFile& file, const TextGrammar& grammar, const TextForm& form)
      : file_(file), grammar_(grammar), form_(form) {}

  /// Of the lines that begin in [begin, end): `begin` is such a line's start, or, where that is not
  /// known, lines are taken to begin behind every line feed.
  BlockScan scan(std::uint64_t begin, std::uint64_t end, bool is_known) {
    BlockScan block;
    block.first_texts.assign(form_.columns.size(), kNoRowOfBlock);
    TextWindow window(file_, is_known ? begin : begin - 1, end, rooms_.local());
    const char* line = window.begin();
    if (!is_known) {
      line =
          static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - begin)));
      if (line == nullptr) {
        block.gave_up = true;
        return block;
      }
      ++line;
    }
    block.start = window.offset_of(line);
    while (window.offset_of(line) < end && !(line == window.end() && window.at_end_of_file())) {
      line = scan_line(window, line, is_known, block);
      if (!block.problem.empty() || block.gave_up) break;
    }
    block.end = window.offset_of(line);
    return block;
  }

 private:
  /// Returns the next line's start; where there is a problem, or it gives up, any place.
  const char* scan_line(TextWindow& window, const char* line, bool is_known,
                        BlockScan& block) const {
    const std::uint64_t start = window.offset_of(line);
    const char* field = line;
    bool is_long = false;  // the field's first bytes are forgotten
    std::size_t column = 0;
    std::uint64_t lines = 1;
    auto state = TextGrammar::kLineStart;
    for (const char* p = line;;) {
      TextGrammar::State next;
      while ((next = grammar_.next(state, *p)) < TextGrammar::kStates) {
        state = next;
        ++p;
        if (state == TextGrammar::kFraction) p = skip_digits(p, window.end());
      }
      const bool may_be_comment = *p == '#' && state == TextGrammar::kLineStart;
      // A line feed at the end of the window, where it need not be one, leaves a colour open.
      const bool is_open = may_be_comment && window.end() - p < 8 && !window.at_end_of_file();
      if (is_open || window.needs_more(p)) {
        const std::uint64_t length = window.offset_of(p) - start;
        if (length > kMaxTableRowBytes)
          block.problem = fmt::format("a row is too long (at most {} bytes)", kMaxTableRowBytes);
        block.gave_up = !is_known && length > 4 * kTextBlockBytes;
        if (!block.problem.empty() || block.gave_up) return p;
        const bool drops = p - field > static_cast<std::ptrdiff_t>(kMaxNumberBytes);
        is_long |= drops;
        const std::ptrdiff_t done = drops ? 0 : p - field;
        field = window.read_on(p - done);
        p = field + done;
        continue;
      }
      if (may_be_comment) {
        state =
            grammar_.begins_comment(p, window.end()) ? TextGrammar::kComment : TextGrammar::kText;
        ++p;
        continue;
      }
      const bool is_line_end = *p == '\n';
      if (is_line_end && state == TextGrammar::kQuoted) {
        if (p == window.end()) {
          block.problem = "the file ends within quotes that begin in this row";
          return p;
        }
        ++lines;
        ++p;
        continue;
      }
      const bool is_empty_line =
          is_line_end && (state == TextGrammar::kLineStart || state == TextGrammar::kComment);
      const bool no_field = grammar_.has_runs_of_blanks() && state == TextGrammar::kFieldStart;
      if (!is_empty_line && !no_field) take_field({field, p}, is_long, state, column++, block);
      if (is_line_end) {
        if (state == TextGrammar::kComment) take_comment({field, p}, is_long, block);
        if (!is_empty_line) {
          check_count(column, block);
          if (!block.problem.empty()) return p;
          ++block.rows;
        }
        block.lines += lines;
        return std::min(p + 1, window.end());
      }
      state = TextGrammar::kFieldStart;
      field = ++p;
      is_long = false;
    }
  }

  /// One that `is_long` is a text, whatever stands in it.
  void take_field(std::string_view field, bool is_long, TextGrammar::State end, std::size_t column,
                  BlockScan& block) const {
    if ((TextGrammar::is_number(end) && !is_long) || column >= form_.columns.size()) return;
    block.has_quotes |= TextGrammar::was_quoted(end);
    if (end == TextGrammar::kFieldStart || block.first_texts[column] != kNoRowOfBlock) return;
    if (is_long || !grammar_.number_of(field))
      block.first_texts[column] = static_cast<std::uint32_t>(block.rows);
  }

  void take_comment(std::string_view comment, bool is_long, BlockScan& block) const {
    ++block.comments;
    if (is_long || fields_of(comment) != form_.columns.size()) return;
    BlockScan::LikeRows& like_rows = block.rows == 0 ? block.above : block.below;
    if (like_rows.count++ == 0) like_rows.line = block.lines;
  }

  /// Fields that a comment would have as a row.
  std::size_t fields_of(std::string_view comment) const {
    std::size_t fields = 0;
    auto state = TextGrammar::kFieldStart;
    for (std::size_t i = 0; i <= comment.size(); ++i) {
      const TextGrammar::State next = grammar_.next(state, i < comment.size() ? comment[i] : '\n');
      if (next < TextGrammar::kStates) {
        state = next;
        continue;
      }
      if (!grammar_.has_runs_of_blanks() || state != TextGrammar::kFieldStart) ++fields;
      state = TextGrammar::kFieldStart;
    }
    return fields;
  }

  void check_count(std::size_t fields, BlockScan& block) const {
    if (fields == form_.columns.size()) return;
    block.problem =
        fmt::format("expected {}, got {}", counted(form_.columns.size(), "field"), fields);
  }

  const InputFile& file_;
  const TextGrammar& grammar_;
  const TextForm& form_;
  /// Kept, because malloc hardly ever finds a place for aligned memory in what such left.
  tbb::enumerable_thread_specific<Buffer<std::byte>> rooms_;
};

}  // namespace

TextTable::TextTable(std::shared_ptr<const InputFile> input, TextForm form)
    : Table(std::move(input)), grammar_(form.dialect), first_texts_(form.columns.size(), kNoRow) {
  const auto take_comments = [this](const BlockScan::LikeRows& like_rows, std::uint64_t line) {
    if (like_rows.count == 0) return;
    if (comments_like_rows_ == 0) first_comment_like_row_ = line + like_rows.line;
    comments_like_rows_ += like_rows.count;
  };
  BlockScanner scanner(file(), grammar_, form);
  const std::uint64_t size = file().size(), expected = form.rows.value_or(kNoRow);
  const std::uint64_t limit = form.ends_file ? kNoRow : expected;
  // Blocks are scanned together, each from what is most likely its first line; one that a quoted
  // line feed misled is scanned again.
  std::vector<BlockScan> scans(
      8 + 4 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  std::uint64_t rows = 0, line = form.start_line;
  end_ = form.start;
  for (std::uint64_t batch = form.start; batch < size && rows < limit;
       batch += scans.size() * kTextBlockBytes) {
    const auto begin_of = [&](std::size_t i) { return batch + i * kTextBlockBytes; };
    const auto count =
        std::min<std::size_t>(scans.size(), (size - batch + kTextBlockBytes - 1) / kTextBlockBytes);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      const bool is_known = begin_of(i) == end_;
      scans[i] = scanner.scan(begin_of(i), std::min(begin_of(i + 1), size), is_known);
    });
    for (std::size_t i = 0; i < count && rows < limit; ++i) {
      const std::uint64_t block_end = std::min(begin_of(i + 1), size);
      if (end_ >= block_end) continue;
      BlockScan& scan = scans[i];
      if (scan.gave_up || scan.start != end_) scan = scanner.scan(end_, block_end, true);
      index_.push_back({end_, rows, line});
      if (!scan.problem.empty() && scan.rows < limit - rows)
        fail(fmt::format("line {}: {}", line + scan.lines, scan.problem));
      for (std::size_t c = 0; c < first_texts_.size(); ++c) {
        if (scan.first_texts[c] == kNoRowOfBlock || first_texts_[c] != kNoRow) continue;
        first_texts_[c] = rows + scan.first_texts[c];
        form.columns[c].is_text = first_texts_[c] < limit;
      }
      has_quotes_ |= scan.has_quotes;
      comments_ += scan.comments;
      if (rows > 0) take_comments(scan.above, line);
      take_comments(scan.below, line);
      rows += scan.rows;
      line += scan.lines;
      end_ = scan.end;
    }
  }
  if (form.rows && rows < expected)
    fail(fmt::format("expected {} of numbers, but the file ends after {}",
                     counted(expected, "line"), with_commas(rows)));
  if (form.rows && form.ends_file && rows > expected)
    fail(fmt::format("expected {} of numbers, got {}", counted(expected, "line"),
                     with_commas(rows)));
  for (TableColumn& column : form.columns) column.is_text |= form.texts_only;
  rows = std::min(rows, limit);
  const std::uint64_t row_bytes = rows == 0 ? 1 : (end_ - form.start) / rows + 1;
  set_form(std::move(form.columns), rows, 2 * kTextBlockBytes / row_bytes);
  check_unchanged();
  for (std::size_t c = 0; c < columns().size(); ++c) {
    if (!form.numbers_only || !columns()[c].is_text) continue;
    TableRows row;
    const std::size_t wanted[] = {c};
    read(wanted, first_texts_[c], 1, row);
    fail(fmt::format("{}: expected a number, got {}", place_of(first_texts_[c], c),
                     quoted(row.texts(0)[0])));
  }
}

std::vector<TextTable::IndexEntry>::const_iterator TextTable::entry_of(std::uint64_t row) const {
  return std::upper_bound(index_.begin(), index_.end(), row,
                          [](std::uint64_t r, const IndexEntry& entry) { return r < entry.row; }) -
         1;
}

std::uint64_t TextTable::text_bytes(std::span<const std::size_t> wanted,
                                    std::uint64_t count) const {
  if (std::none_of(wanted.begin(), wanted.end(),
                   [this](std::size_t column) { return columns()[column].is_text; }))
    return 0;
  // All bytes of their lines, and of those beside them up to the next entries, from which less than
  // a run is read, too.
  const std::uint64_t step = std::max(count, run_rows());
  std::uint64_t most = 0;
  for (std::uint64_t first = 0; first < rows(); first += step) {
    const auto last = entry_of(std::min(first + step, rows()) - 1) + 1;
    most = std::max(most, (last == index_.end() ? end_ : last->offset) - entry_of(first)->offset);
  }
  return most;
}

const char* TextTable::line_end(TextWindow& window, const char* place) {
  for (const char* p = place;;) {
    p = static_cast<const char*>(
        std::memchr(p, '\n', static_cast<std::size_t>(window.end() - p + 1)));
    if (!window.needs_more(p)) return p;
    p = window.read_on(p);
  }
}

const char* TextTable::row_start(TextWindow& window, const char* line, std::uint64_t& lines) const {
  const char* p = line;
  for (std::uint64_t passed = 0;;) {
    while (grammar_.is_blank(*p)) ++p;
    const bool may_be_comment = *p == '#' && grammar_.dialect().has_comments;
    const bool is_open = may_be_comment && window.end() - p < 8 && !window.at_end_of_file();
    if (is_open || window.needs_more(p)) {
      p = window.read_on(p);
      continue;
    }
    if (may_be_comment && grammar_.begins_comment(p, window.end())) p = line_end(window, p);
    if (*p != '\n') {
      lines += passed;
      return p;
    }
    if (p == window.end()) fail_as_changed();
    ++passed;
    ++p;
  }
}

const char* TextTable::row_end(TextWindow& window, const char* place, bool at_field_end,
                               std::uint64_t& lines) const {
  const char* p = place;
  std::uint64_t passed = 1;
  if (!has_quotes_) {
    p = line_end(window, p);
  } else {
    // Behind a field all is as before a text.
    auto state = at_field_end ? TextGrammar::kText : TextGrammar::kFieldStart;
    for (;;) {
      TextGrammar::State next;
      while ((next = grammar_.next(state, *p)) < TextGrammar::kStates) {
        state = next;
        ++p;
      }
      if (window.needs_more(p)) {
        p = window.read_on(p);
        continue;
      }
      if (*p == '\n' && state == TextGrammar::kQuoted && p != window.end())
        ++passed;
      else if (*p == '\n')
        break;
      else
        state = TextGrammar::kFieldStart;
      ++p;
    }
  }
  lines += passed;
  return std::min(p + 1, window.end());
}

[[gnu::cold]] void TextTable::look_for_rounding(std::string_view field, double number,
                                                std::size_t column, std::uint64_t row) const {
  if (!is_before_rounded(column, row)) return;
  std::string room;
  const std::string_view digits = grammar_.text_of(field, room);
  if (is_rounded(digits, number)) note_rounded(column, row, std::string(digits), number);
}

const char* TextTable::field_end(TextWindow& window, const char* place, const char** field) const {
  const char* p = place;
  const auto needs_more = [&] {
    if (!window.needs_more(p)) return false;
    const std::ptrdiff_t kept = field != nullptr ? p - *field : 0;
    if (static_cast<std::uint64_t>(kept) > kMaxTableRowBytes) fail_as_changed();
    const char* const moved = window.read_on(p - kept);
    if (field != nullptr) *field = moved;
    p = moved + kept;
    return true;
  };
  if (has_quotes_) {
    auto state = TextGrammar::kFieldStart;
    for (;;) {
      TextGrammar::State next;
      while ((next = grammar_.next(state, *p)) < TextGrammar::kStates) {
        state = next;
        ++p;
      }
      if (needs_more()) continue;
      if (*p != '\n' || state != TextGrammar::kQuoted || p == window.end()) return p;
      ++p;
    }
  }
  if (grammar_.has_runs_of_blanks()) {
    do {
      while (grammar_.is_blank(*p)) ++p;
    } while (needs_more());
  }
  do {
    while (!grammar_.ends_field(*p)) ++p;
  } while (needs_more());
  return p;
}

const char* TextTable::read_row(TextWindow& window, const char* line,
                                std::span<const Wanted> wanted, std::uint64_t row, std::size_t i,
                                TableRows& out) const {
  const char* p = line;
  std::size_t column = 0;
  for (std::size_t w = 0; w < wanted.size(); ++w) {
    const auto [wanted_column, k] = wanted[w];
    const bool is_text = columns()[wanted_column].is_text;
    if (w > 0 && wanted[w - 1].column == wanted_column) {
      const std::size_t same = wanted[w - 1].k;
      if (is_text)
        out.texts_to_fill(k)[i] = out.texts(same)[i];
      else
        out.numbers_to_fill(k)[i] = out.numbers(same)[i];
      continue;
    }
    for (; column <= wanted_column; ++column) {
      if (column > 0) {  // p is at the end of the field before
        if (*p == '\n') fail_as_changed();
        ++p;
      }
      if (column < wanted_column) p = field_end(window, p, nullptr);
    }
    if (!is_text) {
      while (grammar_.is_blank(*p)) ++p;
      double& number = out.numbers_to_fill(k)[i];
      const auto result = fast_float::from_chars(p + (*p == '+' ? 1 : 0), window.end(), number);
      const char* end = result.ptr;
      if (result.ec == std::errc{}) {
        if (!grammar_.ends_field(*end))
          while (grammar_.is_blank(*end)) ++end;
        if (grammar_.ends_field(*end) && !window.needs_more(end)) {
          if (std::abs(number) >= kLeastRounded && end - p >= kRoundedDigits)
            look_for_rounding({p, end}, number, wanted_column, row);
          p = end;
          continue;
        }
      }
    }
    const char* field = p;
    p = field_end(window, p, &field);
    if (is_text) {
      out.texts_to_fill(k)[i] = out.keep(grammar_.text_of({field, p}, out.text_room()));
    } else {
      const std::optional<double> number = grammar_.number_of({field, p});
      if (!number) fail_as_changed();
      if (std::abs(*number) >= kLeastRounded && p - field >= kRoundedDigits)
        look_for_rounding({field, p}, *number, wanted_column, row);
      out.numbers_to_fill(k)[i] = *number;
    }
  }
  std::uint64_t lines = 0;
  return row_end(window, p, !wanted.empty(), lines);
}

void TextTable::keep(std::span<const std::size_t> wanted, std::uint64_t block_rows,
                     std::uint64_t most_bytes) const {
  std::vector<std::size_t> numbers;
  for (const std::size_t column : wanted)
    if (!columns()[column].is_text) numbers.push_back(column);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const std::lock_guard lock(kept_mutex_);
  if (kept_ || numbers.empty() || rows() > most_bytes / sizeof(double) / numbers.size()) return;
  kept_ = std::make_shared<KeptNumbers>(std::move(numbers), rows(), block_rows);
  kept_bytes_ = kept_->memory_bytes();
}

void TextTable::read_rows(std::span<const std::size_t> columns, std::uint64_t first,
                          std::uint64_t count, TableRows& out) const {
  const auto kept = kept_numbers();
  if (kept && kept->give(columns, first, count, out)) return;
  parse_rows(columns, first, count, out);
  if (kept) kept->take(columns, first, count, out);
}

void TextTable::parse_rows(std::span<const std::size_t> columns, std::uint64_t first,
                           std::uint64_t count, TableRows& out) const {
  std::vector<Wanted> wanted;
  for (std::size_t k = 0; k < columns.size(); ++k) wanted.push_back({columns[k], k});
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.column < b.column; });
  const auto entry = entry_of(first), last = entry_of(first + count - 1) + 1;
  TextWindow window(file(), entry->offset, last == index_.end() ? end_ : last->offset,
                    out.scratch());
  const char* line = window.begin();
  std::uint64_t lines = 0;
  for (std::uint64_t row = entry->row; row < first + count; ++row) {
    line = row_start(window, line, lines);
    line = row < first ? row_end(window, line, false, lines)
                       : read_row(window, line, wanted, row, row - first, out);
  }
}

std::optional<std::uint64_t> TextTable::first_text(std::size_t column) const {
  if (first_texts_[column] == kNoRow) return std::nullopt;
  return first_texts_[column];
}

std::string TextTable::comments_like_rows() const {
  constexpr std::uint64_t kOneField = 1;  // any text is one
  if (comments_like_rows_ == 0 || columns().size() == kOneField) return "";
  return fmt::format(
      "{}: {} like {} that begin{} with # {}, first line {}; quote a field that begins with #, as "
      "\"#1\"",
      path(), counted(comments_like_rows_, "line"), comments_like_rows_ == 1 ? "a row" : "rows",
      comments_like_rows_ == 1 ? "s" : "",
      comments_like_rows_ == 1 ? "is skipped as a comment" : "are skipped as comments",
      first_comment_like_row_);
}

std::string TextTable::row_place(std::uint64_t row) const {
  const auto entry = entry_of(row);
  Buffer<std::byte> room;
  TextWindow window(file(), entry->offset, end_, room);
  const char* line = window.begin();
  std::uint64_t lines = entry->line;
  for (std::uint64_t at = entry->row; at <= row; ++at) {
    line = row_start(window, line, lines);
    if (at < row) line = row_end(window, line, false, lines);
  }
  return fmt::format("line {}", lines);
}

std::string TextTable::place_of(std::uint64_t row, std::size_t column) const {
  const std::string& name = columns()[column].name;
  return fmt::format("{}: column {}", row_place(row), name.empty() ? std::to_string(column) : name);
}

}  // namespace roundel
