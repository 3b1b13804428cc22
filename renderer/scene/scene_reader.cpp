#include "renderer/scene/scene_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/table.h"
#include "renderer/scene/classic_scenes.h"
#include "renderer/scene/read_keys.h"
#include "renderer/scene/read_looks.h"
#include "renderer/scene/read_map.h"
#include "renderer/scene/read_random.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/resolve_scene.h"

namespace roundel {
namespace {

class SceneReader {
 public:
  SceneReader(const std::string& path, const SceneOverrides& overrides, SceneErrors& errors)
      : path_(path), overrides_(overrides), errors_(errors), keys_(errors) {}

  Scene read(PartlyValidNode root) {
    Scene scene;
    scene.path = path_;
    read_key(root, "seed", read_integer, scene.seed);
    if (overrides_.seed) scene.seed = *overrides_.seed;
    read_image(root, scene.image);
    image_ = scene.image;
    std::tie(scene.width_in_file, scene.height_in_file) = size_in_file_;
    if (const auto animation = root.find_part("animation")) {
      scene.animation = animation_ = read_animation(*animation);
      keys_.set_fps(animation_->fps);
    }
    scene.frame = scene.default_frame();
    if (const auto view = root.find_part("view")) read_view(*view, scene);
    fits_films_ = scene.window && scene.window->kind == ViewWindow::Kind::kData &&
                  !scene.window->is_over_frame;
    if (const auto layers = root.find_part("layers")) read_layers(*layers, scene);
    if (overrides_.layers) hide_layers(scene);
    scene.image.looks = looks_of(scene);
    if (scene.window && scene.window->kind == ViewWindow::Kind::kData &&
        std::none_of(scene.layers.begin(), scene.layers.end(), [](const Layer& layer) {
          return std::holds_alternative<DataSource>(layer.source);
        }))
      errors_.add(fit_->place(), "view.fit", "expected a layer with data");
    if (const auto output = root.find("output")) scene.output = std::string(output->text());
    if (!keys_.found().empty())
      scene.keyed = std::make_shared<const std::vector<KeyedValue>>(std::move(keys_.found()));
    return scene;
  }

 private:
  void read_view(PartlyValidNode node, Scene& scene) {
    using Target = KeyedValue::Target;
    std::array<double, 2> center{scene.view.center_x, scene.view.center_y};
    keys_.read(node, "center", read_point, center, {Target::kCenter}, "view");
    std::tie(scene.view.center_x, scene.view.center_y) = std::tie(center[0], center[1]);
    keys_.read(node, "zoom", read_number, scene.view.zoom, {Target::kZoom}, "view");
    scene.view.flip_y = node.find("flip").has_value();
    ViewWindow window;
    const auto read_ends = [this](const char* key) {
      return [this, key](ValidNode ends) {
        const std::array<double, 2> pair = read_point(ends);
        if (!(pair[0] < pair[1]))
          errors_.add(ends.place(), fmt::format("view.{}", key),
                      "expected the lower end first, then a higher one");
        return pair;
      };
    };
    keys_.read(node, "x", read_ends("x"), window.x, {Target::kWindowX}, "view");
    keys_.read(node, "y", read_ends("y"), window.y, {Target::kWindowY}, "view");
    fit_ = node.find("fit");
    if (fit_)
      window.kind = fit_->text() == "data" ? ViewWindow::Kind::kData : ViewWindow::Kind::kSquare;
    keys_.read(node, "margin", read_number, window.margin, {Target::kMargin}, "view");
    window.is_over_frame = is_over_frame(node.find("over"));
    if (window.is_over_frame && window.kind != ViewWindow::Kind::kData)
      errors_.add(node.find("over")->place(), "view.over", "expected fit: data too");
    if (const auto aspect = node.find("aspect")) window.covers = aspect->text() == "cover";
    if (fit_ || (node.has("x") && node.has("y"))) scene.window = window;
  }

  void read_image(PartlyValidNode root, ImageSettings& image) {
    if (const auto node = root.find_part("image")) {
      read_key(*node, "width", read_integer, image.width);
      read_key(*node, "height", read_integer, image.height);
      read_key(*node, "alpha", read_boolean, image.alpha);
      read_key(*node, "antialias", read_boolean, image.antialias);
      if (const auto background = node->find("background")) {
        image.background = read_background(*background);
        if (image.alpha)
          errors_.add(background->place(), "image.background",
                      "not allowed with alpha: true, which leaves the background out");
      }
      if (const auto blend = node->find("blend"))
        image.blend_space = blend->text() == "linear" ? BlendSpace::kLinear : BlendSpace::kDisplay;
      if (const auto bits = node->find("bits")) image.bits = bits->text() == "16" ? 16 : 8;
      if (const auto dither = node->find("dither")) {
        image.dither = read_boolean(*dither);
        if (image.dither && image.bits == 16)
          errors_.add(dither->place(), "image.dither", "not allowed with bits: 16, expected 8");
      }
    }
    size_in_file_ = {image.width, image.height};
    if (overrides_.width) image.width = *overrides_.width;
    if (overrides_.height) image.height = *overrides_.height;
    if (overrides_.width && overrides_.height) check_size_option(image);
    scale_image(image);
    crop_image(image);
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
      throw Error(ExitCode::kUsage,
                  fmt::format("--crop: expected a part of the picture, which has {}x{} pixels, got "
                              "{}x{} from {},{} on",
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

  static Background read_background(ValidNode node) {
    if (!node.is_map()) return {read_color(node), read_color(node)};
    return {read_color(node.find("bottom").value()), read_color(node.find("top").value())};
  }

  Animation read_animation(PartlyValidNode node) {
    Animation animation;
    read_key(node, "fps", read_number, animation.fps);
    read_key(node, "frames", read_integer, animation.frames);
    read_key(node, "start", read_integer, animation.start);
    if (const auto time = node.find("time")) animation.is_real = time->text() == "real";
    if (animation.start + animation.frames - 1 > kMaxFrame)
      errors_.add(node.place(), "animation",
                  fmt::format("the last frame would be {}, but the last one possible is {}",
                              animation.start + animation.frames - 1, kMaxFrame));
    return animation;
  }

  /// --layers: the others are hidden.
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
  }
  static std::string layers_hint(const std::string& name, const std::vector<std::string>& names) {
    std::string meant = did_you_mean(name, names);
    if (!meant.empty()) return meant;
    return names.empty() ? " (its layers have no names)"
                         : fmt::format(" (named: {})", join_names(names, "and", false));
  }

  void read_layers(PartlyValidNode layers, Scene& scene) {
    std::map<std::string, std::size_t> names;
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
                  fmt::format("{} is the name of layers[{}] already", roundel::quoted(name),
                              first->second));
  }

  void read_placement(PartlyValidNode node, Layer& layer) {
    using Target = KeyedValue::Target;
    const auto read_moving = [&](const char* key, auto read_value, auto& out, Target target) {
      keys_.read(node, key, read_value, out, {target, layer_index_}, layer_path_);
    };
    if (const auto name = node.find("name")) layer.name = std::string(name->text());
    read_moving("opacity", read_number, layer.opacity, Target::kOpacity);
    read_moving("offset", read_point, layer.move.offset, Target::kOffset);
    read_moving("scale", read_number, layer.move.scale, Target::kScale);
    read_moving("rotate", read_number, layer.move.rotate, Target::kRotate);
    read_key(node, "pivot", read_point, layer.move.pivot);
  }

  Layer read_layer(PartlyValidNode node) {
    Layer layer;
    read_placement(node, layer);
    layer.source = InlineSource{};  // stays where the real one is not valid: no circles
    if (const auto generator = node.find("generator")) {
      layer.source = read_generator(*generator, layer.shader);
    } else if (const auto random = node.find_part("random")) {
      layer.source = read_random(*random, layer_path_, errors_);
    } else if (const auto circles = node.find("circles")) {
      layer.source = read_circles(*circles);
    }
    const auto shader = node.find("shader");
    if (shader && shader->is_map()) {
      layer.shader = Shader::kSolid;
      read_key(shader->find("solid").value(), "alpha", read_number, layer.alpha);
    } else if (shader) {
      layer.shader = shader->text() == "snow" ? Shader::kSnow : Shader::kSolid;
    }
    if (node.has("data")) {
      read_key(node, "alpha", read_number, layer.alpha);
      layer.source = read_data(node, layer.shader);
    }
    read_looks(node, image_, layer_path_, layer, errors_);
    return layer;
  }

  static GeneratorSource read_generator(ValidNode node, Shader& shader) {
    GeneratorSource source;
    source.name = std::string(node.is_map() ? node.find("name").value().text() : node.text());
    if (const auto seed = node.find("seed"))
      source.seed = static_cast<std::uint32_t>(read_integer(*seed));
    shader = classic_scene(source.name).shader;
    return source;
  }

  InlineSource read_circles(ValidNode list) {
    InlineSource source;
    source.circles.reserve(list.count());
    for (const ValidNode& node : list.items()) {
      InlineCircle circle;
      node.for_each_entry([&](std::string_view key, ValidNode value) {
        if (value.is_map())
          read_circle_keys(key, value, source.circles.size());
        else if (key == "x")
          circle.x = read_number(value);
        else if (key == "y")
          circle.y = read_number(value);
        else if (key == "z")
          circle.z = read_number(value);
        else if (key == "radius")
          circle.radius = read_number(value);
        else if (key == "color")
          circle.color = read_color(value);
        else
          circle.alpha = read_number(value);
      });
      source.circles.push_back(circle);
    }
    return source;
  }

  void read_circle_keys(std::string_view key, ValidNode value, std::size_t circle) {
    using Target = KeyedValue::Target;
    KeyedValue keyed{Target::kX, layer_index_, circle};
    while (key != keyed.name())
      keyed.target = static_cast<Target>(static_cast<int>(keyed.target) + 1);
    keys_.add(value, keyed, fmt::format("{}.circles[{}]", layer_path_, circle),
              [&](ValidNode node) {
                return keyed.target == Target::kColor ? KeyReader::numbers_of(read_color(node))
                                                      : KeyReader::numbers_of(read_number(node));
              });
  }

  DataSource read_data(PartlyValidNode layer, Shader shader) {
    DataSource source;
    const auto data = layer.find("data");
    const auto columns = layer.find("columns");
    if (columns) source.columns = read_columns(*columns, shader);
    if (!data) return source;
    const std::filesystem::path scene = is_stream_path(path_) ? "" : path_;
    const bool is_file = overrides_.tables.count(data->text()) == 0;
    source.path =
        is_file ? (scene.parent_path() / data->text()).string() : std::string(data->text());
    const FrameName name{std::string(data->text())};
    std::error_code ignored;
    if (is_file && overrides_.on_data_file) overrides_.on_data_file(source.path);
    if (is_file && name.has_number() && !std::filesystem::exists(source.path, ignored)) {
      source.film = read_film(*data, name, scene.parent_path().string());
      if (!source.film) return source;
      source.path = source.film->path(source.film->start);
    }
    if (const auto dataset = layer.find("dataset")) source.dataset = std::string(dataset->text());
    if (const auto color = layer.find("color")) source.color = read_color(*color);
    try {
      const DataFile& file = open_data(source.path, source.dataset);
      source.table = file.table;
      source.rows = file.table->rows();
      source.content_hash = file.content_hash;
      source.fits_float = file.table->fits_float();
      if (source.film) {
        auto film = std::make_shared<DataFilm>(*source.film);
        film->first = TableHead(*file.table);
        source.film = std::move(film);
      }
      if (layer.has("map")) read_map(layer, shader, source);
      check_film(*data, source);
      if (!layer.has("map") && !columns && !layer.has("columns"))
        errors_.add(data->place(), layer_path_ + ".data",
                    fmt::format("\"map\" says what the columns become, as map: {{x: {}, y: ..., "
                                "radius: 2px}}; {}",
                                column_example(*file.table), columns_there(*file.table)));
      if (source.rows > kMaxCircles && !source.map)
        errors_.add(data->place(), layer_path_ + ".data",
                    fmt::format("{}: {} rows need {} of memory as circles; at most {}", source.path,
                                source.rows,
                                memory_text(static_cast<double>(source.rows) * kBytesPerCircle),
                                kMaxCircles));
      const std::uint64_t file_columns = file.table->columns().size();
      if (columns && file_columns != source.columns.size())
        errors_.add(columns->place(), layer_path_ + ".columns",
                    fmt::format("expected the names of {} columns, as {} has, got {}", file_columns,
                                source.path, source.columns.size()));
      for (std::size_t c = 0; columns && c < std::min(file_columns, source.columns.size()); ++c)
        if (source.columns[c] != DataColumn::kIgnored && file.table->columns()[c].is_text)
          errors_.add(columns->place(), fmt::format("{}.columns[{}]", layer_path_, c),
                      fmt::format("expected a column of numbers, as texts are in this one of {}",
                                  source.path));
      check_colors(layer, source);
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kInvalidScene) throw;
      errors_.add(data->place(), layer_path_ + ".data", error.what());
    }
    return source;
  }

  static std::string column_example(const Table& table) {
    const std::string& name = table.columns()[0].name;
    return name.empty() ? "{column: 0}" : printable(name);
  }

  /// A data file a frame; nothing where there is none for some.
  std::shared_ptr<const DataFilm> read_film(ValidNode data, const FrameName& name,
                                            const std::string& folder) {
    auto film = std::make_shared<DataFilm>();
    film->folder = folder;
    film->name = name;
    const auto fail = [&](const std::string& problem) {
      errors_.add(data.place(), layer_path_ + ".data", problem);
      return nullptr;
    };
    if (!animation_)
      return fail(
          fmt::format("{}: no such file; for a file a frame \"animation\" says which "
                      "frames there are",
                      (std::filesystem::path(folder) / data.text()).string()));
    film->start = animation_->start;
    film->frames = animation_->frames;
    for (std::int64_t i = 0; overrides_.on_data_file && i < film->frames; ++i)
      overrides_.on_data_file(film->path(film->start + i));
    if (!missing_files(*film, {film->start}).empty()) return fail(missing_of(*film));
    return film;
  }

  static std::string missing_of(const DataFilm& film) {
    return missing_files(film, run_of_frames(film.start, film.frames));
  }

  /// Where something goes by all files of a film, all must be there.
  void check_film(ValidNode data, const DataSource& source) {
    if (!source.film || !(fits_films_ || (source.map && needs_film(*source.map)))) return;
    const std::string missing = missing_of(*source.film);
    if (!missing.empty()) errors_.add(data.place(), layer_path_ + ".data", missing);
  }

  void read_map(PartlyValidNode layer, Shader shader, DataSource& source) {
    source.map = read_data_map(layer, *source.table, layer_path_, errors_);
    DataMap& map = *source.map;
    const auto node = layer.find_part("map");
    if (shader == Shader::kSnow && node && !node->has("z"))
      errors_.add(node->place(), layer_path_ + ".map",
                  "missing key \"z\", which the snow shader needs");
    if (source.color && node && !node->has("color")) map.color.constant = *source.color;
  }

  /// A layer has one place for its colour and one for its alpha.
  void check_colors(PartlyValidNode layer, const DataSource& source) {
    const auto map = layer.find_part("map");
    const auto has_column = [&](DataColumn first, DataColumn last) {
      return std::any_of(source.columns.begin(), source.columns.end(),
                         [&](DataColumn column) { return column >= first && column <= last; });
    };
    const auto check = [&](const char* key, bool in_columns) {
      const auto node = layer.find(key);
      if (node && (in_columns || (map && map->has(key))))
        errors_.add(node->place(), fmt::format("{}.{}", layer_path_, key),
                    "the layer's data have it already");
    };
    check("color", has_column(DataColumn::kRed, DataColumn::kBlue));
    check("alpha", has_column(DataColumn::kAlpha, DataColumn::kAlpha));
  }

  std::vector<DataColumn> read_columns(ValidNode list, Shader shader) {
    std::vector<DataColumn> columns;
    const auto has = [&](DataColumn column) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    };
    for (const ValidNode& item : list.items()) {
      const auto name = std::find(kDataColumnNames.begin(), kDataColumnNames.end(), item.text());
      const auto column = static_cast<DataColumn>(name - kDataColumnNames.begin());
      if (column != DataColumn::kIgnored && has(column))
        errors_.add(item.place(), fmt::format("{}.columns[{}]", layer_path_, columns.size()),
                    fmt::format("column \"{}\" occurs twice", *name));
      columns.push_back(column);
    }
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
    std::shared_ptr<const Table> table;
    std::uint64_t content_hash = 0;
  };
  // Layers may share a file, which can be gigabytes long: it is hashed once.
  const DataFile& open_data(const std::string& path, const std::string& dataset) {
    const auto given = overrides_.tables.find(path);
    if (given != overrides_.tables.end()) {
      if (!dataset.empty())
        throw Error(ExitCode::kInvalidScene, path + ": " + std::string(kNoDatasets));
      return data_files_[{path, dataset}] = {given->second};  // hashed where that is asked for
    }
    const auto known = data_files_.find({path, dataset});
    if (known != data_files_.end()) return known->second;
    std::shared_ptr<const Table> table = open_table(path, {dataset});
    const std::uint64_t content_hash = table->content_hash();
    return data_files_.emplace(std::pair(path, dataset), DataFile{std::move(table), content_hash})
        .first->second;
  }

  const std::string& path_;
  const SceneOverrides& overrides_;
  ImageSettings image_;
  std::pair<int, int> size_in_file_;
  SceneErrors& errors_;
  std::string layer_path_;
  std::size_t layer_index_ = 0;  ///< among the scene's
  std::map<std::pair<std::string, std::string>, DataFile> data_files_;
  std::optional<ValidNode> fit_;  ///< of the view
  std::optional<Animation> animation_;
  bool fits_films_ = false;  ///< the view fits all files of films of data
  KeyReader keys_;
};

}  // namespace

Scene read_scene(PartlyValidNode root, const std::string& path, const SceneOverrides& overrides,
                 SceneErrors& errors) {
  return SceneReader(path, overrides, errors).read(root);
}

}  // namespace roundel
