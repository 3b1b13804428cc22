#include "renderer/circles/packed_circles.h"

#include <cstring>

namespace roundel {

std::vector<std::uint8_t> PackedCircles::fields_of(const Varying& varying) {
  const bool varies[kFields] = {true,          true,          varying.depth, varying.radius,
                                varying.color, varying.color, varying.color, varying.alpha};
  std::vector<std::uint8_t> fields;
  for (std::uint8_t field = 0; field < kFields; ++field)
    if (varies[field]) fields.push_back(field);
  return fields;
}

void PackedCircles::put(std::size_t place, const Shape& shape, const Paint& paint) {
  Fields circle;
  static_assert(sizeof(circle) == sizeof(shape) + sizeof(paint));
  std::memcpy(circle.data(), &shape, sizeof(shape));
  std::memcpy(circle.data() + kFields / 2, &paint, sizeof(paint));
  if (place == 0) first_ = circle;
  float* number = &numbers_[place * fields_.size()];
  for (const std::uint8_t field : fields_) *number++ = circle[field];
}

void PackedCircles::get(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const {
  const float* number = numbers_.data() + first * fields_.size();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Fields circle = first_;
    for (const std::uint8_t field : fields_) circle[field] = *number++;
    std::memcpy(&shapes[i], circle.data(), sizeof(Shape));
    std::memcpy(&paints[i], circle.data() + kFields / 2, sizeof(Paint));
  }
}

}  // namespace roundel
