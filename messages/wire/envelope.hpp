// What crosses nodes: the number of a conversation and a message of it as bytes.
//
// The bytes are immutable, shared by copies, and aligned to 8, so that they are read in place and
// sent to many without a copy. What they say is the codecs' affair (membership_codec.hpp and its
// like). Nothing here knows how they travel. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// A conversation's number on the wire; never changed, never given to another one.
enum class schema_id : std::uint16_t {
  none = 0,  // An envelope that holds nothing.
  membership = 1,
  directory = 2,
  serving = 3,
  prefill = 4,
};

std::string_view name_of(schema_id schema);

// The conversation of that number, or `rejected`: this build does not know it.
result<schema_id> parse_schema_id(std::uint16_t number);

class envelope {
 public:
  // Holds nothing; no codec reads it.
  envelope() = default;

  // Takes `words` over. `rejected` when they are more than envelope_bytes_max.
  static result<envelope> make(schema_id schema, std::vector<std::uint64_t> words);
  // Copies `bytes`. `rejected` also when they are no whole words of 8.
  static result<envelope> copy(schema_id schema, std::span<const std::byte> bytes);

  schema_id schema() const { return schema_; }
  // Aligned to 8, a multiple of 8 long. Lives as long as any copy of this envelope.
  std::span<const std::byte> bytes() const;

  // By content.
  friend bool operator==(const envelope& one, const envelope& other);

 private:
  envelope(schema_id schema, std::vector<std::uint64_t> words);

  schema_id schema_ = schema_id::none;
  std::shared_ptr<const std::vector<std::uint64_t>> words_;
};

}  // namespace weft::messages
