#include "renderer/data/npz.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/base/checkpoint.h"
#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/deflated_bytes.h"
#include "renderer/data/npy.h"

namespace roundel {
namespace {

constexpr std::string_view kSuffix = ".npy";

/// Run length for which all indices of deflated members, 32 KiB per run, take 64 MiB.
std::uint64_t run_bytes_of(const std::vector<ZipMember>& members) {
  constexpr std::uint64_t kMinRunBytes = std::uint64_t{1} << 20, kMaxRestartPoints = 2048;
  std::uint64_t bytes = 0;
  for (const ZipMember& member : members) bytes += member.is_deflated ? member.bytes : 0;
  return std::max(kMinRunBytes, bytes / kMaxRestartPoints);
}

/// Checks a stored member on all cores, as unpacking checks deflated ones.
std::shared_ptr<const ByteSource> open_stored(const std::shared_ptr<const InputFile>& file,
                                              const ZipMember& member) {
  constexpr std::uint64_t kTask = std::uint64_t{1} << 22, kPiece = std::uint64_t{1} << 17;  // in L2
  std::vector<std::uint32_t> checksums((member.bytes + kTask - 1) / kTask);
  const auto size_of = [&](std::size_t task) {
    return std::min(kTask, member.bytes - task * kTask);
  };
  tbb::parallel_for(std::size_t{0}, checksums.size(), [&](std::size_t task) {
    Buffer<std::byte> buffer(std::min(kPiece, size_of(task)));
    for (std::uint64_t at = 0; at < size_of(task); at += kPiece) {
      checkpoint();
      const auto piece = buffer.span().first(std::min(kPiece, size_of(task) - at));
      file->read_at(member.offset + task * kTask + at, piece);
      checksums[task] = libdeflate_crc32(checksums[task], piece.data(), piece.size());
    }
  });
  std::uint32_t checksum = 0;
  for (std::size_t task = 0; task < checksums.size(); ++task)
    checksum = static_cast<std::uint32_t>(
        crc32_combine(checksum, checksums[task], static_cast<z_off_t>(size_of(task))));
  check_checksum(*file, member, checksum);
  return std::make_shared<FileBytes>(file, member.offset);
}

/// Calls open(i) for i < count on all cores. This thread calls checkpoint() while it waits; an
/// exception ends all work: unpacking takes seconds.
void open_all(std::size_t count, const std::function<void(std::size_t)>& open) {
  constexpr std::chrono::milliseconds kPollInterval{20};
  std::atomic<std::size_t> next{0}, opened{0};
  std::atomic<bool> has_failed{false};
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count && !has_failed; i = next++, ++opened) open(i);
    } catch (...) {
      has_failed = true;
      throw;
    }
  };
  tbb::task_group others;
  for (std::size_t i = 1; i < count; ++i) others.run(work);
  try {
    work();
    while (opened < count && !has_failed) {
      checkpoint();
      std::this_thread::sleep_for(kPollInterval);
    }
  } catch (...) {
    others.cancel();
    others.wait();
    throw;
  }
  others.wait();
}

}  // namespace

std::unique_ptr<Table> open_npz(std::shared_ptr<const InputFile> file, const std::string& dataset) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ExitCode::kInvalidScene, file->path() + ": " + problem);
  };
  std::vector<ZipMember> members = read_zip_directory(*file);
  std::erase_if(members, [](const ZipMember& member) { return !member.name.ends_with(kSuffix); });
  if (members.empty()) fail("expected an archive of .npy arrays, got none");
  for (ZipMember& member : members) member.name.resize(member.name.size() - kSuffix.size());
  if (!dataset.empty()) {
    const auto chosen = std::find_if(members.begin(), members.end(), [&](const ZipMember& member) {
      return member.name == dataset || member.name + ".npy" == dataset;
    });
    if (chosen == members.end()) {
      std::vector<std::string> names;
      names.reserve(members.size());
      for (const ZipMember& member : members) names.push_back(member.name);
      fail(fmt::format("has no array {}; {}", quoted(dataset), list_names(names)));
    }
    members = {*chosen};
  }
  if (members.size() > kMaxTableColumns)
    fail(fmt::format("{} arrays are too many columns (at most {})", members.size(),
                     kMaxTableColumns));

  const std::uint64_t run_bytes = run_bytes_of(members);
  std::vector<std::shared_ptr<const ByteSource>> sources(members.size());
  open_all(members.size(), [&](std::size_t i) {
    if (members[i].is_deflated)
      sources[i] = std::make_shared<DeflatedBytes>(file, members[i], run_bytes);
    else
      sources[i] = open_stored(file, members[i]);
  });

  std::vector<RecordRun> runs;
  std::vector<ArrayColumn> columns;
  Table::LeftOut left_out;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string name = printable(members[i].name);
    Buffer<std::byte> start(std::min<std::uint64_t>(kMaxNpyHeaderBytes, members[i].bytes));
    sources[i]->read_at(0, start.span());
    NpyHeader header;
    try {
      header = parse_npy_header(start.span(), members[i].bytes, file->path() + ": " + name);
    } catch (const UnsuitedArray& problem) {
      left_out.emplace(members[i].name, problem.reason());
      continue;
    }
    if (header.dimensions == 0) {
      left_out.emplace(members[i].name, "one value, without rows");
      continue;
    }
    const bool is_table = members.size() == 1 && (header.dimensions == 2 || header.is_structured);
    const std::size_t first_run = runs.size();
    add_npy_columns(header, sources[i], is_table ? "" : members[i].name, runs, columns);
    for (std::size_t run = first_run; run < runs.size(); ++run) runs[run].rows = header.rows;
  }
  if (columns.empty() && !left_out.empty()) {
    const auto& [name, reason] = *left_out.begin();
    fail(fmt::format("{}: {}", printable(name), reason));
  }
  if (columns.empty()) fail("expected an array with rows, got none");
  const std::uint64_t rows = runs[columns.front().run].rows.value();
  auto table =
      std::make_unique<ArrayTable>(std::move(file), std::move(runs), std::move(columns), rows);
  table->leave_out(std::move(left_out));
  return table;
}

}  // namespace roundel
