#include "tools/primitives/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/raster/rasterizer.h"
#include "tools/roundel/terminal.h"

namespace roundel::primitives {
namespace {

/// Bytes a second; 0 where nothing was moved.
double bandwidth(const Row& row) {
  return row.timing.median_ms > 0 ? row.bytes / (row.timing.median_ms * 1e-3) : 0;
}

}  // namespace

std::string table_head(const Primitive& primitive) {
  return fmt::format("\n{}: {}\n{:>13}  {:<26}{:>12}{:>12}{:>10}{:>8}\n", primitive.name(),
                     primitive.text(), "n", "variant", "ms", "least, ms", "GB/s", "share");
}

std::string table_row(const Row& row, const MachineLimits& limits) {
  const double rate = bandwidth(row);
  return fmt::format("{:>13}  {:<26}{:>12.4f}{:>12.4f}{:>10.2f}{:>7.0f}%{}\n", with_commas(row.n),
                     row.variant, row.timing.median_ms, row.timing.least_ms, rate * 1e-9,
                     100 * rate / limits.bytes_per_second, row.is_right ? "" : "  WRONG RESULT");
}

std::string device_line() {
  bool has_device = false;
  try {
    has_device = !cuda_devices().empty();
  } catch (const Error&) {  // a driver that fails is no device to run on
  }
  return has_device ? "\nCPU rows only: this version has no variants for the CUDA device\n"
                    : "\nCPU rows only: GPU rows need a CUDA device\n";
}

std::string tables_json(const std::vector<Table>& tables, const MachineLimits& limits,
                        int threads) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Table& table : tables) {
    Json rows = Json::array();
    for (const Row& row : table.rows) {
      rows.push_back({{"n", row.n},
                      {"variant", row.variant},
                      {"ms", {{"median", row.timing.median_ms}, {"min", row.timing.least_ms}}},
                      {"repeats", row.timing.repeats},
                      {"bytes", row.bytes},
                      {"bytes_per_second", bandwidth(row)},
                      {"share_of_copy", bandwidth(row) / limits.bytes_per_second},
                      {"right", row.is_right}});
    }
    list.push_back({{"primitive", table.primitive}, {"text", table.text}, {"rows", rows}});
  }
  const Json json = {{"version", ROUNDEL_VERSION},
                     {"machine",
                      {{"threads", threads},
                       {"vectors", cpu_vector_target()},
                       {"copy_bytes_per_second", limits.bytes_per_second}}},
                     {"tables", list}};
  return json.dump(1) + "\n";
}

}  // namespace roundel::primitives
