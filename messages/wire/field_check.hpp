// What a message's fields must satisfy, asked one after the other; the first breach is kept.
//
// Used on both sides: by a sender before a message is written, by a receiver before memory is taken
// for a list and again on the finished value. Each question returns whether it was answered well,
// so that loops can stop. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::messages {

class field_check {
 public:
  // `conversation` and every `field` are named in the failure. Requires: they outlive the check.
  explicit field_check(std::string_view conversation) : conversation_(conversation) {}

  // Nothing was found so far.
  bool ok() const { return !breach_.has_value(); }
  // Success, or `rejected` with the first breach.
  status verdict() const;

  // `complaint` goes on from the field's name: "is empty".
  bool demand(bool holds, std::string_view field, std::string_view complaint);
  bool count(std::size_t is, std::size_t most, std::string_view field);
  bool range(std::int64_t is, std::int64_t least, std::int64_t most, std::string_view field);
  // Finite and not negative.
  bool measure(double is, std::string_view field);
  // Valid UTF-8 of at most `bytes_max`.
  bool text(std::string_view is, std::size_t bytes_max, std::string_view field);
  // A name that a node can have, and a life of it.
  bool life(const node_life& is, std::string_view field);

 private:
  bool fail(std::string_view field, std::string_view complaint);

  std::string_view conversation_;
  std::optional<std::string> breach_;
};

}  // namespace weft::messages
