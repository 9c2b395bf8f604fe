// A value or the failure that stands in its place. C++20 has no std::expected; this is the part of
// it that the rooms use.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "policies/vocabulary/assert.hpp"
#include "policies/vocabulary/failure.hpp"

namespace weft {

template <class Value>
class [[nodiscard]] result {
 public:
  result(Value value) : content_(std::in_place_index<0>, std::move(value)) {}
  result(failure error) : content_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Requires: ok().
  Value& value() & {
    WEFT_ASSERT(ok());
    return std::get<0>(content_);
  }
  const Value& value() const& {
    WEFT_ASSERT(ok());
    return std::get<0>(content_);
  }
  Value&& value() && {
    WEFT_ASSERT(ok());
    return std::get<0>(std::move(content_));
  }
  Value& operator*() & { return value(); }
  const Value& operator*() const& { return value(); }
  Value* operator->() { return &value(); }
  const Value* operator->() const { return &value(); }

  // Requires: not ok().
  [[nodiscard]] const failure& error() const {
    WEFT_ASSERT(!ok());
    return std::get<1>(content_);
  }

 private:
  std::variant<Value, failure> content_;
};

// Success without a value.
template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(failure error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Requires: not ok().
  [[nodiscard]] const failure& error() const {
    WEFT_ASSERT(!ok());
    return *error_;
  }

 private:
  std::optional<failure> error_;
};

using status = result<void>;

}  // namespace weft
