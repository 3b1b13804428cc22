#include "tools/lab/primitives/measure.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/base/text.h"
#include "renderer/raster/rasterizer.h"
#include "tools/lab/bench/commit.h"

namespace roundel::primitives {
namespace {

/// Returns bytes a second; 0 if nothing was moved.
double bandwidth(const Row& row) {
  return row.timing.median_ms > 0 ? row.bytes / (row.timing.median_ms * 1e-3) : 0;
}

}  // namespace

Lines table_head(const Primitive& primitive) {
  return Lines("\n") + fmt::format("{}: {}\n", primitive.name(), primitive.text()) +
         fmt::format("{:>13}  {:<34}{:>12}{:>12}{:>10}{:>8}\n", "n", "variant", "us", "least, us",
                     "GB/s", "share");
}

std::string table_row(const Row& row, const CopyBandwidths& copies) {
  const double rate = bandwidth(row);
  return fmt::format("{:>13}  {:<34}{:>12.1f}{:>12.1f}{:>10.2f}{:>7.0f}%{}\n", with_commas(row.n),
                     row.variant, 1000 * row.timing.median_ms, 1000 * row.timing.least_ms,
                     rate * 1e-9, 100 * rate / copies.of(row),
                     row.is_right ? "" : "  WRONG RESULT");
}

Lines left_out(Primitive& primitive, std::uint64_t largest) {
  Lines text;
  for (const Variant& variant : primitive.variants()) {
    if (variant.most >= largest) continue;
    text += fmt::format("{:>13}  {} takes no more\n", with_commas(variant.most), variant.name);
  }
  return text;
}

std::string tables_json(const std::vector<Table>& tables, const CopyBandwidths& copies, int threads,
                        const std::string& device) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Table& table : tables) {
    Json rows = Json::array();
    for (const Row& row : table.rows) {
      rows.push_back({{"n", row.n},
                      {"variant", row.variant},
                      {"on_device", row.is_on_device},
                      {"ms", {{"median", row.timing.median_ms}, {"min", row.timing.least_ms}}},
                      {"repeats", row.timing.repeats},
                      {"bytes", row.bytes},
                      {"bytes_per_second", bandwidth(row)},
                      {"share_of_copy", bandwidth(row) / copies.of(row)},
                      {"right", row.is_right}});
    }
    list.push_back({{"primitive", table.primitive}, {"text", table.text}, {"rows", rows}});
  }
  Json json = {{"version", ROUNDEL_VERSION},
               {"commit", kCommit},
               {"machine",
                {{"threads", threads},
                 {"vectors", cpu_vector_target()},
                 {"copy_bytes_per_second", copies.cpu}}},
               {"tables", list}};
  if (!device.empty())
    json["device"] = {{"name", device}, {"copy_bytes_per_second", copies.device}};
  return json.dump(1) + "\n";
}

}  // namespace roundel::primitives
