#include "gpu/checkpoint/config_fields.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/json_file.hpp"

namespace weft::gpu {

using nlohmann::json;

config_fields::config_fields(std::string where, const json& object)
    : where_(std::move(where)), object_(object) {
  WEFT_ASSERT(object.is_object());
}

const json* config_fields::find(std::string_view name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json* config_fields::need(std::string_view name) {
  const json* value = find(name);
  if (value == nullptr) fail("field \"" + std::string(name) + "\" is missing");
  return value;
}

std::int64_t config_fields::count(std::string_view name, std::int64_t most) {
  const json* value = need(name);
  if (value == nullptr) return 0;
  if (!value->is_number_integer() || *value < json(1) || *value > json(most)) {
    mistyped(name, *value, "a whole number from 1 to " + std::to_string(most));
    return 0;
  }
  return value->get<std::int64_t>();
}

double config_fields::positive(std::string_view name, std::optional<double> otherwise) {
  if (otherwise.has_value() && find(name) == nullptr) return *otherwise;
  const json* value = need(name);
  if (value == nullptr) return 0;
  const double number = value->is_number() ? value->get<double>() : 0;
  if (!(number > 0) || !std::isfinite(number)) {
    mistyped(name, *value, "a number above 0");
    return 0;
  }
  return number;
}

bool config_fields::flag(std::string_view name, bool otherwise) {
  const json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    mistyped(name, *value, "true or false");
    return otherwise;
  }
  return value->get<bool>();
}

std::string config_fields::text(std::string_view name, std::string_view otherwise) {
  const json* value = find(name);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) {
    mistyped(name, *value, "a string");
    return std::string(otherwise);
  }
  return value->get<std::string>();
}

void config_fields::require_flag(std::string_view name, bool supported) {
  if (flag(name, supported) == supported) return;
  const std::string wanted = supported ? "true" : "false";
  fail("field \"" + std::string(name) + "\" is " + (supported ? "false" : "true") + "; only " +
       wanted + " is supported");
}

void config_fields::require_text(std::string_view name, std::string_view supported) {
  const std::string found = text(name, supported);
  if (found == supported) return;
  fail("field \"" + std::string(name) + "\" is " + shown(json(found)) + "; only \"" +
       std::string(supported) + "\" is supported");
}

void config_fields::require_absent(std::string_view name, std::string_view supported) {
  const json* value = find(name);
  if (value == nullptr || *value == json(false) || *value == json(0) || *value == json("")) return;
  if (value->is_structured() && value->empty()) return;
  fail("field \"" + std::string(name) + "\" is " + shown(*value) + "; " + std::string(supported));
}

void config_fields::mistyped(std::string_view name, const json& value, std::string_view wanted) {
  fail("field \"" + std::string(name) + "\" is " + shown(value) + " where " + std::string(wanted) +
       " is wanted");
}

void config_fields::fail(std::string_view what) {
  if (!failure_.has_value()) failure_ = rejected(where_ + ": " + std::string(what));
}

void config_fields::adopt(const status& inner) {
  if (!inner && !failure_.has_value()) failure_ = inner.error();
}

status config_fields::outcome() const {
  if (failure_.has_value()) return *failure_;
  return {};
}

}  // namespace weft::gpu
