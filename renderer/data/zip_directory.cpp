#include "renderer/data/zip_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_set>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

// Layout: PKWARE's APPNOTE.TXT 6.3.10.
namespace roundel {
namespace {

constexpr std::uint64_t kMaxDirectoryBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxRatio = 1032;                      // limit of deflate
constexpr std::uint64_t kNot16 = 0xFFFF, kNot32 = 0xFFFFFFFF;  // the value is in a zip64 field

class ZipReader {
 public:
  explicit ZipReader(const InputFile& file) : file_(file) {}

  std::vector<ZipMember> members() {
    find_directory();
    std::vector<ZipMember> members;
    std::unordered_set<std::string_view> names;
    const std::string directory = bytes_at(start_, size_);
    std::uint64_t packed = 0;
    members.reserve(std::min(count_, size_ / kEntryBytes));
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      members.push_back(read_entry(directory, at));
      if (__builtin_add_overflow(packed, members.back().packed_bytes, &packed) ||
          packed > file_.size())
        fail("its members overlap");
    }
    for (const ZipMember& member : members)
      if (!names.insert(member.name).second)
        fail(fmt::format("two members are named {}", quoted(member.name)));
    return members;
  }

 private:
  static constexpr std::size_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56,
                               kEntryBytes = 46, kLocalBytes = 30;

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ExitCode::kInvalidScene, file_.path() + ": " + problem);
  }
  [[noreturn]] void broken() const { fail("the archive's directory is broken or cut short"); }

  std::string bytes_at(std::uint64_t offset, std::uint64_t size) const {
    if (size > file_.size() || offset > file_.size() - size) broken();
    std::string bytes(size, '\0');
    file_.read_at(offset, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }
  template <typename Number>
  static std::uint64_t number(std::string_view bytes, std::size_t at) {
    Number value;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  }
  static std::uint64_t u16(std::string_view bytes, std::size_t at) {
    return number<std::uint16_t>(bytes, at);
  }
  static std::uint64_t u32(std::string_view bytes, std::size_t at) {
    return number<std::uint32_t>(bytes, at);
  }
  static std::uint64_t u64(std::string_view bytes, std::size_t at) {
    return number<std::uint64_t>(bytes, at);
  }

  void find_directory() {
    const std::uint64_t tail_bytes = std::min<std::uint64_t>(file_.size(), kEndBytes + 0xFFFF);
    const std::uint64_t tail_start = file_.size() - tail_bytes;
    const std::string tail = bytes_at(tail_start, tail_bytes);
    std::size_t at = tail.rfind(std::string_view("PK\5\6", 4));
    while (at != std::string::npos &&
           (tail.size() - at < kEndBytes || at + kEndBytes + u16(tail, at + 20) != tail.size()))
      at = at == 0 ? std::string::npos : tail.rfind(std::string_view("PK\5\6", 4), at - 1);
    if (at == std::string::npos) broken();
    std::uint64_t end = tail_start + at;
    count_ = u16(tail, at + 10);
    size_ = u32(tail, at + 12);
    start_ = u32(tail, at + 16);
    if (count_ == kNot16 || size_ == kNot32 || start_ == kNot32) {
      if (end < kLocatorBytes) broken();
      const std::string locator = bytes_at(end - kLocatorBytes, kLocatorBytes);
      if (!locator.starts_with(std::string_view("PK\6\7", 4))) broken();
      end = u64(locator, 8);
      const std::string end64 = bytes_at(end, kEnd64Bytes);
      if (!end64.starts_with(std::string_view("PK\6\6", 4))) broken();
      count_ = u64(end64, 32);
      size_ = u64(end64, 40);
      start_ = u64(end64, 48);
    }
    if (size_ > end || start_ > end - size_ || count_ > size_ / kEntryBytes) broken();
    if (size_ > kMaxDirectoryBytes) fail("the archive's directory is too large");
  }

  ZipMember read_entry(std::string_view directory, std::size_t& at) const {
    if (directory.size() - at < kEntryBytes) broken();
    const std::string_view entry = directory.substr(at);
    const std::size_t name_bytes = u16(entry, 28), extra_bytes = u16(entry, 30);
    const std::size_t all = kEntryBytes + name_bytes + extra_bytes + u16(entry, 32);
    if (!entry.starts_with(std::string_view("PK\1\2", 4)) || all > entry.size()) broken();
    at += all;
    ZipMember member;
    member.name = entry.substr(kEntryBytes, name_bytes);
    const std::string name = member.name;
    constexpr std::uint64_t kEncrypted = 1, kStored = 0, kDeflated = 8;
    if ((u16(entry, 8) & kEncrypted) != 0) fail(name + ": is encrypted");
    const std::uint64_t method = u16(entry, 10);
    if (method != kStored && method != kDeflated)
      fail(fmt::format("{}: is packed by method {}; expected stored or deflated", name, method));
    member.is_deflated = method == kDeflated;
    member.checksum = static_cast<std::uint32_t>(u32(entry, 16));
    member.packed_bytes = u32(entry, 20);
    member.bytes = u32(entry, 24);
    std::uint64_t header = u32(entry, 42);
    read_zip64(entry.substr(kEntryBytes + name_bytes, extra_bytes),
               {&member.bytes, &member.packed_bytes, &header});

    const std::string local = bytes_at(header, kLocalBytes);
    if (!local.starts_with(std::string_view("PK\3\4", 4)))
      fail(name + ": is not where the archive's directory says");
    member.offset = header + kLocalBytes + u16(local, 26) + u16(local, 28);
    if (member.offset > start_ || member.packed_bytes > start_ - member.offset)
      fail(name + ": is cut short");
    const bool is_possible = member.is_deflated ? member.bytes / kMaxRatio <= member.packed_bytes
                                                : member.bytes == member.packed_bytes;
    if (!is_possible)
      fail(fmt::format("{}: claims {} bytes, which {} cannot hold", name, member.bytes,
                       member.packed_bytes));
    return member;
  }

  /// Reads the numbers that did not fit in their fields.
  void read_zip64(std::string_view extra, std::initializer_list<std::uint64_t*> numbers) const {
    constexpr std::uint64_t kZip64 = 1;
    std::string_view field;
    while (extra.size() >= 4) {
      const std::size_t size = u16(extra, 2);
      if (size > extra.size() - 4) break;
      if (u16(extra, 0) == kZip64) field = extra.substr(4, size);
      extra.remove_prefix(4 + size);
    }
    for (std::uint64_t* const value : numbers) {
      if (*value != kNot32) continue;
      if (field.size() < 8) broken();
      *value = u64(field, 0);
      field.remove_prefix(8);
    }
  }

  const InputFile& file_;
  std::uint64_t start_ = 0, size_ = 0, count_ = 0;  // directory's offset, bytes and members
};

}  // namespace

void check_checksum(const InputFile& file, const ZipMember& member, std::uint32_t found) {
  if (found == member.checksum) return;
  file.check_unchanged();
  throw Error(ExitCode::kInvalidScene,
              fmt::format("{}: {}: expected CRC-32 {:08x}, as the archive's directory says, got "
                          "{:08x}: the file is damaged",
                          file.path(), member.name, member.checksum, found));
}

std::vector<ZipMember> read_zip_directory(const InputFile& file) {
  return ZipReader(file).members();
}

}  // namespace roundel
