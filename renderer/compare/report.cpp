#include "renderer/compare/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/base/write_file.h"
#include "renderer/compare/report_files.h"
#include "renderer/compare/report_pictures.h"
#include "renderer/compare/run_json.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "<!-- roundel report -->";
constexpr const char* kPageName = "index.html";

/// True for "000012.js".
bool is_script_name(const std::string& name) {
  return name.size() >= 9 && name.ends_with(".js") &&
         name.find_first_not_of("0123456789") == name.size() - 3;
}

bool is_report(const fs::path& page) {
  try {
    return InputFile(page.string()).read(200).find(kMark) != std::string::npos;
  } catch (const Error&) {  // such as a FIFO, which would block
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

/// Removes an earlier report. Throws Error for a page that is not a report.
void prepare_folder(const fs::path& folder) {
  const fs::path page = folder / kPageName, pictures = folder / kPictureFolder;
  std::error_code error;
  if (fs::exists(fs::status(page, error)) && !is_report(page)) {
    throw Error(ExitCode::kOutputRefused,
                fmt::format("{}: exists and is not a report of Roundel; name another folder",
                            page.string()));
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

/// Safe inside a <script>: cannot end the element or begin a comment.
std::string script_json(const ReportJson& json) {
  return escaped(dump(json), {{'<', "\\u003c"}});
}

ReportJson failure_json(const ComparisonRun& run, const PairResult& result) {
  ReportJson json = {{"name", printable(result.name)}, {"state", state_name(result.state)}};
  json["reasons"] = ReportJson::array();
  for (const std::string& reason : result.reasons) json["reasons"].push_back(printable(reason));
  for (const std::string& line : result.explanation) json["explanation"].push_back(printable(line));
  if (!result.rule.empty()) json["rule"] = printable(result.rule);
  if (result.state == PairState::kDiffers) {
    if (result.origin != Origin::kUnknown) json["origin"] = origin_text(result.origin);
    json["difference"] = difference_json(result.difference);
  }
  if (can_accept(run, result)) json["accept"] = command_to_accept(run, {result.name});
  if (result.state == PairState::kNew && !result.golden_path.empty())
    json["was"] =
        printable(fs::path(result.golden_path).lexically_relative(run.golden_folder).string());
  return json;
}

/// Name and notes of an equal picture.
ReportJson pass_json(const PairResult& result) {
  ReportJson json = {printable(result.name)};
  if (const std::uint64_t pixels = result.difference.pixels + result.difference.ignored_different)
    json.push_back(fmt::format("{} differ{} within {}", counted(pixels, "pixel"),
                               pixels == 1 ? "s" : "", printable(result.rule)));
  return json;
}

/// For browsers without scripts, as in some CI systems.
std::string failures_table(const ComparisonRun& run) {
  std::string table = fmt::format(
      "<style>main, footer, #print {{ display: none }}</style>\n<table "
      "class=\"plain\"><caption>{}; to see the pictures, allow "
      "scripts</caption>\n<tr><th>picture<th>result<th>reasons\n",
      html(counts_text(count_states(run))));
  for (const PairResult& result : run.results) {
    if (result.state == PairState::kSame) continue;
    std::string reasons;
    for (const std::string& reason : result.reasons)
      reasons += (reasons.empty() ? "" : "<br>") + html(reason);
    if (result.state == PairState::kDiffers && result.origin != Origin::kUnknown)
      reasons += "<br>" + html(origin_text(result.origin));
    table += fmt::format("<tr><td>{}<td>{}<td>{}\n", html(result.name), state_name(result.state),
                         reasons);
  }
  return table + "</table>";
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
  } catch (const std::exception&) {  // out of memory: writing will report it
  }
}

void write_report(const std::string& folder, const ComparisonRun& run,
                  std::uint64_t picture_bytes) {
  prepare_folder(folder);
  std::vector<const PairResult*> failures;
  ReportJson failed = ReportJson::array(), passed = ReportJson::array();
  std::set<std::string> old_names;  // goldens of renamed pictures, which are shown with these
  for (const PairResult& result : run.results)
    if (result.state == PairState::kNew) old_names.insert(result.golden_path);
  for (const PairResult& result : run.results) {
    if (result.state == PairState::kSame) {
      passed.push_back(pass_json(result));
    } else if (result.state != PairState::kMissing || !old_names.contains(result.golden_path) ||
               result.golden_path.empty()) {
      failures.push_back(&result);
      failed.push_back(failure_json(run, result));
    }
  }
  write_report_files(folder, failures, picture_bytes, failed);
  ReportJson data = {
      {"counts", counts_json(count_states(run))}, {"failures", failed}, {"passes", passed}};
  if (!run.accept_command.empty()) data["command"] = printable(run.accept_command);
  write_text_atomically(report_page_path(folder),
                        report_page({{"title", html(run.title)},
                                     {"maker", fmt::format("Roundel {}", ROUNDEL_VERSION)},
                                     {"data", script_json(data)},
                                     {"table", failures_table(run)}}));
}

}  // namespace roundel
