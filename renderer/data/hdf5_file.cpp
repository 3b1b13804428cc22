#include "renderer/data/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/element.h"
#include "renderer/data/hdf5_protocol.h"

namespace roundel {
namespace {

constexpr std::uint64_t kMinRunBytes = std::uint64_t{1} << 18;
/// Bytes of texts in a run, if they have similar lengths.
constexpr std::uint64_t kRunTextBytes = std::uint64_t{4} << 20;
/// Texts of an answer may exceed the file's size by this: rows may share texts.
constexpr std::uint64_t kMaxSharedTextBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{256} << 20;

[[noreturn]] void fail(const std::string& problem) {
  throw Error(ExitCode::kInvalidScene, problem);
}

/// An identifier of the library.
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

/// The library's last error.
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

void* allocate_text(std::size_t size, void* bytes_left) {
  auto& left = *static_cast<std::uint64_t*>(bytes_left);
  if (size > left) return nullptr;
  left -= size;
  return std::malloc(size);
}
void free_text(void* text, void* /*unused*/) {
  std::free(text);
}

/// Rows that the library reads.
struct Dataset {
  std::string place;  ///< its path
  Handle id, type, transfer;
  int rank = 1;
  std::uint64_t rows = 0, width = 1, record_bytes = 0;
  std::vector<std::uint64_t> texts;  ///< offsets of texts of any length in a record
  std::uint64_t max_text_bytes = 0, text_bytes_left = 0;

  /// Appends the texts of the records to `all_texts`.
  void read(std::uint64_t offset, std::span<std::byte> records, std::string& all_texts) {
    const std::array<hsize_t, 2> start = {offset / record_bytes, 0};
    const std::array<hsize_t, 2> count = {records.size() / record_bytes, width};
    const Handle file(H5Dget_space(id), H5Sclose);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const Handle memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
    std::fill(records.begin(), records.end(), std::byte{});  // for missing values
    text_bytes_left = max_text_bytes;
    H5Pset_vlen_mem_manager(transfer, allocate_text, &text_bytes_left, free_text, nullptr);
    if (H5Dread(id, type, memory, file, transfer, records.data()) < 0)
      fail(fmt::format("{}: rows from {} on cannot be read: {}", printable(place), start[0],
                       library_error()));
    if (text_bytes_left == max_text_bytes && texts.empty()) return;
    std::vector<std::uint64_t> places;
    for_each_text(records, [&](std::byte* at) {
      const char* text = nullptr;
      std::memcpy(&text, at, sizeof(text));
      places.push_back(text == nullptr ? 0 : all_texts.size() + 1);
      if (text != nullptr) all_texts.append(text, std::strlen(text) + 1);
    });
    H5Dvlen_reclaim(type, memory, transfer, records.data());
    auto next = places.begin();
    for_each_text(records, [&](std::byte* at) { std::memcpy(at, &*next++, sizeof(*next)); });
  }

 private:
  template <typename Visit>
  void for_each_text(std::span<std::byte> records, const Visit& visit) const {
    for (std::size_t row = 0; row + record_bytes <= records.size(); row += record_bytes)
      for (const std::uint64_t offset : texts) visit(records.data() + row + offset);
  }
};

/// Returns nothing for other types than numbers and texts.
std::optional<Element> element_of(hid_t type) {
  Element element;
  element.size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_STRING) {
    element.kind = H5Tis_variable_str(type) > 0 ? Element::Kind::kPlace : Element::Kind::kBytes;
    return element;
  }
  if (kind == H5T_ENUM) return element_of(Handle(H5Tget_super(type), H5Tclose));
  const H5T_order_t order = H5Tget_order(type);
  element.is_big_endian = order == H5T_ORDER_BE;
  const bool is_whole = H5Tget_precision(type) == 8 * element.size;
  const bool is_size =
      element.size == 1 || element.size == 2 || element.size == 4 || element.size == 8;
  if (!is_whole || !is_size ||
      (order != H5T_ORDER_LE && order != H5T_ORDER_BE && order != H5T_ORDER_NONE))
    return std::nullopt;
  if (kind == H5T_INTEGER || kind == H5T_BITFIELD) {
    const bool has_sign = kind == H5T_INTEGER && H5Tget_sign(type) != H5T_SGN_NONE;
    element.kind = has_sign ? Element::Kind::kInteger : Element::Kind::kUnsigned;
    return element;
  }
  if (kind != H5T_FLOAT || element.size == 1) return std::nullopt;
  // Accepts IEEE's formats only.
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

/// Columns of a type, and fields that cannot be columns.
struct Fields {
  struct Field {
    std::string name;
    Element element;
    std::uint64_t offset = 0;
  };
  std::vector<Field> columns;
  std::map<std::string, std::string> left_out;  ///< with the reason

  void add(hid_t type, const std::string& name, std::uint64_t offset) {
    if (name.size() > 1000) fail("a column's name is too long");
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_COMPOUND) return add_members(type, name, offset);
    if (kind == H5T_ARRAY) return add_elements(type, name, offset);
    if (columns.size() + left_out.size() >= kMaxTableColumns)
      fail(fmt::format("more than {} columns", kMaxTableColumns));
    if (const auto element = element_of(type))
      columns.push_back({name, *element, offset});
    else
      left_out.emplace(name, "expected numbers or texts");
  }

 private:
  void add_members(hid_t type, const std::string& name, std::uint64_t offset) {
    for (unsigned i = 0; static_cast<int>(i) < H5Tget_nmembers(type); ++i) {
      char* const member = H5Tget_member_name(type, i);
      const std::string full = (name.empty() ? "" : name + ".") + member;
      H5free_memory(member);
      add(Handle(H5Tget_member_type(type, i), H5Tclose), full,
          offset + H5Tget_member_offset(type, i));
    }
  }
  void add_elements(hid_t type, const std::string& name, std::uint64_t offset) {
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
      add(base, name + "[" + index.substr(1) + "]", offset + i * size);
    }
  }
};

/// Throws Error if the library cannot unpack the values or would open other files.
void check_storage(hid_t creation) {
  if (H5Pget_layout(creation) == H5D_VIRTUAL || H5Pget_external_count(creation) > 0)
    fail("its rows are in other files");
  for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values,
                                               nullptr, name.size() - 1, name.data(), &config);
    constexpr H5Z_filter_t kLzf = 32000;
    if (H5Zfilter_avail(filter) <= 0)
      fail(fmt::format("needs filter {} ({}), which libhdf5 does not find here{}",
                       static_cast<int>(filter), printable(name.data()),
                       filter == kLzf ? "; read it from Python, where h5py has it" : ""));
  }
}

class TableReader {
 public:
  TableReader(int descriptor, std::uint64_t file_bytes)
      : file_bytes_(file_bytes), links_(H5Pcreate(H5P_LINK_ACCESS), H5Pclose) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access, false, true);
    const std::string path = fmt::format("/proc/self/fd/{}", descriptor);
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    if (file_ < 0) fail("cannot be read as HDF5: " + library_error());
    // Never open other files.
    H5Pset_elink_cb(
        links_,
        [](const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) -> herr_t {
          return -1;
        },
        nullptr);
  }

  void find(const std::string& name) {
    const std::string place = name.empty() ? "/" : name;
    Handle object = open(file_, place);
    if (object < 0 && H5Lexists(file_, place.c_str(), H5P_DEFAULT) > 0)
      fail(quoted(name) + " " + kBadLink);
    if (object < 0)
      fail(fmt::format("has no dataset or group {}; at its root {}", quoted(name),
                       list_names(links_of(open(file_, "/")))));
    if (H5Iget_type(object) == H5I_DATASET) {
      try {
        add_dataset(std::move(object), place, place.substr(place.rfind('/') + 1), true);
      } catch (const Error& error) {
        fail(printable(place) + ": " + error.what());
      }
    } else if (H5Iget_type(object) == H5I_GROUP) {
      const auto has = [&](const char* link) { return H5Lexists(object, link, H5P_DEFAULT) > 0; };
      if (name.empty() && H5Aexists(object, "encoding-type") > 0 && has("obs") && has("var"))
        fail(kAnnDataProblem);
      if (is_of_pandas(object) && has("axis0")) fail_for_pandas(place);
      add_group(place, object);
    } else {
      fail(quoted(name) + " is neither a dataset nor a group");
    }
  }

  std::string description() const {
    std::string bytes;
    const auto add = [&](const auto* values, std::size_t count) {
      bytes.append(reinterpret_cast<const char*>(values), count * sizeof(*values));
    };
    const Hdf5Counts counts{runs_.size(), columns_.size()};
    add(&counts, 1);
    add(runs_.data(), runs_.size());
    add(columns_.data(), columns_.size());
    bytes += names_;
    for (const auto& [name, reason] : left_out_) {
      add(name.c_str(), name.size() + 1);
      add(reason.c_str(), reason.size() + 1);
    }
    return bytes;
  }
  void read(std::uint64_t run, std::uint64_t offset, std::span<std::byte> records,
            std::string& texts) {
    datasets_.at(run)->read(offset, records, texts);
  }

 private:
  static constexpr const char* kBadLink = "leads to another file or to nothing";
  static constexpr const char* kAnnDataProblem =
      "is a file of AnnData: name one of its datasets, as dataset: obsm/X_umap or dataset: X, or "
      "draw it in Python, as a = anndata.read_h5ad(FILE); scene.add(a.obs, x=a.obsm[\"X_umap\"][:, "
      "0], y=a.obsm[\"X_umap\"][:, 1], radius=\"2px\")";
  static bool is_of_pandas(hid_t group) { return H5Aexists(group, "pandas_type") > 0; }
  [[noreturn]] static void fail_for_pandas(const std::string& place) {
    fail(
        fmt::format("{} is a table of pandas: draw it in Python, as df = pandas.read_hdf(FILE, "
                    "{}); scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")",
                    quoted(place), quoted(place)));
  }

  Handle open(hid_t group, const std::string& name) const {
    return {H5Oopen(group, name.c_str(), links_), H5Oclose};
  }

  static std::vector<std::string> links_of(hid_t group) {
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
    std::vector<std::string> datasets, others;
    std::string pandas;  // one of its tables
    for (const std::string& name : links_of(group)) {
      const Handle member = open(group, name);
      const H5I_type_t type = member < 0 ? H5I_BADID : H5Iget_type(member);
      const bool is_table = type == H5I_DATASET && rank_of(member) >= 1 && rank_of(member) <= 2;
      (is_table ? datasets : others).push_back(name);
      if (type == H5I_GROUP && is_of_pandas(member)) pandas = name;
      if (type == H5I_BADID) left_out_[name] = kBadLink;
      if (type == H5I_DATASET && !is_table) left_out_[name] = rank_problem(rank_of(member));
    }
    if (datasets.empty() && !pandas.empty()) fail_for_pandas(pandas);
    if (datasets.empty())
      fail(fmt::format("{} has no dataset [n] or [n, k]; name one with \"dataset\"; {}",
                       quoted(place), list_names(others)));
    const std::string start = place.ends_with('/') ? place : place + "/";
    const bool is_single = datasets.size() == 1 && place == "/";
    for (const std::string& name : datasets) {
      try {
        add_dataset(open(group, name), start + name, name, is_single);
      } catch (const Error& error) {
        left_out_[name] = error.what();
      }
    }
    if (columns_.empty()) fail(printable(start + datasets[0]) + ": " + left_out_[datasets[0]]);
  }

  static int rank_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    return H5Sget_simple_extent_ndims(space);
  }
  static std::string rank_problem(int rank) {
    return "expected a dataset [n] or [n, k], got " +
           counted(static_cast<std::uint64_t>(std::max(rank, 0)), "dimension");
  }

  /// `name` prefixes its columns' names, unless it is the whole table. Throws Error and adds
  /// nothing if it cannot be read.
  void add_dataset(Handle id, const std::string& place, const std::string& name, bool is_table) {
    Dataset dataset;
    dataset.place = place;
    const Handle space(H5Dget_space(id), H5Sclose);
    dataset.rank = H5Sget_simple_extent_ndims(space);
    if (dataset.rank != 1 && dataset.rank != 2) fail(rank_problem(dataset.rank));
    std::array<hsize_t, 2> shape = {0, 1};
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    dataset.rows = shape[0];
    dataset.width = shape[1];
    if (dataset.width == 0) fail("expected at least one column");
    // The type in memory, with pointers for texts of any length.
    Handle type(H5Dget_type(id), H5Tclose);
    const std::uint64_t type_bytes = H5Tget_size(type);
    if (type < 0 || type_bytes == 0) fail("its type cannot be read");
    dataset.record_bytes = dataset.width * type_bytes;
    if (dataset.width > kMaxTableColumns || type_bytes > kMaxTableRowBytes ||
        dataset.record_bytes > kMaxTableRowBytes)
      fail("its rows are too long");

    const bool has_names = !is_table || (dataset.rank == 1 && H5Tget_class(type) != H5T_COMPOUND);
    Fields fields;
    for (std::uint64_t c = 0; c < dataset.width; ++c) {
      const std::string number = dataset.rank == 2 ? fmt::format("[{}]", c) : "";
      fields.add(type, has_names ? name + number : "", c * type_bytes);
    }
    if (fields.columns.empty())
      fail(fields.left_out.empty() ? "expected at least one column"
                                   : fields.left_out.begin()->second);
    if (columns_.size() + fields.columns.size() > kMaxTableColumns)
      fail(fmt::format("more than {} columns", kMaxTableColumns));
    for (const auto& [field, element, offset] : fields.columns)
      if (element.kind == Element::Kind::kPlace) dataset.texts.push_back(offset);

    const bool is_plain = dataset.texts.empty() && fields.left_out.empty();
    const bool is_unnamed = dataset.rank == 2 && is_table && dataset.width > 1;
    dataset.id = std::move(id);
    dataset.type = std::move(type);
    add_run(std::move(dataset), is_plain);
    for (const auto& [field, element, offset] : fields.columns) {
      columns_.push_back({runs_.size() - 1, offset, static_cast<std::uint64_t>(element.kind),
                          element.is_big_endian ? 1U : 0U, element.size});
      names_ += (is_unnamed ? "" : field) + '\0';
    }
    left_out_.merge(fields.left_out);
  }

  /// `is_plain`: records are equal in file and memory.
  void add_run(Dataset dataset, bool is_plain) {
    const Handle creation(H5Dget_create_plist(dataset.id), H5Pclose);
    check_storage(creation);
    const H5D_layout_t layout = H5Pget_layout(creation);
    std::uint64_t chunk_rows = 1;
    if (layout == H5D_CHUNKED) {
      std::array<hsize_t, 2> chunk = {1, 1};
      H5Pget_chunk(creation, 2, chunk.data());
      std::uint64_t bytes = 0;
      if (__builtin_mul_overflow(chunk[0], chunk[1], &bytes) ||
          __builtin_mul_overflow(bytes, H5Tget_size(dataset.type), &bytes) ||
          bytes > kMaxHdf5ChunkBytes)
        fail(fmt::format("its chunks are too large (at most {} bytes)", kMaxHdf5ChunkBytes));
      chunk_rows = chunk[0];
      if (chunk_rows * dataset.record_bytes > kMaxHdf5ChunkBytes) chunk_rows = 1;
    }
    const std::uint64_t chunk_bytes = std::max<std::uint64_t>(1, chunk_rows * dataset.record_bytes);
    const std::uint64_t run_bytes =
        std::min((kMinRunBytes + chunk_bytes - 1) / chunk_bytes * chunk_bytes,
                 max_run_rows(dataset) * dataset.record_bytes);
    const haddr_t offset =
        layout == H5D_CONTIGUOUS && is_plain ? H5Dget_offset(dataset.id) : HADDR_UNDEF;
    if (offset != HADDR_UNDEF) {
      runs_.push_back({dataset.rows, dataset.record_bytes, run_bytes, offset, 1});
      datasets_.push_back(nullptr);
      return;
    }
    runs_.push_back({dataset.rows, dataset.record_bytes, run_bytes, 0, 0});
    dataset.transfer = Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    if (!dataset.texts.empty())
      H5Pset_buffer(dataset.transfer, text_buffer(dataset), nullptr, nullptr);
    dataset.max_text_bytes = std::min(kMaxTextBytes, kMaxSharedTextBytes + file_bytes_);
    datasets_.push_back(std::make_unique<Dataset>(std::move(dataset)));
  }

  /// The library's buffer size for one element, so that it converts texts one by one: in a batch, a
  /// text missing in a damaged file would repeat the previous one, or be empty.
  std::size_t text_buffer(const Dataset& dataset) const {
    const Handle creation(H5Fget_create_plist(file_), H5Pclose);
    std::size_t address_bytes = 0, size_bytes = 0;
    H5Pget_sizes(creation, &address_bytes, &size_bytes);
    // A text in the file is its length, an address and a number: 4 + address_bytes + 4.
    const std::uint64_t extra_bytes = 8 + address_bytes - sizeof(char*);
    return (dataset.record_bytes + dataset.texts.size() * extra_bytes) / dataset.width;
  }

  /// Fewer with texts of any length, which are scattered over the file.
  std::uint64_t max_run_rows(const Dataset& dataset) const {
    if (dataset.texts.empty()) return kMaxHdf5ChunkBytes;
    const std::uint64_t row_bytes = file_bytes_ / std::max<std::uint64_t>(1, dataset.rows) + 1;
    return std::max<std::uint64_t>(1, kRunTextBytes / row_bytes);
  }

  std::uint64_t file_bytes_;
  Handle links_, file_;
  std::vector<Hdf5Run> runs_;
  std::vector<std::unique_ptr<Dataset>> datasets_;  ///< by run; null if Roundel reads them
  std::vector<Hdf5Column> columns_;
  std::string names_;                            ///< names of columns, each ended by a zero
  std::map<std::string, std::string> left_out_;  ///< reasons by name
};

}  // namespace

Hdf5File open_hdf5_file(int descriptor, std::uint64_t file_bytes, const std::string& dataset) {
  const auto reader = std::make_shared<TableReader>(descriptor, file_bytes);
  reader->find(dataset);
  return {reader->description(),
          [reader](std::uint64_t run, std::uint64_t offset, std::span<std::byte> records,
                   std::string& texts) { reader->read(run, offset, records, texts); }};
}

}  // namespace roundel
