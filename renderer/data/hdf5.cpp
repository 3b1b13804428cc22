// Reads HDF5 files through a helper program, which alone loads libhdf5, and crashes alone.
#include "renderer/data/hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/array_table.h"
#include "renderer/data/hdf5_process.h"

namespace roundel {
namespace {

/// A file in a helper process. Thread-safe. A fork of this process opens it again in another
/// helper.
class HelperFile {
 public:
  HelperFile(std::shared_ptr<const InputFile> file, std::string dataset)
      : file_(std::move(file)), dataset_(std::move(dataset)), description_(open()) {}
  ~HelperFile() {
    if (process_) Hdf5Process::return_to_pool(std::move(process_));
  }
  HelperFile(const HelperFile&) = delete;
  HelperFile& operator=(const HelperFile&) = delete;

  const std::string& description() const { return description_; }
  /// Peak of the helper for the file.
  std::uint64_t peak_memory() const { return peak_memory_; }

  void read(std::uint64_t run, std::uint64_t offset, std::span<std::byte> records,
            std::string& texts) {
    const std::lock_guard lock(mutex_);
    if (process_ && !process_->is_own()) process_.reset();
    if (!process_ && open() != description_)
      throw Error(ExitCode::kRuntimeFailure, file_->path() + ": has changed while it was read");
    auto process = std::move(process_);  // an exception ends it
    texts.resize(process->send_request({run, offset, records.size()}));
    process->receive(records.data(), records.size());
    process->receive(texts.data(), texts.size());
    keep(std::move(process));
  }

 private:
  std::string open() {
    auto process = Hdf5Process::take(file_->path());
    std::string description(
        process->send_request({kHdf5Open, dataset_.size(), 0}, dataset_, file_->descriptor()),
        '\0');
    process->receive(description.data(), description.size());
    keep(std::move(process));
    return description;
  }
  void keep(std::unique_ptr<Hdf5Process> process) {
    process_ = std::move(process);
    peak_memory_ = std::max<std::uint64_t>(peak_memory_, process_->peak_memory());
  }

  std::shared_ptr<const InputFile> file_;
  std::string dataset_;
  std::mutex mutex_;
  std::unique_ptr<Hdf5Process> process_;
  std::atomic<std::uint64_t> peak_memory_{0};
  std::string description_;  // last: open() sets the others
};

class HelperBytes final : public ByteSource {
 public:
  HelperBytes(std::shared_ptr<HelperFile> file, std::uint64_t run, std::uint64_t run_bytes,
              bool is_first)
      : file_(std::move(file)), run_(run), run_bytes_(run_bytes), is_first_(is_first) {}

  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    std::string texts;
    read_records(offset, bytes, texts);
  }
  void read_records(std::uint64_t offset, std::span<std::byte> records,
                    std::string& texts) const override {
    file_->read(run_, offset, records, texts);
  }
  std::uint64_t run_bytes() const override { return run_bytes_; }
  /// The helper's memory, counted once for all runs.
  std::uint64_t memory_bytes() const override { return is_first_ ? file_->peak_memory() : 0; }

 private:
  std::shared_ptr<HelperFile> file_;
  std::uint64_t run_, run_bytes_;
  bool is_first_;
};

/// How to read a table whose column names only its library knows.
std::string hint_of(const std::vector<ArrayColumn>& columns) {
  for (const ArrayColumn& column : columns) {
    if (column.name.find("values_block_") != std::string::npos)
      return "; it is a table of pandas, which has the names in Python: df = "
             "pandas.read_hdf(FILE), then scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")";
    if (column.name == "_index")
      return "; it is a table of AnnData, which has its categories in Python: a = "
             "anndata.read_h5ad(FILE), then scene.add(a.obs, ...)";
  }
  return "";
}

bool is_element(const Hdf5Column& column) {
  const std::uint64_t size = column.size;
  const bool is_number = size == 1 || size == 2 || size == 4 || size == 8;
  if (column.kind > static_cast<std::uint64_t>(Element::Kind::kPlace)) return false;
  switch (static_cast<Element::Kind>(column.kind)) {
    case Element::Kind::kInteger:
    case Element::Kind::kUnsigned:
      return is_number;
    case Element::Kind::kFloat:
      return is_number && size > 1;
    case Element::Kind::kPlace:
      return size == 8;
    default:
      return column.kind == static_cast<std::uint64_t>(Element::Kind::kBytes);
  }
}

/// Parses a description, which may be anything after a damaged file.
class Description {
 public:
  Description(const std::string& path, std::string_view bytes) : path_(path), rest_(bytes) {}
  template <typename Value>
  Value value() {
    Value value;
    check(sizeof(value) <= rest_.size(), "is damaged");
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    return value;
  }
  std::string text() {
    const std::size_t end = rest_.find('\0');
    check(end != std::string_view::npos, "is damaged");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool is_at_end() const { return rest_.empty(); }
  void check(bool is_right, const std::string& problem) const {
    if (!is_right) throw Error(ExitCode::kInvalidScene, path_ + ": " + problem);
  }

 private:
  const std::string& path_;
  std::string_view rest_;
};

}  // namespace

std::unique_ptr<Table> open_hdf5(std::shared_ptr<const InputFile> file,
                                 const std::string& dataset) {
  const auto helper = std::make_shared<HelperFile>(file, dataset);
  const auto bytes = std::make_shared<FileBytes>(file);
  Description from(file->path(), helper->description());
  const auto counts = from.value<Hdf5Counts>();
  bool is_first = true;
  std::vector<RecordRun> runs;
  for (std::uint64_t i = 0; i < counts.runs; ++i) {
    const auto run = from.value<Hdf5Run>();
    std::uint64_t size = 0;
    from.check(run.record_bytes > 0 && run.record_bytes <= kMaxTableRowBytes &&
                   run.run_bytes <= 2 * kMaxHdf5ChunkBytes &&
                   !__builtin_mul_overflow(run.rows, run.record_bytes, &size),
               "is damaged");
    std::shared_ptr<const ByteSource> source = bytes;
    if (run.is_in_file != 0)
      from.check(size <= file->size() && run.offset <= file->size() - size, "is cut short");
    else
      source =
          std::make_shared<HelperBytes>(helper, i, run.run_bytes, std::exchange(is_first, false));
    runs.push_back({std::move(source), run.offset, run.record_bytes, run.rows});
  }
  std::vector<ArrayColumn> columns;
  for (std::uint64_t i = 0; i < counts.columns; ++i) {
    const auto column = from.value<Hdf5Column>();
    from.check(column.run < runs.size() && is_element(column), "is damaged");
    columns.push_back(
        {"",
         {static_cast<Element::Kind>(column.kind), column.is_big_endian != 0, column.size},
         column.run,
         column.offset});
  }
  from.check(!columns.empty(), "is damaged");
  for (auto& [name, element, run, offset] : columns) {
    name = from.text();
    // libhdf5 does not check that members lie within their row.
    from.check(
        element.size <= runs[run].record_bytes && offset <= runs[run].record_bytes - element.size,
        fmt::format("is damaged: column {} is not within its rows of {} bytes", quoted(name),
                    runs[run].record_bytes));
  }
  Table::LeftOut left_out;
  while (!from.is_at_end()) {
    std::string name = from.text();
    left_out.emplace(std::move(name), printable(from.text()));
  }
  const std::uint64_t rows = *runs[columns.front().run].rows;
  const std::string hint = hint_of(columns);
  auto table =
      std::make_unique<ArrayTable>(std::move(file), std::move(runs), std::move(columns), rows);
  table->leave_out(std::move(left_out));
  table->set_hint(hint);
  return table;
}

}  // namespace roundel
