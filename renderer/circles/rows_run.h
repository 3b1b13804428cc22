#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "renderer/base/host_device.h"
#include "renderer/circles/circle.h"
#include "renderer/circles/paint_finish.h"
#include "renderer/circles/random_circle.h"
#include "renderer/circles/view.h"
#include "renderer/map/moving_rows.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Makes circles from the numbers of a data layer's rows. Binary64, rounded once.
class RowCircle {
 public:
  RowCircle() = default;
  /// `is_plain`: as in DataMap. `is_in_frame`: in frame space, else in scene space.
  RowCircle(const Scene& scene, const Layer& layer, bool is_plain, bool is_in_frame)
      : is_plain_(is_plain),
        growth_(!is_plain      ? 1
                : !is_in_frame ? layer.move.scale
                               : layer.move.scale * scene.view.zoom),
        zoom_(is_plain || is_in_frame ? 1 : scene.view.zoom),
        opacity_(layer.opacity) {
    to_scene_ = is_in_frame ? turned_move(layer.move, scene.view) : PointMove(layer.move);
    if (is_in_frame)
      to_frame_ = FrameMove(scene.view, scene.image.frame_width(), scene.image.frame_height());
  }

  /// `radius`: in frame space; plain ones in the layer's.
  ROUNDEL_HOST_DEVICE void make(double x, double y, double z, double radius, double alpha,
                                const DisplayColor& color, Shape& shape, Paint& paint) const {
    const auto [scene_x, scene_y] = to_scene_(x, y);
    // Plain numbers are rounded first, for compatibility.
    const double wide =
        is_plain_ ? static_cast<double>(static_cast<float>(radius)) * growth_ : radius / zoom_;
    const auto narrow = static_cast<float>(wide > kMaxFrameRadius ? kMaxFrameRadius : wide);
    shape = {to_frame_.x(scene_x), to_frame_.y(scene_y), static_cast<float>(z), narrow};
    paint = {color.red, color.green, color.blue,
             static_cast<float>(alpha * opacity_) + 0.0f};  // -0 would be snow
    if (is_plain_ || narrow > kEmptyRadius) return;
    shape.radius = kEmptyRadius;  // the low end of a range, or below the smallest float
    paint.alpha = 0;
  }

 private:
  bool is_plain_ = false;
  double growth_ = 1, zoom_ = 1, opacity_ = 1;
  PointMove to_scene_{LayerMove()};
  FrameMove to_frame_;
};

/// How a device makes a data layer's circles from held rows, at a frame.
struct RowLaws {
  HeldNumber x, y, z;
  HeldSize radius, alpha;
  bool has_limits = false;
  double least = 0, most = 0;            ///< limits of radii
  const DisplayColor* colors = nullptr;  ///< by row, or null
  DisplayColor constant;                 ///< without `colors` and a scale
  bool has_scale = false;                ///< colors have a scale
  HeldNumber value;
  ScaleCurve curve;
  GradientView gradient{};
  DisplayColor missing;
  bool has_missing = false;
  const double* starts = nullptr;  ///< by row, or null
  double frame = 0;
  RowCircle circle;
  PaintFinish finish;

  /// The circle of a row, ready to draw, in frame space.
  ROUNDEL_HOST_DEVICE void make(std::uint64_t row, Shape& shape, Paint& paint) const {
    const double at = starts == nullptr ? frame : frame - starts[row];
    double wide = radius.at(row, at);
    if (has_limits) {
      const double raised = wide < least ? least : wide;
      wide = raised > most ? most : raised;
    }
    circle.make(x.at(row, at), y.at(row, at), z.at(row, at), wide, alpha.at(row, at),
                color_of(row, at), shape, paint);
    finish(shape, paint);
  }

  /// Calls visit(pointer) for all arrays of HeldRows.
  template <typename Visit>
  void for_each_array(const Visit& visit) {
    for (HeldNumber* number : {&x, &y, &z, &radius.number, &alpha.number, &value})
      for (KeyNumbers& key : number->keys) visit(key.rows);
    visit(colors);
    visit(starts);
    visit(gradient.colors);
    visit(gradient.places);
  }

 private:
  ROUNDEL_HOST_DEVICE DisplayColor color_of(std::uint64_t row, double at) const {
    if (colors != nullptr) return colors[row];
    if (!has_scale) return constant;
    const double t = curve(value.at(row, at));
    return has_missing && t != t ? missing : gradient.at(t);
  }
};

/// Circles of a data layer. The rasterizer makes each from its row.
struct RowsRun {
  std::uint64_t first, count;  ///< in the frame's circles
  RowLaws laws;
  std::shared_ptr<const HeldRows> rows;
};

}  // namespace roundel
