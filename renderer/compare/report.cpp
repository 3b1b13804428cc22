#include "renderer/compare/report.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/base/write_file.h"
#include "renderer/compare/report_pictures.h"
#include "renderer/compare/run_json.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;
using ReportJson = nlohmann::ordered_json;

constexpr std::string_view kMark = "<!-- roundel report -->";
constexpr const char* kPageName = "index.html";
constexpr const char* kPictureFolder = "pictures";
constexpr std::size_t kAtOnce = 64;  ///< scripts in memory

std::string script_name(std::size_t index) {
  return fmt::format("{:06}.js", index);
}

bool is_script_name(const std::string& name) {
  return name.size() >= 9 && name.ends_with(".js") &&
         std::all_of(name.begin(), name.end() - 3, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_report(const fs::path& page) {
  try {
    return InputFile(page.string()).read(200).find(kMark) != std::string::npos;
  } catch (const Error&) {  // a FIFO, say, which must not be waited for
    return false;
  }
}

void remove_scripts(const fs::path& pictures) {
  std::error_code error;
  if (fs::is_symlink(pictures, error)) return;
  for (fs::directory_iterator entry(pictures, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (is_script_name(entry->path().filename().string())) fs::remove(entry->path(), ignored);
  }
}

/// The folder with neither an earlier report nor a page of somebody else in it.
void prepare_folder(const fs::path& folder) {
  const fs::path page = folder / kPageName, pictures = folder / kPictureFolder;
  std::error_code error;
  if (fs::exists(fs::status(page, error)) && !is_report(page)) {
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: exists and is no report of roundel's", page.string()));
  }
  if (fs::is_symlink(pictures, error)) {
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: expected a folder; links are not followed", pictures.string()));
  }
  fs::create_directories(pictures, error);
  if (error) {
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: cannot make the folder: {}", pictures.string(), error.message()));
  }
  remove_scripts(pictures);
}

std::string html(const std::string& text) {
  return escaped(printable(text), {{'&', "&amp;"}, {'<', "&lt;"}});
}

/// JSON that may stand in a <script>: nothing in it ends the element or begins a comment.
std::string script_json(const ReportJson& json) {
  return escaped(dump(json), {{'<', "\\u003c"}});
}

ReportJson failure_json(const ComparisonRun& run, const PairResult& result) {
  ReportJson json = {{"name", printable(result.name)},
                     {"state", state_name(result.state)},
                     {"reasons", result.reasons}};
  if (!result.explanation.empty()) json["explanation"] = result.explanation;
  if (!result.rule.empty()) json["rule"] = result.rule;
  if (result.state == PairState::kDiffers) {
    if (result.origin != Origin::kUnknown) json["origin"] = origin_text(result.origin);
    json["difference"] = difference_json(result.difference);
  }
  if (!run.accept_command.empty() && !result.actual_path.empty()) {
    json["accept"] = command_to_accept(run, {result.name});
  }
  return json;
}

/// Writes the pictures of the failures while there is room, and adds to each in `json` where they
/// are, or why not.
class PictureWriter {
 public:
  PictureWriter(fs::path folder, std::uint64_t room) : folder_(std::move(folder)), room_(room) {}

  void write(const std::vector<const PairResult*>& failures, ReportJson& json) {
    for (std::size_t begin = 0; begin < failures.size(); begin += kAtOnce) {
      const std::size_t end = std::min(begin + kAtOnce, failures.size());
      std::vector<Made> made(end - begin);
      if (!is_full_) {
        tbb::parallel_for(begin, end, [&](std::size_t i) {
          // As in compare_folders: a thread holds the pictures of one result at a time.
          tbb::this_task_arena::isolate([&] { made[i - begin] = make(i, *failures[i]); });
        });
      }
      for (std::size_t i = begin; i < end; ++i) {
        if (failures[i]->state != PairState::kNotCompared) put(i, made[i - begin], json[i]);
      }
    }
  }

 private:
  struct Made {
    std::optional<ReportPictures> pictures;
    std::string problem;
  };

  static Made make(std::size_t index, const PairResult& result) {
    if (result.state == PairState::kNotCompared) return {};  // its reasons say why
    try {
      return {report_pictures(index, result), ""};
    } catch (const Error& error) {
      return {std::nullopt, error.what()};
    } catch (const std::bad_alloc&) {
      return {std::nullopt, "out of memory"};
    }
  }

  void put(std::size_t index, const Made& made, ReportJson& failure) {
    if (!made.problem.empty()) {
      failure["left_out"] = made.problem;
      return;
    }
    is_full_ = is_full_ || made.pictures->script.size() > room_;
    if (is_full_) {
      failure["left_out"] = "the report would be too large";
      return;
    }
    const ReportPictures& pictures = *made.pictures;
    const std::string name = script_name(index);
    write_text_atomically(folder_ / kPictureFolder / name, pictures.script);
    room_ -= pictures.script.size();
    failure["pictures"] = {{"file", std::string(kPictureFolder) + "/" + name}};
    if (pictures.is_rounded) failure["pictures"]["rounded"] = true;
    if (pictures.is_part) failure["pictures"]["part"] = {{"x", pictures.x}, {"y", pictures.y}};
  }

  fs::path folder_;
  std::uint64_t room_;
  bool is_full_ = false;  // once a picture had no room, so that no later one comes before it
};

/// Of a picture that is the same: its name, and what is remarkable about it.
ReportJson pass_json(const PairResult& result) {
  ReportJson json = {printable(result.name)};
  if (const std::uint64_t pixels = result.difference.pixels + result.difference.ignored_different)
    json.push_back(fmt::format("{} pixels differ within {}", pixels, result.rule));
  return json;
}

}  // namespace

std::string report_page_path(const std::string& folder) {
  return (fs::path(folder) / kPageName).string();
}

void remove_report(const std::string& folder) noexcept {
  try {
    const fs::path page = report_page_path(folder);
    if (!is_report(page) || access(page.c_str(), W_OK) != 0) return;
    remove_scripts(fs::path(folder) / kPictureFolder);
    std::error_code ignored;
    fs::remove(page, ignored);
  } catch (const std::exception&) {  // out of memory: writing will say so
  }
}

void write_report(const std::string& folder, const ComparisonRun& run,
                  std::uint64_t picture_bytes) {
  prepare_folder(folder);
  std::vector<const PairResult*> failures;
  ReportJson failed = ReportJson::array(), passed = ReportJson::array();
  for (const PairResult& result : run.results) {
    if (result.state == PairState::kSame) {
      passed.push_back(pass_json(result));
    } else {
      failures.push_back(&result);
      failed.push_back(failure_json(run, result));
    }
  }
  PictureWriter(folder, picture_bytes).write(failures, failed);
  const ReportJson data = {
      {"counts", counts_json(count_states(run))}, {"failures", failed}, {"passes", passed}};
  write_text_atomically(report_page_path(folder), report_page(html(run.title), script_json(data)));
}

}  // namespace roundel
