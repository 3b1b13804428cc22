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
/// Specs are shared: a colour means the same wherever it stands.
using SpecPtr = std::shared_ptr<const Spec>;

/// One key of an object.
struct Field {
  std::string key;
  SpecPtr spec;
  std::string description = {};   ///< for people, in the schema
  std::string default_json = {};  ///< what an absent key means, as JSON; empty: see the description
  bool is_required = false;
};
inline Field required(std::string key, SpecPtr spec, std::string description = "") {
  return {std::move(key), std::move(spec), std::move(description), "", true};
}

/// A map with known keys only.
struct ObjectSpec {
  std::vector<Field> fields = {};
  std::vector<std::string> exactly_one_of =
      {};  ///< keys that exclude each other; one must be there
  std::vector<std::pair<std::string, std::string>> needs = {};  ///< {a, b}: where a is, b must be
  /// {a, {b, c}}: where a is, b or c must be.
  std::vector<std::pair<std::string, std::vector<std::string>>> needs_any = {};
  std::vector<std::pair<std::string, std::string>> excludes = {};  ///< {a, b}: not both
  /// What else is wrong with such a map, "" for nothing; looks at unchecked values.
  std::string (*problem)(YamlNode map) = nullptr;
  /// One must be there; the first is what is missed.
  std::vector<std::string> at_least_one_of = {};
};
/// A map whose keys are names of the user's.
struct DictSpec {
  enum class Keys { kAny, kTimes, kVars };
  SpecPtr value;
  Keys keys = Keys::kAny;  ///< frame numbers or seconds; or names of vars, which VarReplacer checks
};
/// Whatever stands there.
struct AnythingSpec {};
struct ListSpec {
  SpecPtr item;
  std::uint64_t min_items = 0, max_items = std::numeric_limits<std::uint64_t>::max();
};
struct NumberSpec {
  double min, max;
  bool above_min = false;  ///< min itself is not allowed
};
struct IntegerSpec {
  std::int64_t min, max;
  double bytes_each = 0;  ///< where not 0, a number beyond max is reported with the memory it needs
  std::int64_t step = 1;  ///< only its multiples; min and max are some
};
struct BooleanSpec {};
struct NullSpec {};
/// One character at least, no control characters; with `is_any` whatever text there is; with
/// `is_path` whatever a file's name may be.
struct StringSpec {
  bool is_any = false, is_path = false;
};
struct HexColorSpec {};  ///< "#rrggbb"
/// A number with a unit, such as 2px, from 0 to max, a power of ten.
struct UnitSpec {
  std::string unit;
  std::uint64_t max;
  bool is_above_zero = false;
};
/// A fraction of two whole numbers, such as 24000/1001, of at most `max`.
struct RatioSpec {
  double max;
};
struct EnumSpec {
  std::vector<std::string> values;
};
/// The first alternative that a value's kind (number, text, list, map …) fits decides; where none
/// does, `expected` says what may be there, or the first alternative where that is empty.
struct AnyOfSpec {
  std::vector<SpecPtr> alternatives;
};

/// What may stand at one place of a scene file. The loader's checks (validate.h) and the JSON
/// Schema (schema.h) both follow from it.
struct Spec {
  std::variant<ObjectSpec, DictSpec, AnythingSpec, ListSpec, NumberSpec, IntegerSpec, BooleanSpec,
               NullSpec, StringSpec, HexColorSpec, UnitSpec, RatioSpec, EnumSpec, AnyOfSpec>
      form;
  std::string expected =
      {};  ///< for "expected …"; numbers, booleans and enums have their own words
  std::string definition = {};  ///< where not empty, its name among the schema's definitions
};

template <typename Form>
SpecPtr spec(Form form, std::string expected = "", std::string definition = "") {
  return std::make_shared<const Spec>(
      Spec{std::move(form), std::move(expected), std::move(definition)});
}

/// `rules`: about the fields together.
inline SpecPtr object(std::string expected, std::vector<Field> fields, ObjectSpec rules = {}) {
  rules.fields = std::move(fields);
  return spec(std::move(rules), std::move(expected));
}
inline SpecPtr any_of(std::vector<SpecPtr> alternatives, std::string expected = "",
                      std::string definition = "") {
  return spec(AnyOfSpec{std::move(alternatives)}, std::move(expected), std::move(definition));
}

}  // namespace roundel
