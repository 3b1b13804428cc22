#include "renderer/scene/keyed_value.h"

#include <algorithm>
#include <cmath>

#include "renderer/base/math.h"
#include "renderer/scene/scene.h"

namespace roundel {
namespace {

double eased(Ease ease, double t) {
  switch (ease) {
    case Ease::kIn:
      return t * t;
    case Ease::kOut:
      return t * (2 - t);
    case Ease::kInOut:
      return t * t * (3 - 2 * t);
    case Ease::kHold:
      return 0;
    case Ease::kLinear:
      break;
  }
  return t;
}

using Value = Keys::Value;

double distance(const Value& a, const Value& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (b[i] - a[i]) * (b[i] - a[i]);
  return std::sqrt(sum);
}

/// The point of the line through a, at knot u, and b, at knot v.
Value on_line(const Value& a, const Value& b, double u, double v, double knot) {
  Value value;
  for (std::size_t i = 0; i < value.size(); ++i)
    value[i] = ((v - knot) * a[i] + (knot - u) * b[i]) / (v - u);
  return value;
}

/// The point opposite to `next`, seen from `value`.
Value mirrored(const Value& value, const Value& next) {
  Value before;
  for (std::size_t i = 0; i < value.size(); ++i) before[i] = 2 * value[i] - next[i];
  return before;
}

DisplayColor color_of(const Keys::Value& value) {
  return {static_cast<float>(value[0]), static_cast<float>(value[1]), static_cast<float>(value[2])};
}

void apply_to_view(Scene& scene, KeyedValue::Target target, const Keys::Value& value) {
  using Target = KeyedValue::Target;
  if (target == Target::kCenter) {
    scene.view.center_x = value[0];
    scene.view.center_y = value[1];
  } else if (target == Target::kZoom) {
    scene.view.zoom = value[0];
  } else if (target == Target::kViewRotate) {
    scene.view.rotate = value[0];
  } else if (scene.window && target == Target::kMargin) {
    scene.window->margin = value[0];
  } else if (scene.window) {
    (target == Target::kWindowX ? scene.window->x : scene.window->y) =
        std::array{value[0], value[1]};
  }
}

void apply_to_background(Background& background, KeyedValue::Target target,
                         const Keys::Value& value) {
  if (target != KeyedValue::Target::kTop) background.bottom = color_of(value);
  if (target != KeyedValue::Target::kBottom) background.top = color_of(value);
}

void apply_to_circle(InlineCircle& circle, KeyedValue::Target target, const Keys::Value& value) {
  using Target = KeyedValue::Target;
  if (target == Target::kColor) {
    circle.color = color_of(value);
  } else if (target == Target::kAlpha) {
    circle.alpha = value[0];
  } else {
    (target == Target::kX   ? circle.x
     : target == Target::kY ? circle.y
     : target == Target::kZ ? circle.z
                            : circle.radius) = value[0];
  }
}

void apply_to_stroke(Stroke& stroke, const KeyedValue& keyed, const Keys::Value& value) {
  using Target = KeyedValue::Target;
  if (keyed.target == Target::kStrokeWidth)
    stroke.width = {value[0], keyed.in_pixels};
  else if (keyed.target == Target::kStrokeColor)
    stroke.color = color_of(value);
  else
    stroke.alpha = value[0];
}

void apply_to_domain(DataMap& map, KeyedValue::Target target, const Keys::Value& value) {
  using Target = KeyedValue::Target;
  Scale& scale = target == Target::kRadiusDomain  ? *map.radius.scale
                 : target == Target::kAlphaDomain ? *map.alpha->scale
                                                  : map.color.scale;
  scale.domain = {{{value[0]}, {value[1]}}};
  scale.ends = {value[0], value[1]};
}

void apply_to_layer(Layer& layer, const KeyedValue& keyed, const Keys::Value& value) {
  using Target = KeyedValue::Target;
  const Target target = keyed.target;
  if (target >= Target::kRadiusDomain)
    return apply_to_domain(std::get<DataSource>(layer.source).map, target, value);
  if (target >= Target::kStrokeWidth) return apply_to_stroke(*layer.stroke, keyed, value);
  if (target == Target::kOffset) {
    layer.move.offset = {value[0], value[1]};
  } else {
    (target == Target::kOpacity ? layer.opacity
     : target == Target::kScale ? layer.move.scale
                                : layer.move.rotate) = value[0];
  }
}

}  // namespace

double Keys::within_keys(double frame) const {
  if (repeat == KeyRepeat::kNone) return frame;
  const double length = frames.back() - frames.front();
  const double period = repeat == KeyRepeat::kLoop ? length : 2 * length;
  double since = std::fmod(frame - frames.front(), period);
  if (since < 0) since += period;
  return frames.front() + (since > length ? period - since : since);
}

/// Barry & Goldman's pyramid; the neighbours of the first and last key are mirrored ones.
Keys::Value Keys::spline_at(std::size_t from, double progress) const {
  const Value &start = values[from], &end = values[from + 1];
  if (start == end) return start;
  Value before = from > 0 ? values[from - 1] : mirrored(start, end);
  Value after = from + 2 < values.size() ? values[from + 2] : mirrored(end, start);
  if (before == start) before = mirrored(start, end);
  if (after == end) after = mirrored(end, start);
  const double first = std::sqrt(distance(before, start));
  const double second = first + std::sqrt(distance(start, end));
  const double third = second + std::sqrt(distance(end, after));
  const double knot = first + (second - first) * progress;
  const Value a = on_line(before, start, 0, first, knot);
  const Value b = on_line(start, end, first, second, knot);
  const Value c = on_line(end, after, second, third, knot);
  return on_line(on_line(a, b, 0, second, knot), on_line(b, c, first, third, knot), first, second,
                 knot);
}

Keys::Value Keys::at(double frame) const {
  frame = within_keys(frame);
  const auto next = std::upper_bound(frames.begin(), frames.end(), frame);
  if (next == frames.begin()) return values.front();
  const auto a = static_cast<std::size_t>(next - frames.begin() - 1);
  if (next == frames.end() || frames[a] == frame) return values[a];
  const double progress = eased(eases[a + 1], (frame - frames[a]) / (*next - frames[a]));
  if (progress == 0) return values[a];
  if (path == KeyPath::kSpline) return spline_at(a, progress);
  Value value{};
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double from = values[a][i], to = values[a + 1][i];
    value[i] = path == KeyPath::kExponential && from != to
                   ? from * portable_exp(progress * portable_log(to / from))
                   : from + (to - from) * progress;
  }
  return value;
}

bool Keys::is_constant_in(const FrameList& at_frames) const {
  const Value value = at(static_cast<double>(at_frames.front()));
  if (repeat != KeyRepeat::kNone) {
    const auto is_same = [&](const Value& other) { return other == value; };
    return at_frames.size() == 1 || std::all_of(values.begin(), values.end(), is_same);
  }
  // Goes from key to key, with an imaginary key after the last.
  auto begin = at_frames.begin();
  for (std::size_t next = 0; begin != at_frames.end(); ++next) {
    const auto end = next < frames.size()
                         ? std::lower_bound(begin, at_frames.end(), frames[next],
                                            [](std::int64_t frame, double key) {
                                              return static_cast<double>(frame) < key;
                                            })
                         : at_frames.end();
    if (begin == end) continue;
    const bool changes = next > 0 && next < frames.size() && eases[next] != Ease::kHold &&
                         values[next - 1] != values[next];
    if (changes && end - begin > 1) return false;
    if (at(static_cast<double>(*begin)) != value) return false;
    begin = end;
  }
  return true;
}

bool KeyedValue::is_unbounded() const {
  return target == Target::kCenter || target == Target::kViewRotate || target == Target::kOffset ||
         target == Target::kRotate || target == Target::kX || target == Target::kY ||
         target == Target::kZ;
}

std::size_t KeyedValue::numbers() const {
  if (target == Target::kColor || target == Target::kStrokeColor || is_of_image()) return 3;
  const bool is_pair = target == Target::kCenter || target == Target::kWindowX ||
                       target == Target::kWindowY || target == Target::kOffset || is_of_domain();
  return is_pair ? 2 : 1;
}

const char* KeyedValue::name() const {
  static constexpr std::array<const char*, 25> kNames = {
      "center",  "zoom",   "x",     "y",      "margin", "rotate", "background", "bottom", "top",
      "opacity", "offset", "scale", "rotate", "width",  "color",  "alpha",      "domain", "domain",
      "domain",  "x",      "y",     "z",      "radius", "color",  "alpha"};
  return kNames[static_cast<std::size_t>(target)];
}

std::string KeyedValue::label() const {
  if (is_of_image()) return "background";
  const std::string key = name();
  if (target == Target::kRadiusDomain) return "radius " + key;
  if (target == Target::kAlphaDomain) return "alpha " + key;
  if (target == Target::kColorDomain) return "color " + key;
  const bool is_of_stroke = target >= Target::kStrokeWidth && target <= Target::kStrokeAlpha;
  return (is_of_stroke ? "stroke " : "") + key;
}

bool is_shown(const Layer& layer, double frame) {
  return (*layer.frames)[0] <= std::floor(frame) && std::floor(frame) <= (*layer.frames)[1];
}

void apply_keys(Scene& scene, double frame) {
  for (Layer& layer : scene.layers)
    if (layer.frames) layer.is_hidden = !is_shown(layer, frame);
  for (const KeyedValue& keyed : keyed_values(scene)) {
    const Keys::Value value = keyed.keys.at(frame);
    if (keyed.is_of_view()) {
      apply_to_view(scene, keyed.target, value);
      continue;
    }
    if (keyed.is_of_image()) {
      apply_to_background(scene.image.background, keyed.target, value);
      continue;
    }
    Layer& layer = scene.layers[keyed.layer];
    if (auto* const circles = std::get_if<InlineSource>(&layer.source);
        circles != nullptr && keyed.is_of_circle())
      apply_to_circle(circles->circles[keyed.circle], keyed.target, value);
    else
      apply_to_layer(layer, keyed, value);
  }
}

}  // namespace roundel
