#include "renderer/compare/report_files.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "renderer/base/error.h"
#include "renderer/base/write_file.h"
#include "renderer/compare/report_pictures.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBatchResults = 64;                       ///< results in memory
constexpr std::uint64_t kMaxBatchBytes = std::uint64_t{32} << 20;  ///< bytes of their files

struct Made {
  std::string script, problem;
};

Made make(std::size_t index, const PairResult& result) {
  try {
    return {report_pictures(index, result), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  } catch (const std::bad_alloc&) {
    return {{}, "out of memory"};
  }
}

std::uint64_t file_bytes(const PairResult& result) {
  std::uint64_t bytes = 0;
  for (const std::string& path : {result.golden_path, result.actual_path}) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    if (!error) bytes += size;
  }
  return bytes;
}

struct Sized {
  std::size_t index;
  std::uint64_t bytes;
};

/// Sorts by file size, which predicts the size of the report's pictures.
std::vector<Sized> smallest_first(const std::vector<const PairResult*>& failures) {
  std::vector<Sized> order;
  order.reserve(failures.size());
  for (std::size_t i = 0; i < failures.size(); ++i) order.push_back({i, file_bytes(*failures[i])});
  std::stable_sort(order.begin(), order.end(),
                   [](const Sized& a, const Sized& b) { return a.bytes < b.bytes; });
  return order;
}

class ReportFiles {
 public:
  ReportFiles(fs::path folder, std::uint64_t byte_limit)
      : folder_(std::move(folder)), bytes_left_(byte_limit) {}

  void write(const std::vector<const PairResult*>& failures, ReportJson& json) {
    const std::vector<Sized> order = smallest_first(failures);
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      std::uint64_t bytes = 0;
      do bytes += order[end++].bytes;
      while (end < order.size() && end - begin < kMaxBatchResults &&
             bytes + order[end].bytes <= kMaxBatchBytes);
      std::vector<Made> made(end - begin);
      if (!is_full_) {
        tbb::parallel_for(begin, end, [&](std::size_t i) {
          // As in compare_folders: a thread holds one result's pictures at a time.
          tbb::this_task_arena::isolate(
              [&] { made[i - begin] = make(order[i].index, *failures[order[i].index]); });
        });
      }
      for (std::size_t i = begin; i < end; ++i)
        put(order[i].index, made[i - begin], json[order[i].index]);
    }
  }

 private:
  void put(std::size_t index, const Made& made, ReportJson& failure) {
    if (!made.problem.empty()) {
      failure["left_out"] = made.problem;
    } else if (is_full_ || made.script.size() > bytes_left_) {
      is_full_ = true;
      failure["left_out"] = "the report would be too large";
    } else if (!made.script.empty()) {
      failure["pictures"] = {{"file", put_file(fmt::format("{:06}.js", index), made.script)},
                             {"bytes", made.script.size()}};
    }
  }

  std::string put_file(const std::string& name, const std::string& script) {
    write_text_atomically((folder_ / kPictureFolder / name).string(), script, Sync::kLater);
    bytes_left_ -= script.size();
    return std::string(kPictureFolder) + "/" + name;
  }

  fs::path folder_;
  std::uint64_t bytes_left_;
  bool is_full_ = false;  // no larger one will fit
};

}  // namespace

void write_report_files(const std::string& folder, const std::vector<const PairResult*>& failures,
                        std::uint64_t byte_limit, ReportJson& json) {
  ReportFiles(folder, byte_limit).write(failures, json);
}

}  // namespace roundel
