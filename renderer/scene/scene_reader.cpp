#include "renderer/scene/scene_reader.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/generate/generate.h"
#include "renderer/scene/npy.h"
#include "renderer/scene/number_text.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/text.h"
#include "renderer/scene/validate.h"

namespace roundel {
namespace {

class SceneReader {
 public:
  SceneReader(const std::string& path, const SceneOverrides& overrides, SceneErrors& errors)
      : path_(path), overrides_(overrides), errors_(errors) {}

  Scene read(YamlNode root) {
    Scene scene;
    scene.path = path_;
    read_key(root, "seed", read_integer, scene.seed);
    if (overrides_.seed) scene.seed = *overrides_.seed;
    read_image(root, scene.image);
    std::tie(scene.width_in_file, scene.height_in_file) = size_in_file_;
    if (const auto view = root.find("view")) {
      if (const auto center = find_valid(*view, "center")) {
        scene.view.center_x = read_point(*center)[0];
        scene.view.center_y = read_point(*center)[1];
      }
      read_key(*view, "zoom", read_number, scene.view.zoom);
    }
    if (const auto layers = root.find("layers"); layers && layers->is_list())
      read_layers(*layers, scene);
    if (const auto animation = root.find("animation")) scene.animation = read_animation(*animation);
    if (const auto output = find_valid(root, "output")) scene.output = std::string(output->text());
    return scene;
  }

 private:
  void read_image(YamlNode root, ImageSettings& image) {
    const auto node = root.find("image");
    bool sizes_known = true;
    if (node) {
      for (const auto& [key, side] :
           {std::pair{"width", &image.width}, {"height", &image.height}}) {
        read_key(*node, key, read_integer, *side);
        const auto value = node->find(key);
        sizes_known &= !value || value->valid();
      }
      read_key(
          *node, "alpha", [](YamlNode n) { return n.text() == "true"; }, image.alpha);
      if (const auto background = find_valid(*node, "background")) {
        image.background = read_background(*background);
        if (image.alpha)
          errors_.add(background->place(), "image.background",
                      "not allowed with alpha: true, which leaves the background out");
      }
      if (const auto blend = find_valid(*node, "blend"))
        image.blend_space = blend->text() == "linear" ? BlendSpace::kLinear : BlendSpace::kDisplay;
    }
    size_in_file_ = {image.width, image.height};
    if (overrides_.width) image.width = *overrides_.width;
    if (overrides_.height) image.height = *overrides_.height;
    if (overrides_.width && overrides_.height)
      check_size_option(image);
    else if (sizes_known)
      check_pixels(node.value_or(root).place(), image);
    else if (node)
      check_absurd_size(*node);
  }

  static double pixels_of(const ImageSettings& image) {
    return static_cast<double>(image.width) * image.height;
  }
  static std::string too_many_pixels(double width, double height) {
    return fmt::format("an image of {:.0f}x{:.0f} pixels needs {} of memory; at most {} pixels",
                       width, height, memory_text(width * height * kBytesPerPixel), kMaxPixels);
  }

  static void check_size_option(const ImageSettings& image) {
    const auto in_range = [](int side) { return side >= 1 && side <= kMaxImageSide; };
    if (!in_range(image.width) || !in_range(image.height))
      throw Error(ExitCode::kUsage, fmt::format("--size: expected 1 to {} pixels a side, got {}x{}",
                                                kMaxImageSide, image.width, image.height));
    if (pixels_of(image) > static_cast<double>(kMaxPixels))
      throw Error(ExitCode::kUsage, "--size: " + too_many_pixels(image.width, image.height));
  }

  void check_pixels(Place place, const ImageSettings& image) {
    if (pixels_of(image) > static_cast<double>(kMaxPixels))
      errors_.add(place, "image", too_many_pixels(image.width, image.height));
  }

  // Sides out of range have been reported one by one; here is what the two would mean together.
  void check_absurd_size(YamlNode image) {
    std::array<double, 2> sides{};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto node = image.find(i == 0 ? "width" : "height");
      sides[i] = ImageSettings{}.width;
      if (!node) continue;
      if (node->kind() != YamlKind::kPlain) return;
      sides[i] = parse_number(node->text()).value.value_or(0);
    }
    if (sides[0] >= 1 && sides[1] >= 1 && sides[0] * sides[1] > static_cast<double>(kMaxPixels))
      errors_.add(image.place(), "image", too_many_pixels(sides[0], sides[1]));
  }

  static Background read_background(YamlNode node) {
    if (!node.is_map()) return {read_color(node), read_color(node)};
    return {read_color(node.find("bottom").value()), read_color(node.find("top").value())};
  }

  Animation read_animation(YamlNode node) {
    Animation animation;
    read_key(node, "fps", read_number, animation.fps);
    read_key(node, "frames", read_integer, animation.frames);
    read_key(node, "start", read_integer, animation.start);
    if (animation.start + animation.frames - 1 > kMaxFrame)
      errors_.add(node.place(), "animation",
                  fmt::format("the last frame would be {}, but the last one possible is {}",
                              animation.start + animation.frames - 1, kMaxFrame));
    return animation;
  }

  void read_layers(YamlNode layers, Scene& scene) {
    std::size_t index = 0;
    layers.for_each_item([&](YamlNode node) {
      layer_path_ = fmt::format("layers[{}]", index++);
      if (node.is_map()) scene.layers.push_back(read_layer(node));
    });
    const std::uint64_t circles = count_circles(scene);
    if (circles > kMaxCircles)
      errors_.add(
          layers.place(), "layers",
          fmt::format("{} circles in all need {} of memory; at most {}", circles,
                      memory_text(static_cast<double>(circles) * kBytesPerCircle), kMaxCircles));
  }

  Layer read_layer(YamlNode node) {
    Layer layer;
    layer.source = InlineSource{};  // stays where the real one is not valid: no circles
    if (const auto generator = find_valid(node, "generator")) {
      layer.source = read_generator(*generator, layer.shader);
    } else if (const auto random = node.find("random")) {
      layer.source = read_random(*random);
    } else if (const auto circles = find_valid(node, "circles")) {
      layer.source = read_circles(*circles);
    }
    const auto shader = find_valid(node, "shader");
    if (shader && shader->is_map()) {
      layer.shader = Shader::kSolid;
      read_key(shader->find("solid").value(), "alpha", read_number, layer.alpha);
    } else if (shader) {
      layer.shader = shader->text() == "snow" ? Shader::kSnow : Shader::kSolid;
    }
    if (const auto data = node.find("data")) layer.source = read_data(node, *data, layer.shader);
    return layer;
  }

  static GeneratorSource read_generator(YamlNode node, Shader& shader) {
    GeneratorSource source;
    source.name = std::string(node.is_map() ? node.find("name").value().text() : node.text());
    if (const auto seed = node.find("seed"))
      source.seed = static_cast<std::uint32_t>(read_integer(*seed));
    shader = classic_shader(source.name);
    return source;
  }

  RandomSource read_random(YamlNode node) {
    RandomSource source;
    read_key(node, "count", read_integer, source.count);
    if (const auto seed = find_valid(node, "seed"))
      source.seed = static_cast<std::uint32_t>(read_integer(*seed));
    read_key(node, "position", read_position_law, source.position);
    read_key(node, "radius", read_number_law, source.radius);
    read_key(node, "color", read_color_law, source.color);
    if (const auto alpha = find_valid(node, "alpha")) source.alpha = read_number_law(*alpha);
    read_key(node, "depth", read_number_law, source.depth);
    for (const char* key : {"radius", "alpha", "depth"}) {
      if (const auto law = find_valid(node, key)) check_order(*law, key, read_number_law(*law));
    }
    if (const auto* box = std::get_if<UniformPosition>(&source.position);
        box && (box->low[0] > box->high[0] || box->low[1] > box->high[1]))
      errors_.add(node.find("position").value().place(), layer_path_ + ".random.position",
                  "expected the lower left corner first, then the upper right");
    return source;
  }

  void check_order(YamlNode node, const char* key, const NumberLaw& law) {
    const auto* uniform = std::get_if<UniformLaw>(&law);
    if (uniform && uniform->low > uniform->high)
      errors_.add(
          node.place(), fmt::format("{}.random.{}.uniform", layer_path_, key),
          fmt::format("expected the lower bound first, got [{}, {}]", uniform->low, uniform->high));
  }

  static InlineSource read_circles(YamlNode list) {
    InlineSource source;
    source.circles.reserve(list.count());
    list.for_each_item([&](YamlNode node) {
      InlineCircle circle;
      node.for_each_entry([&](YamlNode key, YamlNode value) {
        if (key.text() == "x")
          circle.x = read_number(value);
        else if (key.text() == "y")
          circle.y = read_number(value);
        else if (key.text() == "z")
          circle.z = read_number(value);
        else if (key.text() == "radius")
          circle.radius = read_number(value);
        else if (key.text() == "color")
          circle.color = read_color(value);
        else
          circle.alpha = read_number(value);
      });
      source.circles.push_back(circle);
    });
    return source;
  }

  DataSource read_data(YamlNode layer, YamlNode data, Shader shader) {
    DataSource source;
    const auto columns = find_valid(layer, "columns");
    if (columns) {
      source.columns = read_columns(*columns, shader);
    }
    if (!data.valid()) return source;
    source.path = (std::filesystem::path(path_).parent_path() / data.text()).string();
    try {
      const DataFile& file = open_data(source.path);
      source.rows = file.rows;
      source.content_hash = file.content_hash;
      if (file.rows > kMaxCircles)
        errors_.add(
            data.place(), layer_path_ + ".data",
            fmt::format("{}: {} rows need {} of memory as circles; at most {}", source.path,
                        file.rows, memory_text(static_cast<double>(file.rows) * kBytesPerCircle),
                        kMaxCircles));
      if (columns && file.columns != source.columns.size())
        errors_.add(columns->place(), layer_path_ + ".columns",
                    fmt::format("expected the names of {} columns, as {} has, got {}", file.columns,
                                source.path, source.columns.size()));
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInvalidScene) throw;
      errors_.add(data.place(), layer_path_ + ".data", error.what());
    }
    return source;
  }

  std::vector<DataColumn> read_columns(YamlNode list, Shader shader) {
    std::vector<DataColumn> columns;
    const auto has = [&](DataColumn column) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    list.for_each_item([&](YamlNode item) {
      const auto name = std::find(kDataColumnNames.begin(), kDataColumnNames.end(), item.text());
      const auto column = static_cast<DataColumn>(name - kDataColumnNames.begin());
      if (column != DataColumn::kIgnored && has(column))
        errors_.add(item.place(), fmt::format("{}.columns[{}]", layer_path_, columns.size()),
                    fmt::format("column \"{}\" occurs twice", *name));
      columns.push_back(column);
    });
    for (const DataColumn column : {DataColumn::kX, DataColumn::kY, DataColumn::kRadius}) {
      if (!has(column))
        errors_.add(list.place(), layer_path_ + ".columns",
                    fmt::format("missing column \"{}\"",
                                kDataColumnNames[static_cast<std::size_t>(column)]));
    }
    if (shader == Shader::kSnow && !has(DataColumn::kZ))
      errors_.add(list.place(), layer_path_ + ".columns",
                  "missing column \"z\", which the snow shader needs");
    return columns;
  }

  struct DataFile {
    std::uint64_t rows = 0, columns = 0, content_hash = 0;
  };
  // Layers may share a file, which can be gigabytes long: it is hashed once.
  const DataFile& open_data(const std::string& path) {
    const auto known = data_files_.find(path);
    if (known != data_files_.end()) return known->second;
    const NpyArray array(path);
    const std::span<const std::byte> bytes = array.file_bytes();
    const DataFile file{array.rows(), array.columns(), XXH3_64bits(bytes.data(), bytes.size())};
    return data_files_.emplace(path, file).first->second;
  }

  const std::string& path_;
  const SceneOverrides& overrides_;
  std::pair<int, int> size_in_file_;
  SceneErrors& errors_;
  std::string layer_path_;
  std::map<std::string, DataFile> data_files_;
};

}  // namespace

Scene read_scene(YamlNode root, const std::string& path, const SceneOverrides& overrides,
                 SceneErrors& errors) {
  return SceneReader(path, overrides, errors).read(root);
}

}  // namespace roundel
