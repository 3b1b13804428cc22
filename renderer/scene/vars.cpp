#include "renderer/scene/vars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/format/number_text.h"
#include "renderer/format/validate.h"

namespace roundel {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr std::string_view kLettersAndDigits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/// The name at the start of a text; may be empty.
std::string_view leading_name(std::string_view text) {
  if (text.empty() || kLetters.find(text[0]) == std::string_view::npos) return {};
  return text.substr(0, text.find_first_not_of(kLettersAndDigits));
}

/// The name in exactly $name; else empty.
std::string_view var_of(std::string_view text) {
  if (!text.starts_with('$')) return {};
  const std::string_view name = leading_name(text.substr(1));
  return name.size() + 1 == text.size() ? name : std::string_view{};
}

constexpr std::string_view kFrame = "frame";

/// True for keys whose values must not depend on the frame.
bool refuses_frame(std::string_view key) {
  constexpr std::array<std::string_view, 8> kKeys = {"version", "image",   "animation", "output",
                                                     "data",    "dataset", "keys",      "frames"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

bool takes_parts(std::string_view key) {
  return key == "data" || key == "dataset" || key == "output";
}

/// True if a value in brackets may follow `before`.
bool begins_value(std::string_view before) {
  const std::size_t last = before.find_last_not_of(' ');
  return last == std::string_view::npos ||
         std::string_view("[,:").find(before[last]) != std::string_view::npos;
}

/// Quotes colours, as YAML needs.
std::string with_quoted_colors(std::string_view value) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && begins_value(out)) {
      const std::size_t end = std::min(value.find_first_of(" ],}", i), value.size());
      out += fmt::format("\"{}\"", value.substr(i, end - i));
      i = end - 1;
      continue;
    }
    out += c;
  }
  return out;
}

}  // namespace

class VarReplacer {
 public:
  VarReplacer(YamlTree& tree, const std::string& file, std::optional<std::int64_t> frame,
              FormatErrors& errors)
      : tree_(tree), file_(file), frame_(frame), errors_(errors) {}

  /// Returns true if a value is $frame.
  bool replace(const std::vector<VarSetting>& settings) {
    find_vars();
    for (const VarSetting& setting : settings) set(setting);
    if (vars_.empty() && tree_.text_.find('$') == std::string::npos) return false;
    nodes_.reserve(tree_.nodes_.size());
    copy(tree_.root(), false, false);
    for (const Var& var : vars_)
      if (!var.is_used)
        errors_.add(var.place, "vars." + var.name,
                    fmt::format("unused: write ${} as a value{}", var.name,
                                did_you_mean(var.name, unknown_)));
    tree_.nodes_ = std::move(nodes_);
    return uses_frame_;
  }

 private:
  using Node = YamlTree::Node;
  struct Var {
    std::string name;
    Place place;
    YamlNode value;
    std::string option = {};  ///< the option that set it
    bool is_used = false;
  };
  /// A var may be used many times.
  static constexpr std::size_t kMaxNodes = 2 * YamlTree::kMaxPunctuation;
  static constexpr std::size_t kMaxTextBytes = 4 * YamlTree::kMaxFileBytes;

  void find_vars() {
    const std::optional<YamlNode> map = tree_.root().find("vars");
    if (!map) return;
    vars_node_ = map->index_;
    map->for_each_entry([this](YamlNode key, YamlNode value) {
      const std::string name(key.text());
      check_no_vars(value, name);
      if (leading_name(name) != name)
        errors_.add(key.place(), "vars",
                    fmt::format("expected a name of letters, digits and _, no digit first, got {}",
                                roundel::quoted(name)));
      else if (find(name) == nullptr)
        vars_.push_back({.name = name, .place = key.place(), .value = value});
    });
  }

  void check_no_vars(YamlNode value, const std::string& name) {
    if (value.is_scalar() && !var_of(value.text()).empty())
      errors_.add(
          value.place(), "vars." + name,
          fmt::format("expected a value without vars, got {}", roundel::quoted(value.text())));
    value.for_each_item([&](YamlNode item) { check_no_vars(item, name); });
    value.for_each_entry([&](YamlNode, YamlNode item) { check_no_vars(item, name); });
  }

  Var* find(std::string_view name) {
    const auto found =
        std::find_if(vars_.begin(), vars_.end(), [&](const Var& var) { return var.name == name; });
    return found == vars_.end() ? nullptr : &*found;
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    for (const Var& var : vars_) names.push_back(var.name);
    return names;
  }

  void set(const VarSetting& setting) {
    const std::string option = "--set " + setting.name;
    const std::string expected = fmt::format(
        "expected one value, as 0.5, \"text\" or [1, 2], got {}", roundel::quoted(setting.value));
    Var* const var = find(setting.name);
    if (var == nullptr) {
      const std::string meant = did_you_mean(setting.name, known_names());
      throw Error(ExitCode::kUsage,
                  fmt::format("{}: {} has no such var{}", option, file_,
                              meant.empty() ? "; " + list_names(known_names()) : meant));
    }
    const Place place = setting.place ? errors_.add_source(setting.place) : var->value.place();
    if (!setting.place) {
      errors_.add_option(place, option);
      var->option = option;
    }
    try {
      YamlTree list("[" + with_quoted_colors(setting.value) + "]", option, "value");
      if (list.root().is_list() && list.root().count() == 1) return adopt(list, *var, place);
    } catch (const Error&) {
      // The message below names the expected value.
    }
    if (!setting.place) throw Error(ExitCode::kUsage, option + ": " + expected);
    errors_.add(place, "", expected);
  }

  /// Appends the value in a list to the tree, unlinked, and makes it the var's.
  void adopt(const YamlTree& list, Var& var, Place place) {
    const auto node_shift = static_cast<std::uint32_t>(tree_.nodes_.size() - 1);
    const auto text_shift = static_cast<std::uint32_t>(tree_.text_.size());
    for (std::size_t i = 1; i < list.nodes_.size(); ++i) {
      Node node = list.nodes_[i];
      node.place = place;
      if (node.kind == YamlKind::kPlain || node.kind == YamlKind::kQuoted)
        node.begin += text_shift;
      else if (node.kind != YamlKind::kNull)
        node.size += node_shift;
      tree_.nodes_.push_back(node);
    }
    tree_.text_ += list.text_;
    var.value = {&tree_, node_shift + 1};
    check_no_vars(var.value, var.name);
  }

  /// `is_var`: in a var's value, without replacements.
  void copy(YamlNode from, bool has_parts, bool is_var) {
    if (from.is_scalar()) return copy_scalar(from, has_parts, is_var);
    const std::size_t at = nodes_.size();
    push(from.node());
    from.for_each_item([&](YamlNode item) { copy(item, false, is_var); });
    from.for_each_entry([&](YamlNode key, YamlNode value) {
      push(key.node());
      const std::string_view outer = refusing_key_;
      if (outer.empty() && refuses_frame(key.text())) refusing_key_ = key.text();
      copy(value, takes_parts(key.text()), is_var || value.index_ == vars_node_);
      refusing_key_ = outer;
    });
    if (from.kind() != YamlKind::kNull) nodes_[at].size = static_cast<std::uint32_t>(nodes_.size());
  }

  void copy_scalar(YamlNode from, bool has_parts, bool is_var) {
    const std::string_view text = from.text();
    const std::string_view name = is_var ? std::string_view() : var_of(text);
    if (name == kFrame && find(name) == nullptr) return push_frame(from);
    if (!name.empty()) {
      if (Var* const var = use(name, from.place())) return copy(var->value, has_parts, true);
      return push_unknown(from);
    }
    if (text.find('$') == std::string_view::npos) return push(from.node());
    if (has_parts && !is_var) return copy_parts(from);
    push(from.node());
    if (text.starts_with("$$")) ++nodes_.back().begin, --nodes_.back().size;
  }

  /// The frame's number.
  void push_frame(YamlNode from) {
    if (!refusing_key_.empty()) {
      refuse_frame(from.place());
      return push_unknown(from);
    }
    uses_frame_ = true;
    const std::string number = std::to_string(frame_.value_or(start()));
    Node node = from.node();
    node.kind = YamlKind::kPlain;
    node.begin = static_cast<std::uint32_t>(tree_.text_.size());
    node.size = static_cast<std::uint32_t>(number.size());
    tree_.text_ += number;
    check_size(tree_.text_.size() <= kMaxTextBytes, from.place());
    push(node);
  }

  void refuse_frame(Place place) {
    const bool is_file = refusing_key_ == "data" || refusing_key_ == "output";
    errors_.add(place, "",
                fmt::format("$frame does not work in \"{}\"{}", refusing_key_,
                            is_file ? "; #### in a file's name is the frame's number" : ""));
  }

  /// The animation's first frame; 0 if it is missing or invalid.
  std::int64_t start() {
    const std::optional<YamlNode> animation = tree_.root().find("animation");
    std::optional<YamlNode> value = animation ? animation->find("start") : std::nullopt;
    if (!value || !value->is_scalar()) return 0;
    if (const Var* const var = find(var_of(value->text()))) value = var->value;
    return value->is_scalar() ? parse_integer(value->text()).value.value_or(0) : 0;
  }

  /// A text that contains ${name}.
  void copy_parts(YamlNode from) {
    const std::string_view text = from.text();
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string_view rest = text.substr(i);
      if (rest.starts_with("$$")) ++i;
      const std::string_view name = rest.starts_with("${") ? leading_name(rest.substr(2)) : rest;
      if (!rest.starts_with("${") || !rest.substr(2 + name.size()).starts_with('}')) {
        out += text[i];
        continue;
      }
      if (name == kFrame && find(name) == nullptr) {
        refuse_frame(from.place());
        return push_unknown(from);
      }
      const Var* const var = use(name, from.place());
      if (var == nullptr) return push_unknown(from);
      if (!var->option.empty()) errors_.add_option(from.place(), var->option);
      if (!var->value.is_scalar()) {
        errors_.add(
            from.place(), "vars." + var->name,
            fmt::format("expected a text or a number inside a text, got {}", got(var->value)));
        return push_unknown(from);
      }
      out += var->value.text();
      i += name.size() + 2;
    }
    Node node = from.node();
    node.kind = YamlKind::kQuoted;
    node.begin = static_cast<std::uint32_t>(tree_.text_.size());
    node.size = static_cast<std::uint32_t>(out.size());
    check_size(tree_.text_.size() + out.size() <= kMaxTextBytes, from.place());
    tree_.text_ += out;
    push(node);
  }

  Var* use(std::string_view name, Place place) {
    Var* const var = find(name);
    if (var != nullptr) {
      var->is_used = true;
      return var;
    }
    unknown_.emplace_back(name);
    std::vector<std::string> names = known_names();
    names.emplace_back(kFrame);
    errors_.add(place, "",
                fmt::format("unknown var {}{}", roundel::quoted(name), did_you_mean(name, names)));
    return nullptr;
  }

  void push(const Node& node) {
    check_size(nodes_.size() < kMaxNodes, node.place);
    nodes_.push_back(node);
  }
  void push_unknown(YamlNode from) {
    push(from.node());
    nodes_.back().kind = YamlKind::kUnknown;
  }
  void check_size(bool fits, Place place) {
    if (fits) return;
    errors_.add(place, "", "too many values, with those of vars; put bulk data into an .npy file");
    errors_.throw_if_any();
  }

  YamlTree& tree_;
  const std::string& file_;
  std::optional<std::int64_t> frame_;
  FormatErrors& errors_;
  std::string_view refusing_key_ = {};  ///< the outermost one around a value
  bool uses_frame_ = false;
  std::vector<Var> vars_;
  std::uint32_t vars_node_ = 0;  ///< the root in a scene without vars
  std::vector<Node> nodes_;
  std::vector<std::string> unknown_;
};

bool replace_vars(YamlTree& tree, const std::string& file, const std::vector<VarSetting>& settings,
                  std::optional<std::int64_t> frame, FormatErrors& errors) {
  return VarReplacer(tree, file, frame, errors).replace(settings);
}

std::vector<std::string> var_names(std::string_view text, const std::string& file) {
  YamlTree tree(text, file);
  std::vector<std::string> names;
  if (const std::optional<YamlNode> vars = tree.root().find("vars"))
    vars->for_each_entry([&](YamlNode key, YamlNode) { names.emplace_back(key.text()); });
  return names;
}

}  // namespace roundel
