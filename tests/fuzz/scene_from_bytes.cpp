#include "tests/fuzz/scene_from_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/scene/scene_spec.h"

namespace {

using roundel::Field;

// Longer lists have a limit only to bound memory.
constexpr std::uint64_t kMaxListItems = 10'000;

constexpr std::array kWrongValues = {
    "~",      "[]",    "{}",   "7",      "-1",       "1.5",   "1e400",
    ".inf",   "010",   "word", "''",     "'7'",      "[~]",   "[0]",
    "[[[]]]", "'#12'", "true", "'a\\0'", "[{}, []]", "a.npy", "{uniform: []}",
    "{a: b}", "$x",    "${x}"};

class SceneWriter {
 public:
  explicit SceneWriter(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  void write(const roundel::Spec& spec) {
    if (choose(8) == 7) {
      text_ += kWrongValues.at(choose(kWrongValues.size()));
    } else {
      std::visit([this](const auto& form) { write_form(form); }, spec.form);
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t choose(std::size_t count) {
    if (bytes_.empty()) return 0;
    const std::size_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte % count;
  }

  void write_form(const roundel::ObjectSpec& object) {
    const std::vector<std::string>& exclusive = object.exactly_one_of;
    // One of the keys that exclude each other, or 0 or all of them.
    const std::size_t chosen = exclusive.empty() ? 0 : choose(exclusive.size() + 2);
    std::vector<std::string> present;
    const auto has = [&present](const std::string& key) {
      return std::find(present.begin(), present.end(), key) != present.end();
    };
    const auto is_chosen = [&](const Field& field) {
      const auto place = std::find(exclusive.begin(), exclusive.end(), field.key);
      if (place != exclusive.end())
        return chosen > exclusive.size() ||
               chosen == static_cast<std::size_t>(place - exclusive.begin());
      const bool is_first =
          !object.at_least_one_of.empty() && object.at_least_one_of.front() == field.key;
      return field.is_required || is_first ||
             std::any_of(object.needs.begin(), object.needs.end(), [&](const auto& need) {
               return need.second == field.key && has(need.first);
             });
    };
    text_ += '{';
    for (const Field& field : object.fields) {
      const std::size_t decision = choose(16);
      const bool is_left_out = is_chosen(field) ? decision == 15 : decision % 4 != 1;
      if (is_left_out) continue;
      present.push_back(field.key);
      for (int times = decision == 13 ? 2 : 1; times > 0; --times) {
        text_ += field.key + ": ";
        write(*field.spec);
        text_ += ", ";
      }
    }
    if (choose(32) == 31) text_ += "colour: [1, 2], ";
    text_ += '}';
  }

  void write_form(const roundel::ListSpec& list) {
    const std::size_t decision = choose(16);
    std::uint64_t count = std::min(list.min_items + decision % 4, list.max_items);
    if (decision == 14) count = list.min_items - std::min<std::uint64_t>(list.min_items, 1);
    if (decision == 15 && list.max_items <= kMaxListItems) count = list.max_items + 1;
    text_ += '[';
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i >= 2 && i + 2 < count) {  // in the middle of many items, the shortest ones
        SceneWriter shortest({});
        shortest.write(*list.item);
        text_ += shortest.text();
      } else {
        write(*list.item);
      }
      text_ += ", ";
    }
    text_ += ']';
  }

  void write_form(const roundel::NumberSpec& spec) {
    const std::array numbers = {(spec.min + spec.max) / 2, spec.min,        spec.max, 0.5, 0.0,
                                spec.max * 2 + 1,          spec.min * 2 - 1};
    text_ += fmt::format("{}", numbers.at(choose(numbers.size())));
  }
  void write_form(const roundel::IntegerSpec& spec) {
    const std::array<std::int64_t, 5> numbers = {spec.min, spec.max, spec.min + 1, spec.min - 1,
                                                 spec.max + 1};
    text_ += fmt::format("{}", numbers.at(choose(numbers.size())));
  }
  void write_form(const roundel::BooleanSpec&) { text_ += choose(2) == 0 ? "true" : "false"; }
  void write_form(const roundel::NullSpec&) { text_ += "null"; }
  void write_form(const roundel::StringSpec&) {
    constexpr std::array kTexts = {"a.npy", "'f_####.png'", "x", "y", "2px"};
    text_ += kTexts.at(choose(kTexts.size()));
  }
  void write_form(const roundel::AnythingSpec&) {  // a var's value
    constexpr std::array kValues = {"1", "[0, 1]", "'#ff8000'", "{keys: {0: 1, 9s: 2}}", "x", "$x"};
    text_ += kValues.at(choose(kValues.size()));
  }
  void write_form(const roundel::HexColorSpec&) { text_ += "'#ff8000'"; }
  void write_form(const roundel::UnitSpec& spec) {
    const std::array<std::uint64_t, 4> numbers = {spec.max / 2, 0, spec.max, spec.max * 2 + 1};
    text_ += fmt::format("{}{}", numbers.at(choose(numbers.size())), spec.unit);
  }
  void write_form(const roundel::RatioSpec& spec) {
    const std::array numbers = {spec.max * 1000, spec.max * 1001, spec.max * 1002, 0.0};
    text_ += fmt::format("{}/1001", numbers.at(choose(numbers.size())));
  }
  void write_form(const roundel::DictSpec& dict) {
    text_ += '{';
    for (const char* key : {"x", "y", "'0'", "x"}) {
      if (choose(4) == 3) break;
      text_ += fmt::format("{}: ", key);
      write(*dict.value);
      text_ += ", ";
    }
    text_ += '}';
  }
  void write_form(const roundel::EnumSpec& spec) {
    text_ += spec.values.at(choose(spec.values.size()));
  }
  void write_form(const roundel::AnyOfSpec& any) {
    write(*any.alternatives.at(choose(any.alternatives.size())));
  }

  std::span<const std::uint8_t> bytes_;
  std::string text_;
};

}  // namespace

std::string scene_from_bytes(std::span<const std::uint8_t> bytes) {
  SceneWriter writer(bytes);
  writer.write(roundel::scene_spec());
  return writer.text();
}
