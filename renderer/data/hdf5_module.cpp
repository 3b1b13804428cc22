#include "renderer/data/hdf5_module.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/module.h"
#include "renderer/base/text.h"
#include "renderer/data/hdf5_channel.h"
#include "renderer/data/hdf5_child.h"

// All of this runs in a process of its own, by one thread (see hdf5_child.h).

namespace roundel {
namespace {

constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kLeastRunBytes = std::uint64_t{1} << 18;
/// Of texts that are pointed to, in a run of rows: where all are about as long.
constexpr std::uint64_t kRunTextBytes = std::uint64_t{4} << 20;

/// An identifier of the library's, released with the object.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

/// What the library says of its last failure.
std::string library_error() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
        if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &text);
  return text.empty() ? "an unknown error" : printable(text);
}

/// Bytes of texts in memory at once. What a file calls a text can be one that many rows share.
std::atomic<std::uint64_t> text_bytes{0};
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 28;

void* allocate_text(std::size_t size, void* /*unused*/) {
  if ((text_bytes += size) > kMaxTextBytes) {
    text_bytes -= size;
    return nullptr;
  }
  auto* const block = static_cast<std::size_t*>(std::malloc(size + sizeof(std::max_align_t)));
  if (block == nullptr) {
    text_bytes -= size;
    return nullptr;
  }
  *block = size;
  return reinterpret_cast<char*>(block) + sizeof(std::max_align_t);
}

void free_text(void* text, void* /*unused*/) {
  if (text == nullptr) return;
  char* const block = static_cast<char*>(text) - sizeof(std::max_align_t);
  text_bytes -= *reinterpret_cast<std::size_t*>(block);
  std::free(block);
}

struct OpenFile {
  std::string path;
  Handle id;

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ExitCode::kInvalidScene, path + ": " + problem);
  }
};

/// The rows of a dataset as the library reads them.
class DatasetBytes final : public ByteSource {
 public:
  DatasetBytes(std::shared_ptr<const OpenFile> file, std::string name, Handle dataset, Handle type,
               std::uint64_t record_bytes, std::uint64_t width, std::uint64_t chunk_rows,
               std::uint64_t most_rows, std::size_t text_buffer)
      : file_(std::move(file)),
        name_(std::move(name)),
        dataset_(std::move(dataset)),
        type_(std::move(type)),
        record_bytes_(record_bytes),
        width_(width) {
    const std::uint64_t chunk_bytes = std::max<std::uint64_t>(1, chunk_rows * record_bytes);
    run_bytes_ = (kLeastRunBytes + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
    run_bytes_ = std::min(run_bytes_, most_rows * record_bytes);
    transfer_ = Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    H5Pset_vlen_mem_manager(transfer_, allocate_text, nullptr, free_text, nullptr);
    if (text_buffer > 0) H5Pset_buffer(transfer_, text_buffer, nullptr, nullptr);
  }
  ~DatasetBytes() override {
    dataset_ = {};
    type_ = {};
    transfer_ = {};
    file_ = {};
  }

  std::uint64_t run_bytes() const override { return run_bytes_; }
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Rows rows = rows_of(offset, bytes.size());
    std::fill(bytes.begin(), bytes.end(), std::byte{});  // where a file leaves values undefined
    if (H5Dread(dataset_, type_, rows.memory, rows.file, transfer_, bytes.data()) < 0)
      file_->fail(fmt::format("{}: rows from {} on cannot be read: {}", printable(name_),
                              offset / record_bytes_, library_error()));
  }
  void release(std::span<std::byte> bytes) const override {
    H5Dvlen_reclaim(type_, rows_of(0, bytes.size()).memory, transfer_, bytes.data());
  }

 private:
  struct Rows {
    Handle file, memory;
  };
  Rows rows_of(std::uint64_t offset, std::size_t size) const {
    const std::array<hsize_t, 2> start = {offset / record_bytes_, 0};
    const std::array<hsize_t, 2> count = {size / record_bytes_, width_};
    Handle file(H5Dget_space(dataset_), H5Sclose);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const int rank = H5Sget_simple_extent_ndims(file);
    return {std::move(file), Handle(H5Screate_simple(rank, count.data(), nullptr), H5Sclose)};
  }

  std::shared_ptr<const OpenFile> file_;
  std::string name_;
  Handle dataset_, type_, transfer_;
  std::uint64_t record_bytes_, width_, run_bytes_ = 0;
};

class TableReader {
 public:
  TableReader(const std::string& path, int descriptor)
      : file_(std::make_shared<OpenFile>(OpenFile{path, {}})) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access, false, true);
    const std::string open_path = fmt::format("/proc/self/fd/{}", descriptor);
    file_->id = Handle(H5Fopen(open_path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    if (file_->id < 0) fail("cannot be read as HDF5: " + library_error());
    // No other files.
    links_ = Handle(H5Pcreate(H5P_LINK_ACCESS), H5Pclose);
    H5Pset_elink_cb(
        links_,
        [](const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) -> herr_t {
          return -1;
        },
        nullptr);
  }

  Hdf5Table read(const std::string& name) {
    const std::string place = name.empty() ? "/" : name;
    const Handle object(H5Oopen(file_->id, place.c_str(), links_), H5Oclose);
    if (object < 0) {
      const Handle root(H5Oopen(file_->id, "/", links_), H5Oclose);
      fail(fmt::format("has no dataset or group {}; at its root {}", quoted(name),
                       there_are(links_of(root))));
    }
    if (H5Iget_type(object) == H5I_DATASET) {
      add_dataset(place, "", true);
    } else if (H5Iget_type(object) == H5I_GROUP) {
      const auto has = [&](const char* link) { return H5Lexists(object, link, H5P_DEFAULT) > 0; };
      if (name.empty() && H5Aexists(object, "encoding-type") > 0 && has("obs") && has("var"))
        fail(kAnnDataProblem);
      try {
        add_group(place, object);
      } catch (const Error&) {
        if (is_of_pandas(object)) fail_for_pandas(place);
        throw;
      }
    } else {
      fail(quoted(name) + " is neither a dataset nor a group");
    }
    if (table_.columns.empty()) fail(fmt::format("{}: expected a column, got none", quoted(place)));
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { file_->fail(problem); }

  static constexpr const char* kAnnDataProblem =
      "is a file of AnnData: name one of its datasets, as dataset: obsm/X_umap or dataset: X, or "
      "draw it in Python, as a = anndata.read_h5ad(FILE); scene.add(a.obs, x=a.obsm[\"X_umap\"][:, "
      "0], y=a.obsm[\"X_umap\"][:, 1], radius=\"2px\")";
  static bool is_of_pandas(hid_t group) { return H5Aexists(group, "pandas_type") > 0; }
  [[noreturn]] void fail_for_pandas(const std::string& place) const {
    fail(
        fmt::format("{} is a table of pandas: draw it in Python, as df = pandas.read_hdf(FILE, "
                    "{}); scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")",
                    quoted(place), quoted(place)));
  }

  std::vector<std::string> links_of(hid_t group) const {
    std::vector<std::string> names;
    H5Literate(
        group, H5_INDEX_NAME, H5_ITER_INC, nullptr,
        [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
          auto& found = *static_cast<std::vector<std::string>*>(out);
          found.emplace_back(name);
          return found.size() > kMaxTableColumns ? 1 : 0;
        },
        &names);
    if (names.size() > kMaxTableColumns) fail("a group has too many members");
    return names;
  }

  void add_group(const std::string& place, hid_t group) {
    const std::vector<std::string> names = links_of(group);
    std::vector<std::string> datasets, others;
    std::string pandas;  // one of its tables
    for (const std::string& name : names) {
      const Handle member(H5Oopen(group, name.c_str(), links_), H5Oclose);
      if (member >= 0 && H5Iget_type(member) == H5I_DATASET && rank_of(member) > 0 &&
          rank_of(member) <= 2)
        datasets.push_back(name);
      else
        others.push_back(name);
      if (member >= 0 && datasets.empty() && H5Iget_type(member) == H5I_GROUP &&
          is_of_pandas(member))
        pandas = name;
    }
    if (datasets.empty() && !pandas.empty()) fail_for_pandas(pandas);
    if (datasets.empty())
      fail(fmt::format("{} has no dataset [n] or [n, k]; name one with \"dataset\"; {}",
                       quoted(place), there_are(others)));
    const std::string start = place.ends_with('/') ? place : place + "/";
    const bool is_single = datasets.size() == 1 && place == "/";
    for (const std::string& name : datasets) add_dataset(start + name, name, is_single);
  }

  static int rank_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    return H5Sget_simple_extent_ndims(space);
  }

  /// `name` stands before its columns' names, but not where the table is this dataset alone.
  void add_dataset(const std::string& place, const std::string& name, bool is_table) {
    Handle dataset(H5Dopen2(file_->id, place.c_str(), access_of_dataset()), H5Dclose);
    if (dataset < 0) fail(fmt::format("{}: cannot be opened: {}", quoted(place), library_error()));
    const auto refuse = [&](const std::string& problem) {
      fail(printable(place) + ": " + problem);
    };
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank != 1 && rank != 2)
      refuse(fmt::format("expected a dataset [n] or [n, k], got {}",
                         counted(static_cast<std::uint64_t>(std::max(rank, 0)), "dimension")));
    std::array<hsize_t, 2> shape = {0, 1};
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    if (shape[1] == 0) refuse("expected at least one column");
    if (table_.runs.empty()) {
      table_.rows = shape[0];
      first_ = place;
    } else if (shape[0] != table_.rows) {
      fail(fmt::format(
          "expected datasets of the same length, but {} has {}, {} {}; name one with \"dataset\"",
          printable(first_), counted(table_.rows, "row"), printable(place), with_commas(shape[0])));
    }
    // As it is in memory: texts of any length are pointers there.
    Handle type(H5Dget_type(dataset), H5Tclose);
    const std::uint64_t type_bytes = H5Tget_size(type);
    if (type < 0 || type_bytes == 0) refuse("its type cannot be read");
    if (shape[1] > kMaxTableColumns || type_bytes > kMaxTableRowBytes ||
        shape[1] * type_bytes > kMaxTableRowBytes)
      refuse("its rows are too long");
    const std::size_t first = table_.columns.size();
    has_pointers_ = false;
    for (std::uint64_t c = 0; c < shape[1]; ++c) {
      std::string column = is_table && (rank == 2 || H5Tget_class(type) == H5T_COMPOUND) ? ""
                           : name.empty() ? std::string(place.substr(place.rfind('/') + 1))
                                          : name;
      if (!column.empty() && rank == 2) column += fmt::format("[{}]", c);
      add_columns(type, column, c * type_bytes, place);
    }
    if (rank == 2 && is_table && shape[1] > 1)
      for (std::size_t c = first; c < table_.columns.size(); ++c) table_.columns[c].name.clear();
    add_run(place, std::move(dataset), std::move(type), shape[1]);
  }

  Handle access_of_dataset() const { return {H5Pcreate(H5P_DATASET_ACCESS), H5Pclose}; }

  void add_run(const std::string& place, Handle dataset, Handle type, std::uint64_t width) {
    const std::uint64_t record_bytes = width * H5Tget_size(type);
    const auto refuse = [&](const std::string& problem) {
      fail(printable(place) + ": " + problem);
    };
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(creation);
    if (layout == H5D_VIRTUAL || H5Pget_external_count(creation) > 0)
      refuse("its rows are in other files");
    for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
      unsigned flags = 0, config = 0;
      std::size_t values = 0;
      std::array<char, 64> filter_name{};
      const H5Z_filter_t filter =
          H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr,
                         filter_name.size() - 1, filter_name.data(), &config);
      if (H5Zfilter_avail(filter) <= 0)
        refuse(fmt::format("needs filter {} ({}), which libhdf5 does not find here",
                           static_cast<int>(filter), printable(filter_name.data())));
    }
    std::uint64_t chunk_rows = 1;
    if (layout == H5D_CHUNKED) {
      std::array<hsize_t, 2> chunk = {1, 1};
      H5Pget_chunk(creation, 2, chunk.data());
      std::uint64_t bytes = 0;
      if (__builtin_mul_overflow(chunk[0], chunk[1], &bytes) ||
          __builtin_mul_overflow(bytes, H5Tget_size(type), &bytes) || bytes > kMaxChunkBytes)
        refuse(fmt::format("its chunks are too large (at most {} bytes)", kMaxChunkBytes));
      chunk_rows = chunk[0];
      if (chunk_rows * record_bytes > kMaxChunkBytes) chunk_rows = 1;
    }
    const haddr_t offset = layout == H5D_CONTIGUOUS ? H5Dget_offset(dataset) : HADDR_UNDEF;
    Hdf5Table::Run run{nullptr, 0, record_bytes, has_pointers_};
    if (offset != HADDR_UNDEF && !has_pointers_)
      run.offset = offset;
    else
      run.bytes = std::make_shared<DatasetBytes>(file_, place, std::move(dataset), std::move(type),
                                                 record_bytes, width, chunk_rows, most_rows(),
                                                 text_buffer(record_bytes, width));
    table_.runs.push_back(std::move(run));
  }

  /// Bytes of the library's buffer for one element, so that it makes texts of one at a time: made
  /// together, a text that a damaged file lacks would be the one before it, or none where reading
  /// begins. 0 where no texts are pointed to: the library's own size.
  std::size_t text_buffer(std::uint64_t record_bytes, std::uint64_t width) const {
    if (!has_pointers_) return 0;
    const Handle creation(H5Fget_create_plist(file_->id), H5Pclose);
    std::size_t address_bytes = 0, size_bytes = 0;
    H5Pget_sizes(creation, &address_bytes, &size_bytes);
    // In the file a text is its length, an address and a number: 4 + address_bytes + 4.
    const std::size_t pointers = pointers_of(table_.columns, table_.runs.size()).size();
    return (record_bytes + pointers * (8 + address_bytes - sizeof(char*))) / width;
  }

  /// Of a run: fewer where texts are pointed to, which lie in the file somewhere.
  std::uint64_t most_rows() const {
    hsize_t file_bytes = 0;
    if (!has_pointers_ || H5Fget_filesize(file_->id, &file_bytes) < 0) return kMaxChunkBytes;
    const std::uint64_t of_row = file_bytes / std::max<std::uint64_t>(1, table_.rows) + 1;
    return std::max<std::uint64_t>(1, kRunTextBytes / of_row);
  }

  void add_columns(hid_t type, const std::string& name, std::uint64_t offset,
                   const std::string& place) {
    if (name.size() > 1000) fail(printable(place) + ": a column's name is too long");
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_COMPOUND) {
      for (int i = 0; i < H5Tget_nmembers(type); ++i) {
        const auto member = static_cast<unsigned>(i);
        char* const member_name = H5Tget_member_name(type, member);
        const std::string full = (name.empty() ? "" : name + ".") + member_name;
        H5free_memory(member_name);
        const Handle member_type(H5Tget_member_type(type, member), H5Tclose);
        add_columns(member_type, full, offset + H5Tget_member_offset(type, member), place);
      }
      return;
    }
    if (kind == H5T_ARRAY) {
      std::array<hsize_t, H5S_MAX_RANK> shape{};
      const int rank = H5Tget_array_dims2(type, shape.data());
      const Handle base(H5Tget_super(type), H5Tclose);
      const std::uint64_t size = H5Tget_size(base);
      for (std::uint64_t i = 0, count = H5Tget_size(type) / std::max<std::uint64_t>(1, size);
           i < count; ++i) {
        std::string index;
        std::uint64_t rest = i;
        for (int d = rank - 1; d >= 0; --d) {
          const std::uint64_t length = std::max<hsize_t>(1, shape[static_cast<std::size_t>(d)]);
          index.insert(0, fmt::format(",{}", rest % length));
          rest /= length;
        }
        add_columns(base, name + "[" + index.substr(1) + "]", offset + i * size, place);
      }
      return;
    }
    if (table_.columns.size() == kMaxTableColumns)
      fail(fmt::format("more than {} columns", kMaxTableColumns));
    const std::optional<Element> element = element_of(type);
    if (!element)
      fail(fmt::format("{}: {}: expected numbers or texts", printable(place), quoted(name)));
    has_pointers_ |= element->kind == Element::Kind::kPointer;
    table_.columns.push_back({name, *element, table_.runs.size(), offset});
  }

  static std::optional<Element> element_of(hid_t type) {
    Element element;
    element.size = H5Tget_size(type);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_STRING) {
      const bool is_variable = H5Tis_variable_str(type) > 0;
      element.kind = is_variable ? Element::Kind::kPointer : Element::Kind::kBytes;
      return element;
    }
    if (kind == H5T_ENUM) {
      const Handle base(H5Tget_super(type), H5Tclose);
      return element_of(base);
    }
    const H5T_order_t order = H5Tget_order(type);
    element.is_big_endian = order == H5T_ORDER_BE;
    const bool is_whole = H5Tget_precision(type) == 8 * element.size;
    const bool is_size =
        element.size == 1 || element.size == 2 || element.size == 4 || element.size == 8;
    if (!is_whole || !is_size ||
        (order != H5T_ORDER_LE && order != H5T_ORDER_BE && order != H5T_ORDER_NONE))
      return std::nullopt;
    if (kind == H5T_INTEGER) {
      element.kind =
          H5Tget_sign(type) == H5T_SGN_NONE ? Element::Kind::kUnsigned : Element::Kind::kInteger;
      return element;
    }
    if (kind == H5T_BITFIELD) {
      element.kind = Element::Kind::kUnsigned;
      return element;
    }
    if (kind != H5T_FLOAT || element.size == 1) return std::nullopt;
    // IEEE's, as sign, exponent and fraction lie in them.
    std::size_t sign = 0, exponent = 0, exponent_bits = 0, fraction = 0, fraction_bits = 0;
    H5Tget_fields(type, &sign, &exponent, &exponent_bits, &fraction, &fraction_bits);
    const std::size_t expected = element.size == 2 ? 5 : element.size == 4 ? 8 : 11;
    if (exponent_bits != expected || fraction != 0 || exponent != fraction_bits ||
        sign != 8 * element.size - 1 || H5Tget_norm(type) != H5T_NORM_IMPLIED ||
        H5Tget_ebias(type) != (std::size_t{1} << (expected - 1)) - 1)
      return std::nullopt;
    element.kind = Element::Kind::kFloat;
    return element;
  }

  std::shared_ptr<OpenFile> file_;
  Handle links_;
  Hdf5Table table_;
  std::string first_;
  bool has_pointers_ = false;
};

/// As libhdf5 calls what is given to it: with its lock.
void call_inside(const std::function<void()>& work) {
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  int property = 0;
  H5Piterate(
      list, &property,
      [](hid_t, const char*, void* given) -> herr_t {
        (*static_cast<const std::function<void()>*>(given))();
        return 1;  // once
      },
      const_cast<std::function<void()>*>(&work));  // NOLINT: a void* in C
}

}  // namespace

Hdf5Table read_hdf5_table(const std::string& path, int descriptor, const std::string& dataset,
                          pid_t first_process) {
  return read_in_child(
      path, descriptor,
      {first_process, call_inside, [] { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); },
       [path, dataset](int here) { return TableReader(path, here).read(dataset); }});
}

}  // namespace roundel

ROUNDEL_MODULE_FUNCTION roundel::Hdf5Functions roundel_hdf5_functions() {
  return {roundel::read_hdf5_table};
}
