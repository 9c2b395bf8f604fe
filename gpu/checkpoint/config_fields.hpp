// Reads named fields from one JSON object and remembers the first thing wrong, so that a reader of
// a configuration is a list of fields and not a ladder of checks. Internal to gpu/checkpoint.
//
// After a failure further reads give zeros and change nothing; ask `outcome` once, at the end.
// Lifetime: borrows the JSON document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

class config_fields {
 public:
  // `where` names the document (and the object in it) in failures.
  config_fields(std::string where, const nlohmann::json& object);

  // The field, or nullptr where it is absent or null.
  const nlohmann::json* find(std::string_view name) const;

  // A whole number in [1, most]. Missing, mistyped or outside: the failure.
  std::int64_t count(std::string_view name, std::int64_t most);

  // A finite number above zero. Without `otherwise` the field must be there.
  double positive(std::string_view name, std::optional<double> otherwise = std::nullopt);

  bool flag(std::string_view name, bool otherwise);
  std::string text(std::string_view name, std::string_view otherwise);

  // The field, where present, must be exactly this; the failure says what is supported.
  void require_flag(std::string_view name, bool supported);
  void require_text(std::string_view name, std::string_view supported);
  // The field must be absent, null, false, zero or empty.
  void require_absent(std::string_view name, std::string_view supported);

  // Records a failure of its own ("hidden_size is ...") unless there is one already.
  void fail(std::string_view what);

  // Takes over the failure of a reader of an object inside this one.
  void adopt(const status& inner);

  const std::string& where() const { return where_; }
  status outcome() const;

 private:
  // The field, or nullptr after recording that it is missing.
  const nlohmann::json* need(std::string_view name);
  void mistyped(std::string_view name, const nlohmann::json& value, std::string_view wanted);

  std::string where_;
  const nlohmann::json& object_;
  std::optional<failure> failure_;
};

}  // namespace weft::gpu
