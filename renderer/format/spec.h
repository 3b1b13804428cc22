#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace roundel {

class YamlNode;
struct Spec;
/// Specs are shared, since a colour has one spec in all its places.
using SpecPtr = std::shared_ptr<const Spec>;

struct Field {
  std::string key;
  SpecPtr spec;
  std::string description = {};   ///< for people, in the schema
  std::string default_json = {};  ///< meaning of an absent key, as JSON; empty: in the description
  bool is_required = false;
};
inline Field required(std::string key, SpecPtr spec, std::string description = "") {
  return {std::move(key), std::move(spec), std::move(description), "", true};
}

/// A map with known keys only.
struct ObjectSpec {
  std::vector<Field> fields = {};
  std::vector<std::string> exactly_one_of = {};  ///< mutually exclusive keys; one is required
  std::vector<std::pair<std::string, std::string>> needs = {};  ///< {a, b}: a requires b
  /// {a, {b, c}}: a requires b or c.
  std::vector<std::pair<std::string, std::vector<std::string>>> needs_any = {};
  std::vector<std::pair<std::string, std::string>> excludes = {};  ///< {a, b}: not both
  /// Another problem of such a map, or ""; sees unchecked values.
  std::string (*problem)(YamlNode map) = nullptr;
  /// Required alternatives; messages name the first.
  std::vector<std::string> at_least_one_of = {};
};
/// A map whose keys users choose.
struct DictSpec {
  enum class Keys { kAny, kTimes, kVars };
  SpecPtr value;
  Keys keys = Keys::kAny;  ///< frame numbers or seconds; names of vars, which VarReplacer checks
};
struct AnythingSpec {};
struct ListSpec {
  SpecPtr item;
  std::uint64_t min_items = 0, max_items = std::numeric_limits<std::uint64_t>::max();
};
struct NumberSpec {
  double min, max;
  bool above_min = false;  ///< min itself is invalid
};
struct IntegerSpec {
  std::int64_t min, max;
  double bytes_each = 0;  ///< if not 0: messages about numbers beyond max name this memory
  std::int64_t step = 1;  ///< divides valid values, min and max
};
struct BooleanSpec {};
struct NullSpec {};
/// A text with at least one character and no control characters. `is_any`: any text; `is_path`: any
/// file name.
struct StringSpec {
  bool is_any = false, is_path = false;
};
struct HexColorSpec {};  ///< "#rrggbb"
/// A number with a unit, such as 2px; `max` is a power of ten.
struct UnitSpec {
  std::string unit;
  std::uint64_t max;
  bool is_above_zero = false;
  bool is_signed = false;  ///< may be below 0
};
/// A fraction such as 24000/1001.
struct RatioSpec {
  double max;
};
struct EnumSpec {
  std::vector<std::string> values;
};
/// The first alternative for the value's kind (number, text, list, map …) decides. Without one,
/// messages have `expected`, or the first alternative's if that is empty.
struct AnyOfSpec {
  std::vector<SpecPtr> alternatives;
};

/// Valid values at one place of a scene file, for the checks (validate.h) and the JSON Schema
/// (schema.h).
struct Spec {
  std::variant<ObjectSpec, DictSpec, AnythingSpec, ListSpec, NumberSpec, IntegerSpec, BooleanSpec,
               NullSpec, StringSpec, HexColorSpec, UnitSpec, RatioSpec, EnumSpec, AnyOfSpec>
      form;
  std::string expected = {};    ///< for "expected …"; numbers, booleans and enums have their own
                                ///< words, integers if it is empty
  std::string definition = {};  ///< name in the schema's definitions, or empty
};

template <typename Form>
SpecPtr spec(Form form, std::string expected = "", std::string definition = "") {
  return std::make_shared<const Spec>(
      Spec{std::move(form), std::move(expected), std::move(definition)});
}

/// `rules`: conditions on several fields.
inline SpecPtr object(std::string expected, std::vector<Field> fields, ObjectSpec rules = {}) {
  rules.fields = std::move(fields);
  return spec(std::move(rules), std::move(expected));
}
inline SpecPtr any_of(std::vector<SpecPtr> alternatives, std::string expected = "",
                      std::string definition = "") {
  return spec(AnyOfSpec{std::move(alternatives)}, std::move(expected), std::move(definition));
}

}  // namespace roundel
