#include "renderer/image/magma.h"

namespace roundel {
namespace {

// Coefficients of 1, t, t², …, for red, green and blue.
constexpr double kMagma[3][7] = {
    {-0.002136485053939582, 0.2516605407371642, 8.353717279216625, -27.66873308576866,
     52.17613981234068, -50.76852536473588, 18.65570506591883},
    {-0.000749655052795221, 0.6775232436837668, -3.577719514958484, 14.26473078096533,
     -27.94360607168351, 29.04658282127291, -11.48977351997711},
    {-0.005386127855323933, 2.494026599312351, 0.3144679030132573, -13.64921318813922,
     12.94416944238394, 4.23415299384598, -5.601961508734096}};

double clamped(double value) {
  return value > 0 ? (value < 1 ? value : 1) : 0;
}

}  // namespace

std::array<std::uint8_t, 3> magma(double t) {
  t = clamped(t);
  std::array<std::uint8_t, 3> rgb{};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    double sum = 0;
    for (std::size_t power = 7; power-- > 0;) sum = sum * t + kMagma[channel][power];
    rgb[channel] = static_cast<std::uint8_t>(clamped(sum) * 255 + 0.5);
  }
  return rgb;
}

}  // namespace roundel
