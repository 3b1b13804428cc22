#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// The pictures of one result as scripts that hand them to the report's page: a page from the file
/// system may load scripts, but neither read files nor the pixels of its pictures. Values are the
/// files' own. A large picture is there reduced, and in full where it differs.
struct ReportPictures {
  struct Tile {
    int number;  ///< row · columns + column, of squares of kReportTile pixels
    std::string script;
  };
  std::string script;       ///< what the page shows first; empty where no file can be read
  std::vector<Tile> tiles;  ///< of a large picture, those with the most differing pixels first
  std::size_t tiles_left_out = 0;
};

inline constexpr int kReportTile = 512;

/// Reads the result's files and makes as many tiles as fit into `room` bytes. Throws Error as
/// read_picture does, but for results that could not be compared: theirs is what can be read.
ReportPictures report_pictures(std::size_t index, const PairResult& result, std::uint64_t room);

/// The page of report/, with its style and scripts in it, for a title (as HTML), the data (as JSON
/// fit for a <script>) and what is there without scripts (as HTML).
std::string report_page(const std::string& title, const std::string& data,
                        const std::string& table);

}  // namespace roundel
