#include "renderer/scene/scene_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/scene/classic_scenes.h"
#include "renderer/scene/read_data.h"
#include "renderer/scene/read_keys.h"
#include "renderer/scene/read_random.h"
#include "renderer/scene/read_styles.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/scene_spec.h"

namespace roundel {
namespace {

class SceneReader {
 public:
  SceneReader(const std::string& path, const SceneOverrides& overrides, FormatErrors& errors)
      : path_(path),
        overrides_(overrides),
        errors_(errors),
        data_(path, overrides, errors),
        keys_(errors) {}

  Scene read(PartlyValidNode root) {
    Scene scene;
    scene.path = path_;
    scene_forms().scene.fill(root, scene);
    if (overrides_.seed) scene.seed = *overrides_.seed;
    read_image(root, scene.image);
    image_ = scene.image;
    std::tie(scene.width_in_file, scene.height_in_file) = size_in_file_;
    if (const auto animation = root.find_part("animation")) {
      scene.animation = read_animation(*animation);
    }
    scene.frame = scene.default_frame();
    if (const auto image = root.find_part("image")) read_background_keys(*image);
    if (const auto view = root.find_part("view")) read_view(*view, scene);
    data_.set_film(scene.animation,
                   scene.window && scene.window->kind == ViewWindow::Kind::kData &&
                       !scene.window->is_over_frame,
                   keys_.fps());
    if (const auto layers = root.find_part("layers")) read_layers(*layers, scene);
    if (overrides_.layers) hide_layers(scene);
    scene.image.styles = styles_of(scene);
    if (scene.window && scene.window->kind == ViewWindow::Kind::kData &&
        std::none_of(scene.layers.begin(), scene.layers.end(), [](const Layer& layer) {
          return std::holds_alternative<DataSource>(layer.source);
        }))
      errors_.add(fit_->place(), "view.fit", "needs a layer with \"data\"");
    if (!keys_.found().empty())
      scene.keyed = std::make_shared<const std::vector<KeyedValue>>(std::move(keys_.found()));
    return scene;
  }

 private:
  void read_view(PartlyValidNode node, Scene& scene) {
    using Target = KeyedValue::Target;
    ViewKeys keys;
    scene_forms().view.fill(node, keys);
    keys_.read(node, {Target::kCenter}, Target::kViewRotate, "view");
    scene.view = keys.view;
    const ViewWindow& window = keys.window;
    for (const auto& [key, ends] : {std::pair("x", window.x), std::pair("y", window.y)})
      if (const auto side = node.find(key); side && side->is_list())
        keys_.check_ends(*side, ends[0], ends[1], fmt::format("view.{}", key));
    fit_ = node.find("fit");
    if (window.is_over_frame && window.kind != ViewWindow::Kind::kData)
      errors_.add(node.find("over")->place(), "view.over", "needs fit: data");
    if (fit_ || (node.has("x") && node.has("y"))) scene.window = window;
  }

  void read_image(PartlyValidNode root, ImageSettings& image) {
    if (const auto node = root.find_part("image")) {
      scene_forms().image.fill(*node, image);
      const auto background = node->find("background"), dither = node->find("dither");
      if (background && image.alpha)
        errors_.add(background->place(), "image.background",
                    "remove it: with alpha: true the picture has no background");
      if (dither && image.dither && image.bits == 16)
        errors_.add(dither->place(), "image.dither", "not allowed with bits: 16; write bits: 8");
    }
    if (overrides_.antialias) image.antialias = *overrides_.antialias;
    size_in_file_ = {image.width, image.height};
    if (overrides_.width) image.width = *overrides_.width;
    if (overrides_.height) image.height = *overrides_.height;
    if (overrides_.width && overrides_.height) check_size_option(image);
    scale_image(image);
    crop_image(image);
  }

  void read_background_keys(PartlyValidNode image) {
    using Target = KeyedValue::Target;
    const auto node = image.find("background");
    if (!node || !node->is_map()) return;
    if (node->has("keys"))
      keys_.read(image, {Target::kBackground}, Target::kBackground, "image");
    else
      keys_.read(*node, {Target::kBottom}, Target::kTop, "image.background");
  }

  void scale_image(ImageSettings& image) const {
    if (overrides_.scale == 1) return;
    for (int* const side : {&image.width, &image.height}) {
      const double scaled = std::max(std::round(*side * overrides_.scale), 1.0);
      if (scaled > kMaxImageSide)
        throw Error(ExitCode::kUsage,
                    fmt::format("--scale: expected at most {} pixels a side, got {}", kMaxImageSide,
                                scaled));
      *side = static_cast<int>(scaled);
    }
    image.px = overrides_.scale;
  }

  void crop_image(ImageSettings& image) const {
    if (!overrides_.crop) return;
    const auto [left, top, width, height] = *overrides_.crop;
    if (width > image.width - left || height > image.height - top)
      throw Error(
          ExitCode::kUsage,
          fmt::format(
              "--crop: expected a part of the {}x{} pixels of the picture, got {}x{} at {},{}",
              image.width, image.height, width, height, left, top));
    image.crop = CropOrigin{image.width, image.height, left, image.height - top - height};
    image.width = width;
    image.height = height;
  }

  static void check_size_option(const ImageSettings& image) {
    const auto in_range = [](int side) { return side >= 1 && side <= kMaxImageSide; };
    if (!in_range(image.width) || !in_range(image.height))
      throw Error(ExitCode::kUsage, fmt::format("--size: expected 1 to {} pixels a side, got {}x{}",
                                                kMaxImageSide, image.width, image.height));
  }

  Animation read_animation(PartlyValidNode node) {
    Animation animation;
    scene_forms().animation.fill(node, animation);
    Ratio fps{animation.fps};
    if (const auto rate = node.find("fps")) keys_.set_fps(fps = scene_forms().rate.read(*rate));
    if (const auto duration = node.find("duration")) {
      const double frames = parse_key_time(duration->text(), fps).value();
      animation.frames =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(frames + 0.5)));
    }
    if (animation.start + animation.frames - 1 > kMaxFrame)
      errors_.add(node.place(), "animation",
                  fmt::format("the last frame would be {}, but the last one possible is {}",
                              animation.start + animation.frames - 1, kMaxFrame));
    return animation;
  }

  void hide_layers(Scene& scene) const {
    for (Layer& layer : scene.layers) layer.is_hidden = true;
    std::vector<std::string> names;
    for (const Layer& layer : scene.layers)
      if (!layer.name.empty()) names.push_back(layer.name);
    for (const std::string& name : *overrides_.layers) {
      const auto layer = std::find_if(scene.layers.begin(), scene.layers.end(),
                                      [&](const Layer& l) { return l.name == name; });
      if (layer == scene.layers.end())
        throw Error(ExitCode::kUsage, fmt::format("--layers: {} has no layer named {}{}", path_,
                                                  roundel::quoted(name), layers_hint(name, names)));
      layer->is_hidden = false;
    }
    for (Layer& layer : scene.layers)
      if (layer.is_hidden) layer.frames.reset();
  }
  static std::string layers_hint(const std::string& name, const std::vector<std::string>& names) {
    std::string meant = did_you_mean(name, names);
    if (!meant.empty()) return meant;
    return names.empty() ? " (its layers have no names)"
                         : fmt::format(" (named: {})", join_names(names, "and", false));
  }

  void read_layers(PartlyValidNode layers, Scene& scene) {
    std::map<std::string, std::size_t> names;
    layers.for_each_part(
        [&](std::size_t /*index*/, PartlyValidNode node) { data_.note_columns(node); });
    layers.for_each_part([&](std::size_t index, PartlyValidNode node) {
      layer_path_ = fmt::format("layers[{}]", index);
      layer_index_ = scene.layers.size();
      scene.layers.push_back(read_layer(node));
      if (const auto name = node.find("name")) check_name(*name, index, names);
    });
    const std::uint64_t circles = count_parts(scene);
    if (circles > kMaxCircles)
      errors_.add(
          layers.place(), "layers",
          fmt::format("{} circles in all need {} of memory; at most {}", circles,
                      memory_text(static_cast<double>(circles) * kBytesPerCircle), kMaxCircles));
  }

  void check_name(ValidNode node, std::size_t index, std::map<std::string, std::size_t>& names) {
    const std::string name(node.text());
    if (name.find(',') != std::string::npos)
      errors_.add(node.place(), layer_path_ + ".name",
                  fmt::format("expected a name without commas, got {}", roundel::quoted(name)));
    const auto [first, is_new] = names.emplace(name, index);
    if (!is_new)
      errors_.add(node.place(), layer_path_ + ".name",
                  fmt::format("{} is already the name of layers[{}]", roundel::quoted(name),
                              first->second));
  }

  Layer read_layer(PartlyValidNode node) {
    Layer layer;
    scene_forms().layer.fill(node, layer);
    keys_.read(node, {KeyedValue::Target::kOpacity, layer_index_}, KeyedValue::Target::kRotate,
               layer_path_);
    if (const auto frames = node.find("frames")) layer.frames = read_frames(*frames);
    layer.source = InlineSource{};  // replaces an invalid source
    if (const auto generator = node.find("generator")) {
      GeneratorSource source = scene_forms().generator.read(*generator);
      layer.shader = classic_scene(source.name).shader;
      layer.source = std::move(source);
    } else if (const auto random = node.find_part("random")) {
      layer.source = read_random(*random, layer_path_, errors_);
    } else if (const auto circles = node.find("circles")) {
      layer.source = read_circles(*circles, layer.is_on_screen);
    }
    const auto shader = node.find("shader");
    if (shader && shader->is_map()) {
      layer.shader = Shader::kSolid;
      read_key(shader->find("solid").value(), "alpha", read_number, layer.alpha);
    } else if (shader) {
      layer.shader = shader->text() == "snow"   ? Shader::kSnow
                     : shader->text() == "soft" ? Shader::kSoft
                                                : Shader::kSolid;
    }
    if (node.has("data")) {
      read_key(node, "alpha", read_number, layer.alpha);
      layer.source = data_.read(node, layer, layer_path_);
    }
    read_styles(node, image_, layer_path_, layer, errors_);
    if (const auto stroke = node.find_part("stroke"); stroke && layer.stroke)
      keys_.read(*stroke, {KeyedValue::Target::kStrokeWidth, layer_index_},
                 KeyedValue::Target::kStrokeAlpha, layer_path_ + ".stroke");
    if (layer.is_on_screen) check_screen(node);
    if (const auto map = node.find_part("map")) read_domain_keys(*map);
    return layer;
  }

  void read_domain_keys(PartlyValidNode map) {
    using Target = KeyedValue::Target;
    for (const auto& [key, target] : {std::pair("radius", Target::kRadiusDomain),
                                      {"alpha", Target::kAlphaDomain},
                                      {"color", Target::kColorDomain}})
      if (const auto value = map.find(key); value && value->is_map())
        keys_.read(*value, {target, layer_index_}, target,
                   fmt::format("{}.map.{}", layer_path_, key));
  }

  void check_screen(PartlyValidNode node) {
    if (!node.has("circles"))
      errors_.add(node.find("space")->place(), layer_path_ + ".space",
                  "screen works only for layers of circles");
    for (const char* const key : {"offset", "scale", "rotate", "pivot"})
      if (const auto value = node.find(key))
        errors_.add(value->place(), fmt::format("{}.{}", layer_path_, key),
                    "does not work with space: screen; change x, y and radius of the circles");
    const auto stroke = node.find_part("stroke");
    if (const auto width = stroke ? stroke->find("width") : std::nullopt)
      check_unit(*width, true, [&] { return layer_path_ + ".stroke.width"; });
  }

  /// Checks that the value, or all values of keys, are in pixels, or none.
  template <typename PathOf>
  void check_unit(ValidNode node, bool in_pixels, const PathOf& path_of) {
    if (const auto keys = node.is_map() ? node.find("keys") : std::nullopt) {
      keys->for_each_entry([&](std::string_view /*time*/, ValidNode value) {
        check_unit(value_at_key(value), in_pixels, path_of);
      });
    } else if (node.text().ends_with("px") != in_pixels) {
      errors_.add(node.place(), path_of(),
                  in_pixels ? fmt::format("expected pixels, which space: screen needs, as {0}px, "
                                          "got {0}",
                                          node.text())
                            : fmt::format("expected scene units, got {}; for pixels write the "
                                          "layer's space: screen",
                                          node.text()));
    }
  }

  std::array<double, 2> read_frames(ValidNode node) {
    const std::vector<ValidNode> ends = node.items();
    const std::array<double, 2> frames{parse_key_time(ends.at(0).text(), keys_.fps()).value(),
                                       parse_key_time(ends.at(1).text(), keys_.fps()).value()};
    if (frames[0] > frames[1])
      errors_.add(node.place(), layer_path_ + ".frames",
                  fmt::format("expected the first frame, then the last, got {}, then {}",
                              ends.at(0).text(), ends.at(1).text()));
    return frames;
  }

  InlineSource read_circles(ValidNode list, bool in_pixels) {
    InlineSource source;
    source.circles.reserve(list.count());
    for (const ValidNode& node : list.items()) {
      InlineCircle& circle = source.circles.emplace_back();
      scene_forms().circle.fill(node, circle);
      const std::size_t index = source.circles.size() - 1;
      bool has_keys = false;
      node.for_each_entry([&](std::string_view key, ValidNode value) {
        has_keys |= value.is_map();
        if (key == "x" || key == "y" || key == "radius")
          check_unit(value, in_pixels,
                     [&] { return fmt::format("{}.circles[{}].{}", layer_path_, index, key); });
      });
      if (has_keys)
        keys_.read(node, {KeyedValue::Target::kX, layer_index_, index}, KeyedValue::Target::kAlpha,
                   fmt::format("{}.circles[{}]", layer_path_, index));
    }
    return source;
  }

  const std::string& path_;
  const SceneOverrides& overrides_;
  ImageSettings image_;
  std::pair<int, int> size_in_file_;
  FormatErrors& errors_;
  std::string layer_path_;
  std::size_t layer_index_ = 0;   ///< among the scene's
  std::optional<ValidNode> fit_;  ///< the view's key "fit"
  DataReader data_;
  KeyReader keys_;
};

}  // namespace

Scene read_scene(PartlyValidNode root, const std::string& path, const SceneOverrides& overrides,
                 FormatErrors& errors) {
  return SceneReader(path, overrides, errors).read(root);
}

}  // namespace roundel
