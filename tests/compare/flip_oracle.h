#pragma once
#include <vector>

namespace roundel {

/// A picture as linear RGB, [height · width · 3].
struct OraclePicture {
  int width = 0, height = 0;
  std::vector<double> rgb;
};

/// Returns ꟻLIP's value of every pixel, in double, with the papers' two-dimensional filters written
/// out.
std::vector<double> ldr_flip_oracle(const OraclePicture& a, const OraclePicture& b, double ppd);
std::vector<double> hdr_flip_oracle(const OraclePicture& a, const OraclePicture& b, double ppd);

}  // namespace roundel
