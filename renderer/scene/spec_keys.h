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

/// The fields of keys over time. `forms`: alternatives of a value, which are not maps.
inline std::vector<Field> key_fields(std::vector<SpecPtr> forms) {
  const SpecPtr value = forms.size() == 1 ? forms.front() : any_of(forms, "");
  const SpecPtr arrival =
      object("{to: VALUE, ease: NAME}",
             {required("to", value, "The value at this key."),
              {"ease", names_of<Ease>(kEaseNames, "ease"), "How the value arrives here."}});
  forms.push_back(arrival);
  const SpecPtr keys =
      spec(DictSpec{any_of(std::move(forms), ""), DictSpec::Keys::kTimes}, "{FRAME: VALUE, ...}");
  std::vector<std::string> eases(kEaseNames.begin(), kEaseNames.end());
  eases.emplace_back(kExponentialEase);
  return {required("keys", keys, "Values by frame number, or by seconds as 2.5s."),
          {"ease", one_of(eases, "keysEase"), "How the value moves from key to key.", "\"linear\""},
          {"path", names_of<KeyPath>(kKeyPathNames, "keyPath"), "Values between two keys.",
           "\"linear\""},
          {"repeat", names_of<KeyRepeat>(kKeyRepeatNames, "keyRepeat"),
           "Values after the last key.", "\"none\""}};
}

/// A value, or keys over time, which KeyReader reads. `other`: another form of the value, first.
template <typename V>
Form<std::optional<V>> over_time(const Form<V>& value, std::string definition,
                                 const std::optional<Form<V>>& other = std::nullopt) {
  std::vector<Form<V>> forms{value};
  if (other) forms.insert(forms.begin(), *other);
  std::vector<SpecPtr> specs(forms.begin(), forms.end());
  const SpecPtr keyed = object("{keys: {FRAME: VALUE, ...}, ease: NAME}", key_fields(specs));
  specs.push_back(keyed);
  const Form<V> one = other ? any_of<V>(forms) : value;
  return {any_of(std::move(specs), "", std::move(definition)),
          [read = one.read](ValidNode node) -> std::optional<V> {
            if (node.is_map()) return std::nullopt;
            return read(node);
          }};
}

}  // namespace roundel
