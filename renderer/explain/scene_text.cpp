#include "renderer/explain/scene_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/text.h"
#include "renderer/format/number_text.h"
#include "renderer/scene/vars.h"

namespace roundel {
namespace {

constexpr std::size_t kMaxListItems = 8;

bool has_only_scalars(YamlNode list) {
  bool result = list.is_list();
  list.for_each_item([&result](YamlNode item) { result = result && item.is_scalar(); });
  return result;
}

std::string value_text(YamlNode node) {
  if (node.is_scalar()) {
    const std::string quoted_text = quoted(node.text());  // shortened, without line ends
    return quoted_text.substr(1, quoted_text.size() - 2);
  }
  if (node.is_map()) return "{" + counted(node.count(), "key") + "}";
  if (!node.is_list()) return "nothing";
  if (node.count() > kMaxListItems || !has_only_scalars(node))
    return "[" + counted(node.count(), "item") + "]";
  std::vector<std::string> items;
  node.for_each_item([&items](YamlNode item) { items.push_back(value_text(item)); });
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::vector<YamlNode> items_of(YamlNode list) {
  std::vector<YamlNode> items;
  list.for_each_item([&items](YamlNode item) { items.push_back(item); });
  return items;
}

/// Compares numbers by value.
bool is_same_scalar(YamlNode a, YamlNode b) {
  if (!a.is_scalar() || !b.is_scalar()) return a.kind() == b.kind();
  if (a.text() == b.text()) return true;
  const auto number_a = parse_number(a.text()).value, number_b = parse_number(b.text()).value;
  return a.kind() == YamlKind::kPlain && b.kind() == YamlKind::kPlain && number_a && number_b &&
         *number_a == *number_b;
}

class ValueChanges {
 public:
  explicit ValueChanges(std::vector<std::string> ignored_files)
      : passed_over_(std::move(ignored_files)) {}

  void compare(YamlNode a, YamlNode b, const std::string& path) {
    if (std::find(passed_over_.begin(), passed_over_.end(), path) != passed_over_.end()) return;
    if (a.is_map() && b.is_map()) return compare_maps(a, b, path);
    if (a.is_list() && b.is_list() && a.count() == b.count() && !has_only_scalars(a)) {
      const std::vector<YamlNode> of_a = items_of(a), of_b = items_of(b);
      for (std::size_t i = 0; i < of_a.size(); ++i)
        compare(of_a[i], of_b[i], fmt::format("{}[{}]", path, i));
      return;
    }
    if (is_same(a, b)) return;
    changes_.values.push_back(fmt::format("{} {} -> {}", path, value_text(a), value_text(b)));
    note_line(b);
  }

  SceneChanges take() { return std::move(changes_); }

 private:
  static bool is_same(YamlNode a, YamlNode b) {
    if (!a.is_list() || !b.is_list()) return is_same_scalar(a, b);
    const std::vector<YamlNode> of_a = items_of(a), of_b = items_of(b);
    return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), is_same_scalar);
  }

  void compare_maps(YamlNode a, YamlNode b, const std::string& path) {
    const auto path_of = [&path](YamlNode key) {
      return path + (path.empty() ? "" : ".") + std::string(key.text());
    };
    const auto add = [&](YamlNode key, YamlNode value, const char* what) {
      const std::string name = path_of(key);
      if (key.text() == "circles" ||
          std::find(passed_over_.begin(), passed_over_.end(), name) != passed_over_.end())
        return;
      changes_.values.push_back(fmt::format("{} {} {}", name, value_text(value), what));
    };
    a.for_each_entry([&](YamlNode key, YamlNode value) {
      const auto other = b.find(key.text());
      if (!other) return add(key, value, "removed");
      if (key.text() != "circles" || !value.is_list())
        compare(value, *other, path_of(key));
      else if (changes_.line == 0)
        find_changed_circle(value, *other);
    });
    b.for_each_entry([&](YamlNode key, YamlNode value) {
      if (a.find(key.text())) return;
      const std::size_t before = changes_.values.size();
      add(key, value, "added");
      if (changes_.values.size() > before) note_line(key);
    });
  }

  void note_line(YamlNode of_b) {
    if (changes_.line == 0) changes_.line = of_b.place().line;
  }

  void find_changed_circle(YamlNode a, YamlNode b) {
    const std::vector<YamlNode> of_a = items_of(a), of_b = items_of(b);
    for (std::size_t i = 0; i < of_b.size() && changes_.line == 0; ++i) {
      ValueChanges changes({});
      if (i < of_a.size()) changes.compare(of_a[i], of_b[i], "");
      if (i >= of_a.size() || !changes.changes_.values.empty()) note_line(of_b[i]);
    }
  }

  std::vector<std::string> passed_over_;
  SceneChanges changes_;
};

}  // namespace

SceneText::SceneText(std::string_view text, const std::string& path,
                     const SceneOverrides& overrides)
    : tree_(text, path) {
  FormatErrors errors(path);
  replace_vars(tree_, path, overrides.vars, overrides.frame, errors);
  const auto layers = root().find("layers");
  if (!layers) return;
  layers->for_each_item([this](YamlNode layer) {
    std::vector<std::uint32_t>& lines = circle_lines_.emplace_back();
    if (const auto circles = layer.find("circles"))
      circles->for_each_item([&lines](YamlNode circle) { lines.push_back(circle.place().line); });
    const auto data = layer.find("data");
    data_.push_back(data && data->is_scalar() ? std::string(data->text()) : "");
  });
}

std::optional<std::uint32_t> SceneText::circle_line(std::size_t layer, std::uint64_t index) const {
  if (layer >= circle_lines_.size() || index >= circle_lines_[layer].size()) return std::nullopt;
  return circle_lines_[layer][index];
}

SceneChanges changed_values(const SceneText& a, const SceneText& b,
                            const SceneOverrides& overrides) {
  std::vector<std::string> ignored_files = {"output"};
  if (overrides.seed) ignored_files.emplace_back("seed");
  if (overrides.width) ignored_files.insert(ignored_files.end(), {"image.width", "image.height"});
  if (overrides.antialias) ignored_files.emplace_back("image.antialias");
  ValueChanges changes(ignored_files);
  changes.compare(a.root(), b.root(), "");
  return changes.take();
}

}  // namespace roundel
