#pragma once
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// A list or map in brackets on a line of its own, as most circles are written:
/// `- {x: 0.5, y: 0.5, radius: 0.1, color: "#ff0000"}`. yaml-cpp takes some thousand instructions a
/// byte for those, so they are read here. Only words, numbers and quoted text without escapes, in
/// ASCII, are; all else is left to the parser, and so is every mistake.
struct FlowLine {
  YAML::Mark mark;        ///< of the bracket
  std::string_view text;  ///< from bracket to bracket
};

/// What stands in the text for the parser in place of a FlowLine.
inline constexpr std::string_view kFlowWord = "0";

/// The flow lines of a text, in order, and the text with kFlowWord in place of each. Where the
/// parser finds that word as a value at just the line's mark, the line itself would be a value
/// there; where it does not, as within a longer text in quotes, the line is not what it seems.
struct FlowLines {
  std::vector<FlowLine> lines;
  std::string text;
};
FlowLines find_flow_lines(std::string_view text);

/// Tells what the parser would.
void read_flow_line(const FlowLine& line, YAML::EventHandler& events);

}  // namespace roundel
