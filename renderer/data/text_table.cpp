#include "renderer/data/text_table.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/text_scan.h"

namespace roundel {
namespace {

bool is_used(const TableOptions& options, const TableColumn& column, std::size_t number) {
  return !options.used || options.used->numbers.count(number) > 0 ||
         (!column.name.empty() && options.used->names.count(column.name) > 0);
}

/// Warning about comments that may be rows.
std::string comments_text(const ScannedText& found, const std::string& path) {
  const std::uint64_t count = found.comments_like_rows;
  if (count == 0) return "";
  return fmt::format(
      "{}: {} like {} that begin{} with # {}, first line {}; quote a field that begins with #, as "
      "\"#1\"",
      path, counted(count, "line"), count == 1 ? "a row" : "rows", count == 1 ? "s" : "",
      count == 1 ? "is skipped as a comment" : "are skipped as comments",
      found.first_comment_like_row);
}

}  // namespace

TextTable::TextTable(std::shared_ptr<const InputFile> input, TextForm form,
                     const TableOptions& options)
    : Table(std::move(input)), store_(path(), options.memory) {
  std::vector<TextUse> uses;
  std::size_t place = 0;
  for (std::size_t c = 0; c < form.columns.size(); ++c) {
    const TextUse unused = form.numbers_only ? TextUse::kCheckNumber : TextUse::kSkip;
    uses.push_back(!is_used(options, form.columns[c], c) ? unused
                   : form.columns[c].is_text             ? TextUse::kText
                                                         : TextUse::kNumber);
    places_.push_back(place);
    if (uses.back() != TextUse::kSkip) ++place;
  }
  const auto scan = [&] {
    ContentHash hash;
    const auto add = [&hash](std::span<const std::byte> bytes) { hash.add(bytes); };
    visit_file(0, form.start, add);
    ScannedText found = scan_text(file(), form, uses, store_, hash);
    visit_file(found.end, file().size(), add);
    check_unchanged();
    set_content_hash(hash.digest());
    return found;
  };
  ScannedText found = scan();
  if (!form.numbers_only && take_kinds(found.columns, uses)) {
    store_.clear();
    found = scan();
  }
  if (form.rows && found.rows < *form.rows)
    fail(fmt::format("expected {} of numbers, but the file ends after {}",
                     counted(*form.rows, "line"), with_commas(found.rows)));
  if (form.rows && found.rows > *form.rows)
    fail(fmt::format("expected {} of numbers, got {}", counted(*form.rows, "line"),
                     with_commas(found.rows)));
  set_row_lines(std::move(found.row_lines));
  for (std::size_t c = 0; c < form.columns.size(); ++c) {
    if (uses[c] == TextUse::kSkip) continue;
    const ScannedText::Column& column = found.columns[places_[c]];
    form.columns[c].is_text = uses[c] == TextUse::kText;
    form.columns[c].first_text = column.first_text;
    form.columns[c].text_bytes = column.text_bytes;
  }
  constexpr std::uint64_t kRunRows = 1;
  set_form(std::move(form.columns), found.rows, kRunRows);
  for (std::size_t c = 0; c < columns().size(); ++c) {
    if (uses[c] == TextUse::kSkip) continue;
    const ScannedText::Column& column = found.columns[places_[c]];
    if (form.numbers_only && column.first_text)
      fail(fmt::format("{}: expected a number, got {}", place_of(*column.first_text, c),
                       quoted(column.text)));
    if (const auto& rounded = column.rounded)
      note_rounded(c, rounded->row, rounded->digits, rounded->number);
  }
  constexpr std::size_t kOneField = 1;  // any text is one
  set_comments(found.comments, columns().size() == kOneField ? "" : comments_text(found, path()));
  blocks_ = std::move(found.blocks);
  set_column_bytes(store_.memory_bytes() + store_.file_bytes(), store_.file_bytes() > 0);
  set_opening_bytes(found.piece_bytes *
                    static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency()));
  constexpr std::uint64_t kLongLines = std::uint64_t{1} << 20;
  if (found.piece_bytes > kLongLines) trim_heap();
}

std::uint64_t TextTable::memory_bytes() const {
  const std::uint64_t begins = blocks_.empty() ? 0 : blocks_[0].begins.size();
  return store_.memory_bytes() + row_lines_bytes() +
         blocks_.size() * (sizeof(TextBlock) + begins * sizeof(std::uint64_t));
}

void TextTable::read_rows(std::span<const std::size_t> columns, std::uint64_t first,
                          std::uint64_t count, TableRows& out) const {
  auto block = std::upper_bound(blocks_.begin(), blocks_.end(), first,
                                [](std::uint64_t row, const TextBlock& b) { return row < b.row; }) -
               1;
  for (std::uint64_t done = 0, part = 0; done < count; done += part, ++block) {
    const std::uint64_t end = block + 1 == blocks_.end() ? rows() : (block + 1)->row;
    const std::uint64_t begin = first + done - block->row;
    part = std::min(end - first, count) - done;
    const auto index = static_cast<std::size_t>(block - blocks_.begin());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t place = places_[columns[k]];
      const std::uint64_t offset = block->begins[place];
      if (!this->columns()[columns[k]].is_text) {
        const auto numbers = store_.bytes(index, offset + begin * sizeof(double),
                                          part * sizeof(double), out.scratch());
        std::memcpy(out.numbers_to_fill(k).data() + done, numbers.data(), numbers.size());
        continue;
      }
      const auto bytes =
          store_.bytes(index, offset, block->begins[place + 1] - offset, out.scratch());
      const auto* const ends = reinterpret_cast<const std::uint32_t*>(bytes.data());
      const auto* const texts = reinterpret_cast<const char*>(ends + (end - block->row));
      for (std::uint64_t i = 0; i < part; ++i) {
        const std::uint32_t start = begin + i == 0 ? 0 : ends[begin + i - 1];
        out.texts_to_fill(k)[done + i] = out.keep({texts + start, ends[begin + i] - start});
      }
    }
  }
}

}  // namespace roundel
