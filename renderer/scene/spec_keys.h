#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/format/form.h"
#include "renderer/scene/keyed_value.h"

// Forms of values with keys over time.
namespace roundel {

/// one_of() with one definition in the schema.
template <typename E, std::size_t kCount>
Form<E> names_of(const std::array<const char*, kCount>& names, std::string definition) {
  return one_of<E>(std::vector<std::string>(names.begin(), names.end()), std::move(definition));
}

/// Fields "to" and "ease" of one key.
inline std::vector<Field> key_fields(const SpecPtr& value) {
  return {required("to", value, "The value at this key."),
          {"ease", names_of<Ease>(kEaseNames, "ease"), "How the value arrives here."}};
}

/// Fields "keys", "ease", "path" and "repeat"; `at_key`: the value of one key.
inline std::vector<Field> keys_fields(const SpecPtr& at_key) {
  std::vector<std::string> eases(kEaseNames.begin(), kEaseNames.end());
  eases.emplace_back(kExponentialEase);
  return {required("keys", spec(DictSpec{at_key, DictSpec::Keys::kTimes}, "{FRAME: VALUE, ...}"),
                   "Values by frame number, or by seconds as 2.5s."),
          {"ease", one_of(eases, "keysEase"), "How the value moves from key to key.", "\"linear\""},
          {"path", names_of<KeyPath>(kKeyPathNames, "keyPath"), "Values between two keys.",
           "\"linear\""},
          {"repeat", names_of<KeyRepeat>(kKeyRepeatNames, "keyRepeat"),
           "Values after the last key.", "\"none\""}};
}

/// Fields "keys", "ease", "path" and "repeat". `forms`: alternatives of a value, which are not
/// maps.
inline std::vector<Field> keys_fields_of(std::vector<SpecPtr> forms) {
  const SpecPtr value = forms.size() == 1 ? forms.front() : any_of(forms, "");
  forms.push_back(object("{to: VALUE, ease: NAME}", key_fields(value)));
  return keys_fields(any_of(std::move(forms), ""));
}

/// A value, or keys over time, which KeyReader reads. `other`: another form of the value, first.
template <typename V>
Form<std::optional<V>> over_time(const Form<V>& value, std::string definition,
                                 const std::optional<Form<V>>& other = std::nullopt) {
  std::vector<Form<V>> forms{value};
  if (other) forms.insert(forms.begin(), *other);
  std::vector<SpecPtr> specs(forms.begin(), forms.end());
  const SpecPtr keyed = object("{keys: {FRAME: VALUE, ...}, ease: NAME}", keys_fields_of(specs));
  specs.push_back(keyed);
  const Form<V> one = other ? any_of<V>(forms) : value;
  return {any_of(std::move(specs), "", std::move(definition)),
          [read = one.read](ValidNode node) -> std::optional<V> {
            if (node.is_map()) return std::nullopt;
            return read(node);
          }};
}

}  // namespace roundel
