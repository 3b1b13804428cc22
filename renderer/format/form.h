#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "renderer/format/read_scalars.h"
#include "renderer/format/spec.h"
#include "renderer/format/valid_node.h"

// Forms bind a format to values: one table gives the check, the schema and the reader.
namespace roundel {

/// The valid values at a place, and the reader that makes a T of them.
template <typename T>
struct Form {
  SpecPtr spec;
  std::function<T(ValidNode)> read;

  Form(SpecPtr its_spec, std::function<T(ValidNode)> reader)
      : spec(std::move(its_spec)), read(std::move(reader)) {}
  /// Converts, for example, from an alternative of a std::variant.
  template <std::convertible_to<T> V>
  Form(const Form<V>& form) : spec(form.spec), read(form.read) {}
  operator SpecPtr() const { return spec; }
};

/// Keeps the description; `make` converts the value.
template <typename V, typename Make>
Form<std::invoke_result_t<Make, V>> convert(const Form<V>& form, Make make) {
  return {form.spec, [read = form.read, make](ValidNode node) { return make(read(node)); }};
}

/// Form of a map with known keys.
template <typename T>
struct ObjectForm : Form<T> {
  using Fill = std::function<void(PartlyValidNode, T&)>;
  Fill fill;  ///< reads keys that are present and valid

  ObjectForm(SpecPtr its_spec, Fill filler)
      : Form<T>(std::move(its_spec),
                [filler](ValidNode node) {
                  T object{};
                  filler(node, object);
                  return object;
                }),
        fill(std::move(filler)) {}
};

/// A key of an object for a T.
template <typename T>
struct FieldOf {
  Field field;
  std::function<void(ValidNode, T&)> read;  ///< empty: code after the table reads this key

  FieldOf(Field unread) : field(std::move(unread)) {}
  FieldOf(std::string key, SpecPtr spec, std::string description = "",
          std::string default_json = "")
      : field{std::move(key), std::move(spec), std::move(description), std::move(default_json)} {}
  /// Stores the value in object.*place or place(object), or by place(object, value). An empty
  /// std::optional changes nothing.
  template <typename Place, typename V>
  FieldOf(std::string key, Place place, const Form<V>& form, std::string description = "",
          std::string default_json = "")
      : FieldOf(std::move(key), form.spec, std::move(description), std::move(default_json)) {
    read = [place, read_value = form.read](ValidNode node, T& object) {
      if constexpr (std::is_invocable_v<Place, T&, V>)
        place(object, read_value(node));
      else
        set(std::invoke(place, object), read_value(node));
    };
  }

  /// Reads the keys of a nested object.
  template <typename Place, typename V>
  requires std::same_as<std::invoke_result_t<Place, T&>, V&> FieldOf(std::string key, Place place,
                                                                     const ObjectForm<V>& form,
                                                                     std::string description = "",
                                                                     std::string default_json = "")
      : FieldOf(std::move(key), form.spec, std::move(description), std::move(default_json)) {
    read = [place, fill = form.fill](ValidNode node, T& object) {
      fill(node, std::invoke(place, object));
    };
  }

 private:
  template <typename M, typename V>
  static void set(M& out, V value) {
    out = static_cast<M>(std::move(value));
  }
  template <typename M, typename V>
  static void set(M& out, std::optional<V> value) {
    if (value) set(out, std::move(*value));
  }
};
template <typename T, typename M, typename V>
FieldOf<T> required(std::string key, M T::*place, const Form<V>& form,
                    std::string description = "") {
  FieldOf<T> field(std::move(key), place, form, std::move(description));
  field.field.is_required = true;
  return field;
}

/// `rules`: conditions on several fields.
template <typename T>
ObjectForm<T> object(std::string expected, std::vector<FieldOf<T>> fields, ObjectSpec rules = {}) {
  for (const FieldOf<T>& field : fields) rules.fields.push_back(field.field);
  const auto shared = std::make_shared<const std::vector<FieldOf<T>>>(std::move(fields));
  return {spec(std::move(rules), std::move(expected)), [shared](PartlyValidNode node, T& object) {
            node.for_each_entry([&](std::string_view key, ValidNode value) {
              const auto field =
                  std::find_if(shared->begin(), shared->end(),
                               [&](const FieldOf<T>& known) { return known.field.key == key; });
              if (field != shared->end() && field->read) field->read(value, object);
            });
          }};
}
/// Place of keys with the value of the whole object.
inline constexpr auto kItself = [](auto& object) -> auto& {
  return object;
};
/// Place of a member of a member.
template <typename Outer, typename Inner>
auto in(Outer outer, Inner inner) {
  return [ outer, inner ](auto& object) -> auto& {
    return std::invoke(inner, std::invoke(outer, object));
  };
}

/// Field of a member of a T.
template <typename T, typename M>
FieldOf<T> within(M T::*member, const FieldOf<M>& field) {
  FieldOf<T> outer(field.field);
  if (field.read)
    outer.read = [member, read = field.read](ValidNode node, T& object) {
      read(node, object.*member);
    };
  return outer;
}

template <typename T>
Form<T> any_of(const std::vector<Form<T>>& forms, std::string expected = "",
               std::string definition = "") {
  SpecPtr all = any_of(std::vector<SpecPtr>(forms.begin(), forms.end()), std::move(expected),
                       std::move(definition));
  return {all,
          [all, forms](ValidNode node) { return forms[node.alternative_of(*all)].read(node); }};
}

template <typename V>
Form<std::vector<V>> list_of(const Form<V>& item, std::uint64_t min_items, std::uint64_t max_items,
                             std::string expected) {
  return {spec(ListSpec{item.spec, min_items, max_items}, std::move(expected)),
          [read = item.read](ValidNode list) {
            std::vector<V> values;
            for (const ValidNode& node : list.items()) values.push_back(read(node));
            return values;
          }};
}
template <std::size_t kSize, typename V>
Form<std::array<V, kSize>> array_of(const Form<V>& item, std::string expected,
                                    std::string definition = "") {
  return {spec(ListSpec{item.spec, kSize, kSize}, std::move(expected), std::move(definition)),
          [read = item.read](ValidNode list) {
            std::array<V, kSize> values;
            for (std::size_t i = 0; const ValidNode& node : list.items()) values[i++] = read(node);
            return values;
          }};
}

inline Form<double> number(NumberSpec bounds) {
  return {spec(bounds), read_number};
}
inline Form<double> number(double min, double max) {
  return number(NumberSpec{min, max});
}
inline Form<double> number_above(double min, double max) {
  return number(NumberSpec{min, max, true});
}
inline constexpr double kMaxNumber = 1e300;
inline Form<double> any_number() {
  return number(-kMaxNumber, kMaxNumber);
}
inline Form<std::int64_t> integer(IntegerSpec bounds) {
  return {spec(bounds), read_integer};
}
inline Form<std::int64_t> integer(std::int64_t min, std::int64_t max) {
  return integer(IntegerSpec{min, max});
}
inline Form<bool> boolean() {
  return {spec(BooleanSpec{}), read_boolean};
}
inline Form<std::string> text(std::string expected, StringSpec kind = {}) {
  return {spec(kind, std::move(expected)), read_text};
}
/// Names of an enum's values in their order, or of false and true.
template <typename E>
Form<E> one_of(const std::vector<std::string>& names, std::string definition = "") {
  return {
      spec(EnumSpec{names}, "", std::move(definition)), [names](ValidNode node) {
        return static_cast<E>(std::find(names.begin(), names.end(), node.text()) - names.begin());
      }};
}
template <typename E, std::size_t kCount>
Form<E> one_of(const std::array<const char*, kCount>& names) {
  return one_of<E>(std::vector<std::string>(names.begin(), names.end()));
}
inline Form<std::string> one_of(std::vector<std::string> names, std::string definition = "") {
  return {spec(EnumSpec{std::move(names)}, "", std::move(definition)), read_text};
}

}  // namespace roundel
