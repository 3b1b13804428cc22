#include "renderer/format/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "renderer/format/spec.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

Json limit_json(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15
             ? Json(static_cast<std::int64_t>(value))
             : Json(value);
}

/// An unsigned number without exponent.
constexpr const char* kDecimal = "((0|[1-9][0-9]*)([.][0-9]*)?|[.][0-9]+)";

/// Pattern of unsigned numbers from 0 to `max`, a power of ten; numbers with exponents pass.
std::string decimal_to(std::uint64_t max) {
  const std::string digits = std::to_string(max);
  return fmt::format("((0|[1-9][0-9]{{0,{}}})([.][0-9]*)?|[.][0-9]+|{}([.]0*)?|{}[eE][-+]?[0-9]+)",
                     digits.size() - 2, digits, kDecimal);
}

class SchemaWriter {
 public:
  explicit SchemaWriter(bool has_vars) : has_vars_(has_vars) {}

  std::string write(const Spec& spec, const char* title, const char* description) {
    Json root = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", title},
                 {"description", description}};
    root.update(form_json(spec));
    if (has_vars_)
      definitions_["var"] = {{"type", "string"},
                             {"pattern", "^[$][A-Za-z_][A-Za-z0-9_]*$"},
                             {"description", "Value of a var."}};
    if (!definitions_.empty()) root["definitions"] = definitions_;
    return root.dump(2) + "\n";
  }

 private:
  // The spec's schema, in scenes or a var.
  Json json(const Spec& spec) {
    Json value = spec_json(spec);
    if (value.empty() || !has_vars_) return value;  // empty: accepts everything
    const Json var = {{"$ref", "#/definitions/var"}};
    if (value.size() != 1 || !value.contains("anyOf")) value = {{"anyOf", {std::move(value)}}};
    value["anyOf"].push_back(var);
    return value;
  }

  // Named specs become definitions.
  Json spec_json(const Spec& spec) {
    if (spec.definition.empty()) return form_json(spec);
    if (!definitions_.contains(spec.definition)) definitions_[spec.definition] = form_json(spec);
    return {{"$ref", "#/definitions/" + spec.definition}};
  }

  Json form_json(const Spec& spec) {
    return std::visit([&](const auto& form) { return form_json(form); }, spec.form);
  }

  Json form_json(const NumberSpec& spec) {
    return {{"type", "number"},
            {spec.above_min ? "exclusiveMinimum" : "minimum", limit_json(spec.min)},
            {"maximum", limit_json(spec.max)}};
  }
  Json form_json(const IntegerSpec& spec) {
    if (spec.min == spec.max) return {{"const", spec.min}};
    Json json = {{"type", "integer"}, {"minimum", spec.min}, {"maximum", spec.max}};
    if (spec.step > 1) json["multipleOf"] = spec.step;
    return json;
  }
  Json form_json(const BooleanSpec&) { return {{"type", "boolean"}}; }
  Json form_json(const AnythingSpec&) { return Json::object(); }
  Json form_json(const NullSpec&) { return {{"type", "null"}}; }
  Json form_json(const StringSpec& spec) {
    Json json = {{"type", "string"}};
    if (!spec.is_any) json["minLength"] = 1;
    return json;
  }
  Json form_json(const HexColorSpec&) {
    return {{"type", "string"}, {"pattern", "^#[0-9a-fA-F]{6}$"}};
  }
  Json form_json(const UnitSpec& spec) {
    const std::string not_zero = spec.is_above_zero ? "(?![0.]+([eE]|" + spec.unit + "))" : "";
    return {{"type", "string"},
            {"pattern", (spec.is_signed ? "^[+-]?" : "^\\+?") + not_zero + decimal_to(spec.max) +
                            spec.unit + "$"}};
  }
  Json form_json(const RatioSpec&) {
    return {{"type", "string"}, {"pattern", "^[1-9][0-9]{0,6}/[1-9][0-9]{0,6}$"}};
  }
  Json form_json(const DictSpec& spec) {
    Json out = {
        {"type", "object"}, {"additionalProperties", json(*spec.value)}, {"minProperties", 1}};
    if (spec.keys == DictSpec::Keys::kTimes) {
      out["propertyNames"] = {
          {"pattern", "^[-+]?(0|[1-9][0-9]{0,6}|10000000|" + decimal_to(10'000'000) + "s)$"}};
    } else if (spec.keys == DictSpec::Keys::kVars) {
      out["propertyNames"] = {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}};
    }
    return out;
  }
  Json form_json(const EnumSpec& spec) { return {{"enum", spec.values}}; }
  Json form_json(const AnyOfSpec& spec) {
    Json forms = Json::array();
    for (const SpecPtr& form : spec.alternatives) forms.push_back(spec_json(*form));
    return {{"anyOf", forms}};
  }
  Json form_json(const ListSpec& spec) {
    Json out = {{"type", "array"}, {"items", json(*spec.item)}};
    if (spec.min_items > 0) out["minItems"] = spec.min_items;
    if (spec.max_items != ListSpec{}.max_items) out["maxItems"] = spec.max_items;
    return out;
  }
  Json form_json(const ObjectSpec& spec) {
    Json properties = Json::object(), required = Json::array();
    for (const Field& field : spec.fields) {
      properties[field.key] = field_json(field);
      if (field.is_required) required.push_back(field.key);
    }
    Json out = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) out["required"] = required;
    if (!spec.exactly_one_of.empty()) {
      for (const std::string& key : spec.exactly_one_of)
        out["oneOf"].push_back({{"required", Json::array({key})}});
    }
    for (const std::string& key : spec.at_least_one_of)
      out["anyOf"].push_back(SchemaWriter::required(key));
    for (const auto& [key, needed] : spec.needs)
      if (!has_rules(spec, key)) out["dependencies"][key].push_back(needed);
    for (const Field& field : spec.fields)
      if (has_rules(spec, field.key)) out["dependencies"][field.key] = rules_json(spec, field.key);
    return out;
  }

  /// True for rules beyond the presence of another key.
  static bool has_rules(const ObjectSpec& spec, const std::string& key) {
    const auto is_for = [&key](const auto& rule) { return rule.first == key; };
    return std::any_of(spec.needs_any.begin(), spec.needs_any.end(), is_for) ||
           std::any_of(spec.excludes.begin(), spec.excludes.end(), is_for);
  }
  static Json required(const std::string& key) { return {{"required", Json::array({key})}}; }
  static Json rules_json(const ObjectSpec& spec, const std::string& of_key) {
    Json out = Json::object();
    for (const auto& [key, needed] : spec.needs)
      if (key == of_key) out["required"].push_back(needed);
    for (const auto& [key, needed] : spec.needs_any)
      for (const std::string& one : needed)
        if (key == of_key) out["anyOf"].push_back(required(one));
    for (const auto& [key, other] : spec.excludes)
      if (key == of_key) out["not"]["anyOf"].push_back(required(other));
    return out;
  }
  Json field_json(const Field& field) {
    Json out = Json::object();
    if (!field.description.empty()) out["description"] = field.description;
    if (!field.default_json.empty()) out["default"] = Json::parse(field.default_json);
    out.update(json(*field.spec));
    return out;
  }

  bool has_vars_;
  Json definitions_ = Json::object();
};

}  // namespace

std::string json_schema(const Spec& spec, const char* title, const char* description,
                        bool has_vars) {
  return SchemaWriter(has_vars).write(spec, title, description);
}

}  // namespace roundel
