#include "renderer/format/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "renderer/base/text.h"
#include "renderer/format/key_hints.h"
#include "renderer/format/number_text.h"

namespace roundel {
namespace {

template <typename... Visits>
struct Overload : Visits... {
  using Visits::operator()...;
};
template <typename... Visits>
Overload(Visits...) -> Overload<Visits...>;

// Larger bounds only keep arithmetic safe: messages name them only when exceeded.
constexpr double kSafetyBound = 1e6;

bool is_text(YamlNode node) {
  return node.kind() == YamlKind::kQuoted ||
         (node.kind() == YamlKind::kPlain && !looks_like_number(node.text()) &&
          node.text() != "true" && node.text() != "false");
}
bool is_number(YamlNode node) {
  return node.kind() == YamlKind::kPlain && looks_like_number(node.text());
}
bool is_boolean(YamlNode node) {
  return node.kind() == YamlKind::kPlain && (node.text() == "true" || node.text() == "false");
}

bool fits_kind(YamlNode node, const Spec& spec) {
  return std::visit(
      Overload{[&](const ObjectSpec&) { return node.is_map(); },
               [&](const DictSpec&) { return node.is_map(); },
               [&](const AnythingSpec&) { return true; },
               [&](const ListSpec&) { return node.is_list(); },
               [&](const NumberSpec&) { return is_number(node); },
               [&](const IntegerSpec&) { return is_number(node); },
               [&](const BooleanSpec&) { return is_boolean(node); },
               [&](const NullSpec&) { return node.kind() == YamlKind::kNull; },
               [&](const StringSpec&) { return is_text(node); },
               [&](const HexColorSpec&) { return is_text(node); },
               [&](const UnitSpec& unit) {
                 return node.is_scalar() && parse_with_unit(node.text(), unit.unit).has_value();
               },
               [&](const RatioSpec&) {
                 return node.is_scalar() && parse_ratio(node.text()).has_value();
               },
               [&](const EnumSpec&) { return is_text(node); },
               [&](const AnyOfSpec& any) {
                 return std::any_of(any.alternatives.begin(), any.alternatives.end(),
                                    [&](const SpecPtr& form) { return fits_kind(node, *form); });
               }},
      spec.form);
}

/// True for malformed numbers where another form may be meant, as "2 px".
bool is_broken_number(YamlNode node, const Spec& spec) {
  return std::holds_alternative<NumberSpec>(spec.form) && !parse_number(node.text()).value;
}

/// Requirement of a key over time; empty if `text` is valid.
std::string_view key_time_problem(std::string_view text) {
  constexpr double kMaxTime = 1e7;
  const std::optional<double> time = parse_key_time(text, Ratio{});
  if (!time) return "a frame number or seconds, as 2.5s";
  return std::abs(*time) <= kMaxTime ? "" : "at most 10000000 frames or seconds";
}

std::string range_text(const NumberSpec& spec) {
  if (spec.above_min)
    return spec.max < kSafetyBound ? fmt::format("a number > {} and <= {}", spec.min, spec.max)
                                   : fmt::format("a number > {}", spec.min);
  if (spec.min <= -kSafetyBound) return "a number";
  if (spec.max >= kSafetyBound) return fmt::format("a number >= {}", spec.min);
  return fmt::format("a number from {} to {}", spec.min, spec.max);
}

std::string range_text(const IntegerSpec& spec) {
  if (spec.min == spec.max) return fmt::format("{}", spec.min);
  if (spec.step > 1 && spec.max == spec.min + spec.step)
    return fmt::format("{} or {}", spec.min, spec.max);
  return fmt::format("an integer from {} to {}", spec.min, spec.max);
}

std::string enum_text(const EnumSpec& spec) {
  return "one of " + join_names(spec.values, "or", false);
}

/// True for [red, green, blue, alpha] in place of a colour.
bool is_color_with_alpha(YamlNode node, const Spec& spec) {
  constexpr std::uint64_t kChannels = 4;
  if (node.count() != kChannels || spec.expected != "[red, green, blue]") return false;
  bool are_numbers = true;
  node.for_each_item([&](YamlNode item) { are_numbers &= is_number(item); });
  return are_numbers;
}

bool is_hex_color(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

class Validator {
 public:
  explicit Validator(FormatErrors& errors) : errors_(errors) {}

  Validity check(YamlNode node, const Spec& spec) {
    if (node.kind() == YamlKind::kUnknown) return Validity::kNone;  // already reported
    const Validity validity =
        std::visit([&](const auto& form) { return check_form(node, spec, form); }, spec.form);
    node.set_validity(validity);
    return validity;
  }

 private:
  Validity fail(Place place, const std::string& problem) {
    errors_.add(place, errors_.full() ? "" : key_path(), problem);
    return Validity::kNone;
  }
  Validity unexpected(YamlNode node, std::string_view expected, std::string_view hint = {}) {
    if (errors_.full()) return fail(node.place(), "");  // only counted
    return fail(node.place(), fmt::format("expected {}, got {}{}", expected, got(node),
                                          hint.empty() ? "" : fmt::format(" ({})", hint)));
  }
  std::string key_path() const {
    std::string out;
    for (const Step& step : path_) {
      if (step.key.data() == nullptr) {
        out += fmt::format("[{}]", step.index);
      } else {
        if (!out.empty()) out += '.';
        out += step.key;
      }
    }
    return out;
  }

  static std::string_view quotes_hint(YamlNode node) {
    const std::string_view text = node.kind() == YamlKind::kQuoted ? node.text() : "";
    return parse_number(text).value || text == "true" || text == "false"
               ? "a text; leave out the quotes"
               : "";
  }

  static std::string_view number_hint(YamlNode node) {
    if (node.is_scalar() && parse_with_unit(node.text(), "px"))
      return "px are for map, radius_limits and stroke";
    return is_number(node) ? parse_number(node.text()).problem : quotes_hint(node);
  }

  Validity check_form(YamlNode node, const Spec&, const NumberSpec& spec) {
    const ParsedNumber<double> number =
        is_number(node) ? parse_number(node.text()) : ParsedNumber<double>{};
    if (!number.value) return unexpected(node, range_text(spec), number_hint(node));
    if (*number.value > spec.max && spec.max >= kSafetyBound)
      return unexpected(node, fmt::format("a number <= {:.0f}", spec.max));
    if (*number.value < spec.min && spec.min <= -kSafetyBound)
      return unexpected(node, fmt::format("a number >= {:.0f}", spec.min));
    if (*number.value < spec.min || *number.value > spec.max ||
        (spec.above_min && *number.value == spec.min))
      return unexpected(node, range_text(spec));
    return Validity::kValid;
  }

  Validity check_form(YamlNode node, const Spec& spec, const IntegerSpec& bounds) {
    const std::string range = spec.expected.empty() ? range_text(bounds) : spec.expected;
    if (!is_number(node)) return unexpected(node, range, quotes_hint(node));
    const ParsedNumber<std::int64_t> integer = parse_integer(node.text());
    if (integer.value && *integer.value >= bounds.min && *integer.value <= bounds.max &&
        *integer.value % bounds.step == 0)
      return Validity::kValid;
    const double value = parse_number(node.text()).value.value_or(0);
    std::string hint(integer.problem);
    if (bounds.bytes_each > 0 && value > static_cast<double>(bounds.max))
      hint = fmt::format("that many need {} of memory", memory_text(value * bounds.bytes_each));
    return unexpected(node, range, hint);
  }

  Validity check_form(YamlNode node, const Spec&, const BooleanSpec&) {
    return is_boolean(node) ? Validity::kValid
                            : unexpected(node, "true or false", quotes_hint(node));
  }

  Validity check_form(YamlNode node, const Spec&, const NullSpec&) {
    return node.kind() == YamlKind::kNull ? Validity::kValid : unexpected(node, "null");
  }

  Validity check_form(YamlNode node, const Spec& spec, const StringSpec& string) {
    if (!is_text(node))
      return unexpected(
          node, spec.expected,
          is_number(node) || is_boolean(node) ? "put a text like this in quotes" : "");
    if (string.is_any) return Validity::kValid;
    if (node.text().empty()) return unexpected(node, spec.expected);
    if (string.is_path && node.text().find('\0') == std::string_view::npos) return Validity::kValid;
    // Escapes such as "\0" are not in the file as such.
    const bool plain_text = !find_non_text(node.text()) &&
                            node.text().find_first_of("\t\r\n") == std::string_view::npos;
    return plain_text ? Validity::kValid
                      : unexpected(node, spec.expected + " without control characters");
  }

  Validity check_form(YamlNode node, const Spec& spec, const HexColorSpec&) {
    if (is_text(node) && is_hex_color(node.text())) return Validity::kValid;
    return unexpected(node, spec.expected, is_text(node) ? color_hint(node.text()) : "");
  }

  Validity check_form(YamlNode node, const Spec& spec, const UnitSpec& unit) {
    const std::optional<double> value =
        node.is_scalar() ? parse_with_unit(node.text(), unit.unit) : std::nullopt;
    const bool is_below =
        value && !unit.is_signed && (std::signbit(*value) || (unit.is_above_zero && *value == 0));
    return value && !is_below && std::abs(*value) <= static_cast<double>(unit.max)
               ? Validity::kValid
               : unexpected(node, spec.expected);
  }

  Validity check_form(YamlNode node, const Spec& spec, const RatioSpec& ratio_spec) {
    const std::optional<Ratio> ratio = node.is_scalar() ? parse_ratio(node.text()) : std::nullopt;
    return ratio && ratio->numerator <= ratio_spec.max * ratio->denominator
               ? Validity::kValid
               : unexpected(node, spec.expected);
  }

  Validity check_form(YamlNode node, const Spec&, const EnumSpec& spec) {
    if (!is_text(node)) return unexpected(node, enum_text(spec));
    const std::string_view text = node.text();
    if (std::find(spec.values.begin(), spec.values.end(), text) != spec.values.end())
      return Validity::kValid;
    if (errors_.full()) return unexpected(node, "");
    return fail(node.place(), fmt::format("expected {}, got {}{}", enum_text(spec), quoted(text),
                                          did_you_mean(text, spec.values)));
  }

  Validity check_form(YamlNode node, const Spec& spec, const AnyOfSpec& any) {
    if (const auto form = fitting_alternative(node, spec))
      return check(node, *any.alternatives[*form]);
    if (spec.expected.empty()) {  // a value, or keys over time
      const bool has_unit = std::holds_alternative<UnitSpec>(any.alternatives.front()->form);
      const Spec& value = *any.alternatives[has_unit ? 1 : 0];
      const auto* const number = std::get_if<NumberSpec>(&value.form);
      return number != nullptr && node.is_list()
                 ? unexpected(node, range_text(*number), "over time: {keys: {FRAME: VALUE, ...}}")
                 : check(node, value);
    }
    const bool is_comment =
        node.kind() == YamlKind::kNull && spec.expected.find("#rrggbb") != std::string::npos;
    const bool may_be_text =
        std::any_of(any.alternatives.begin(), any.alternatives.end(),
                    [](const SpecPtr& form) { return form->expected == "a text"; });
    return unexpected(node, spec.expected,
                      is_comment                       ? "without quotes # begins a comment"
                      : may_be_text && is_number(node) ? "put a text like this in quotes"
                                                       : number_hint(node));
  }

  Validity check_form(YamlNode, const Spec&, const AnythingSpec&) { return Validity::kValid; }

  Validity check_form(YamlNode node, const Spec& spec, const ListSpec& list) {
    if (!node.is_list()) return unexpected(node, spec.expected);
    if (node.count() < list.min_items) return unexpected(node, spec.expected);
    if (node.count() > list.max_items)
      return unexpected(node,
                        list.min_items == list.max_items
                            ? spec.expected
                            : fmt::format("at most {} items", list.max_items),
                        is_color_with_alpha(node, spec) ? "alpha has its own key" : "");
    Validity validity = Validity::kValid;
    std::uint64_t index = 0;
    node.for_each_item([&](YamlNode item) {
      path_.push_back({{}, index++});
      if (check(item, *list.item) != Validity::kValid) validity = Validity::kPartly;
      path_.pop_back();
    });
    return validity;
  }

  Validity check_form(YamlNode node, const Spec& spec, const DictSpec& dict) {
    if (!node.is_map() || node.count() == 0) return unexpected(node, spec.expected);
    std::unordered_map<std::string_view, std::uint32_t> lines;  // lines of the keys
    Validity validity = Validity::kValid;
    node.for_each_entry([&](YamlNode key, YamlNode value) {
      const auto [first, is_new] = lines.emplace(key.text(), key.place().line);
      if (!is_new) {
        validity = Validity::kPartly;
        fail(key.place(), fmt::format("key {} occurs twice, first in line {}", quoted(key.text()),
                                      first->second));
        return;
      }
      path_.push_back({key.text(), 0});
      if (dict.keys == DictSpec::Keys::kTimes)
        if (const std::string_view expected = key_time_problem(key.text()); !expected.empty())
          validity =
              fail(key.place(), fmt::format("expected {}, got {}", expected, quoted(key.text())));
      if (check(value, *dict.value) != Validity::kValid) validity = Validity::kPartly;
      path_.pop_back();
    });
    return validity;
  }

  Validity check_form(YamlNode node, const Spec& spec, const ObjectSpec& object) {
    if (!node.is_map()) return unexpected(node, spec.expected);
    std::vector<Place> seen(object.fields.size(), Place{0, 0});  // line 0: unseen
    Validity validity = Validity::kValid;
    const auto weaken = [&validity](Validity part) {
      if (part != Validity::kValid) validity = Validity::kPartly;
    };
    node.for_each_entry([&](YamlNode key, YamlNode value) {
      const auto field = std::find_if(object.fields.begin(), object.fields.end(),
                                      [&](const Field& f) { return f.key == key.text(); });
      if (field == object.fields.end()) {
        weaken(unknown_key(key, object));
        return;
      }
      Place& first = seen[static_cast<std::size_t>(field - object.fields.begin())];
      if (first.line != 0) {
        weaken(fail(key.place(), fmt::format("key \"{}\" occurs twice, first in line {}",
                                             field->key, first.line)));
        return;
      }
      first = key.place();
      path_.push_back({field->key, 0});
      weaken(check(value, *field->spec));
      path_.pop_back();
    });
    weaken(check_presence(node, object, seen));
    if (const std::string problem = object.problem ? object.problem(node) : ""; !problem.empty())
      weaken(fail(node.place(), problem));
    return validity;
  }

  Validity unknown_key(YamlNode key, const ObjectSpec& object) {
    if (errors_.full()) return fail(key.place(), "");
    std::vector<std::string> known;
    for (const Field& field : object.fields) known.push_back(field.key);
    const std::string meant = suggested_key(key.text(), known);
    return fail(
        key.place(),
        fmt::format("unknown key {} {}", quoted(key.text()),
                    meant.empty() ? fmt::format("(known: {})", join_names(known, "and", false))
                                  : fmt::format("(did you mean \"{}\"?)", meant)));
  }

  Validity check_presence(YamlNode node, const ObjectSpec& object, const std::vector<Place>& seen) {
    const auto has = [&](const std::string& key) {
      for (std::size_t i = 0; i < object.fields.size(); ++i)
        if (object.fields[i].key == key) return seen[i].line != 0;
      return false;
    };
    Validity validity = Validity::kValid;
    for (std::size_t i = 0; i < object.fields.size(); ++i) {
      if (object.fields[i].is_required && seen[i].line == 0)
        validity = fail(node.place(), fmt::format("missing key \"{}\"", object.fields[i].key));
    }
    if (!object.exactly_one_of.empty()) {
      std::vector<std::string> present;
      std::copy_if(object.exactly_one_of.begin(), object.exactly_one_of.end(),
                   std::back_inserter(present), has);
      if (present.size() != 1)
        validity = fail(node.place(),
                        fmt::format("expected one of the keys {}, got {}",
                                    join_names(object.exactly_one_of, "or", false),
                                    present.empty() ? "none" : join_names(present, "and", false)));
    }
    if (!object.at_least_one_of.empty() &&
        std::none_of(object.at_least_one_of.begin(), object.at_least_one_of.end(), has))
      validity =
          fail(node.place(), fmt::format("missing key \"{}\"", object.at_least_one_of.front()));
    for (const auto& [key, needed] : object.needs) {
      if (has(key) && !has(needed))
        validity =
            fail(node.place(), fmt::format("missing key \"{}\", which \"{}\" needs", needed, key));
    }
    for (const auto& [key, needed] : object.needs_any) {
      if (has(key) && std::none_of(needed.begin(), needed.end(), has))
        validity = fail(node.place(), fmt::format("missing key {}, which \"{}\" needs",
                                                  join_names(needed, "or", true), key));
    }
    for (const auto& [key, other] : object.excludes) {
      if (has(key) && has(other))
        validity =
            fail(node.place(), fmt::format("expected \"{}\" or \"{}\", got both", key, other));
    }
    return validity;
  }

  struct Step {
    std::string_view key;  // a list's item
    std::uint64_t index;
  };
  FormatErrors& errors_;
  std::vector<Step> path_;
};

}  // namespace

std::string got(YamlNode node) {
  switch (node.kind()) {
    case YamlKind::kNull:
    case YamlKind::kUnknown:
      return "nothing";
    case YamlKind::kList:
      return fmt::format("a list of {}", node.count());
    case YamlKind::kMap:
      return node.count() == 0 ? "an empty map" : "a map";
    case YamlKind::kPlain:
      if ((is_number(node) && node.text().size() <= 40) || is_boolean(node))
        return std::string(node.text());
      return quoted(node.text());
    case YamlKind::kQuoted:
      break;
  }
  return quoted(node.text());
}

std::optional<std::size_t> fitting_alternative(YamlNode node, const Spec& any) {
  const std::vector<SpecPtr>& forms = std::get<AnyOfSpec>(any.form).alternatives;
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (fits_kind(node, *forms[i]) && (any.expected.empty() || !is_broken_number(node, *forms[i])))
      return i;
  return std::nullopt;
}

std::optional<PartlyValidNode> validate(YamlNode node, const Spec& spec, FormatErrors& errors) {
  if (Validator(errors).check(node, spec) == Validity::kNone) return std::nullopt;
  return PartlyValidNode(node);
}

}  // namespace roundel
