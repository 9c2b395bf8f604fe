// One message of every kind, no field at its default, and what treats all conversations alike.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "messages/wire/directory_codec.hpp"
#include "messages/wire/envelope.hpp"
#include "messages/wire/membership_codec.hpp"
#include "messages/wire/prefill_codec.hpp"
#include "messages/wire/serving_codec.hpp"

namespace weft::messages::test {

using any_message =
    std::variant<membership::message, directory::message, serving::message, prefill::message>;

result<envelope> encode_any(const any_message& what);
result<any_message> decode_any(const envelope& from);

struct wire_sample {
  std::string_view name;  // "conversation.message", as its golden file is called.
  any_message what;
};

// In the order of the schemas. The same values in every run and for ever: golden bytes hang on
// them.
std::vector<wire_sample> wire_samples();

// The sample's bytes. Requires: such a sample.
envelope packed_sample(std::string_view name);

// The sample's value. Requires: such a sample, of this type.
template <class Message>
Message sample_of(std::string_view name) {
  for (const wire_sample& sample : wire_samples()) {
    if (sample.name != name) continue;
    return std::visit(
        [](const auto& conversation) {
          Message found;
          std::visit(
              [&](const auto& one) {
                if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Message>) found = one;
              },
              conversation);
          return found;
        },
        sample.what);
  }
  return {};
}

// 32 bytes that count up from `first`.
entry_key key_from(unsigned char first);

// A life of the node `name`.
node_life life_of(std::string_view name);

}  // namespace weft::messages::test
