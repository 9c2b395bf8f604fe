// Where values meet Cap'n Proto: what all codecs need of the library, and the border that its
// exceptions do not cross. For the codecs alone; nobody else sees the library.
//
// Reading trusts nothing. The library bounds how much a message can make us walk and how deep;
// lists and texts are counted before memory is taken for them; what is left is `check`'s affair.
// Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>
#include <kj/io.h>

#include "messages/wire/bounds.hpp"
#include "messages/wire/envelope.hpp"
#include "messages/wire/field_check.hpp"
#include "policies/vocabulary/assert.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages {

// A value of an enum of ours and the enumerant that says it. Tables, not casts: both sides may be
// reordered, and what is not in the table is not known.
template <class Wire, class Value>
struct enumerant {
  Wire wire;
  Value value;
};

template <class Wire, class Value, std::size_t Count>
Wire to_wire(const std::array<enumerant<Wire, Value>, Count>& table, Value value) {
  for (const auto& row : table) {
    if (row.value == value) return row.wire;
  }
  WEFT_ASSERT(!"a value that its table does not list");
  return table[0].wire;
}

template <class Wire, class Value, std::size_t Count>
Value from_wire(const std::array<enumerant<Wire, Value>, Count>& table, Wire wire,
                field_check& fields, std::string_view field) {
  for (const auto& row : table) {
    if (row.wire == wire) return row.value;
  }
  fields.demand(
      false, field,
      "is " + std::to_string(static_cast<unsigned>(wire)) + ", which this build does not know");
  return table[0].value;
}

// For setters of texts.
inline capnp::Text::Reader text_out(const std::string& text) { return {text.c_str(), text.size()}; }

inline std::string_view view_of(capnp::Text::Reader text) { return {text.begin(), text.size()}; }

// "" where the text is longer than `bytes_max`. UTF-8 is left to `check`.
inline std::string text_in(capnp::Text::Reader text, std::size_t bytes_max, field_check& fields,
                           std::string_view field) {
  const bool fits = fields.demand(text.size() <= bytes_max, field, "is too long a text");
  return fits ? std::string(view_of(text)) : std::string();
}

// Digests and tickets.
inline capnp::Data::Reader bits_out(const std::array<std::byte, 32>& bits) {
  return {reinterpret_cast<const kj::byte*>(bits.data()), bits.size()};
}

inline std::array<std::byte, 32> bits_in(capnp::Data::Reader bits, field_check& fields,
                                         std::string_view field) {
  std::array<std::byte, 32> all{};
  if (fields.demand(bits.size() == all.size(), field, "does not have 32 bytes"))
    std::memcpy(all.data(), bits.begin(), all.size());
  return all;
}

inline capnp::Data::Reader flags_out(const std::vector<std::uint8_t>& flags) {
  return {flags.data(), flags.size()};
}

inline std::vector<std::uint8_t> flags_in(capnp::Data::Reader flags, field_check& fields,
                                          std::string_view field) {
  if (!fields.count(flags.size(), flags_max, field)) return {};
  return {flags.begin(), flags.end()};
}

// Each item of `list`, as `read` makes it; stops at the first breach. Nothing is reserved for a
// list of more than `most`.
template <class List, class Read>
auto list_in(const List& list, std::size_t most, field_check& fields, std::string_view field,
             const Read& read) {
  std::vector<std::decay_t<decltype(read(list[0]))>> all;
  if (!fields.count(list.size(), most, field)) return all;
  all.reserve(list.size());
  for (const auto item : list) {
    if (!fields.ok()) break;
    all.push_back(read(item));
  }
  return all;
}

// Token ids, of which `left` may still come; counts them off. A loop of its own, since prompts are
// what most bytes are.
template <class List>
token_ids ids_in(const List& list, std::int64_t& left, field_check& fields,
                 std::string_view field) {
  if (!fields.count(list.size(), static_cast<std::size_t>(left), field)) return {};
  token_ids ids(list.size());
  for (unsigned i = 0; i < list.size(); ++i) ids[i] = list[i];
  left -= static_cast<std::int64_t>(ids.size());
  return ids;
}

template <class List, class Values>
void fill(List list, const Values& values) {
  for (unsigned i = 0; i < list.size(); ++i) list.set(i, values[i]);
}

template <class Root, class Write>
result<envelope> pack(schema_id schema, std::size_t words_expected, const Write& write) {
  try {
    capnp::MallocMessageBuilder builder(static_cast<unsigned>(words_expected));
    write(builder.initRoot<Root>());
    std::vector<std::uint64_t> words(capnp::computeSerializedSizeInWords(builder));
    kj::ArrayOutputStream stream(
        {reinterpret_cast<kj::byte*>(words.data()), words.size() * sizeof(words[0])});
    capnp::writeMessage(stream, builder);
    return envelope::make(schema, std::move(words));
  } catch (const kj::Exception& thrown) {
    return broken("a message could not be written: " + std::string(thrown.getDescription().cStr()));
  } catch (const std::exception& thrown) {
    return broken("a message could not be written: " + std::string(thrown.what()));
  }
}

// The message in `from`, as `read(root, fields)` makes it and `check` accepts it.
template <class Message, class Root, class Read>
result<Message> unpack(schema_id schema, const envelope& from, const Read& read) {
  const std::string conversation(name_of(schema));
  if (from.schema() != schema)
    return rejected("a message of " + std::string(name_of(from.schema())) + " came where one of " +
                    conversation + " belongs");
  const auto unreadable = [&](std::string_view why) {
    return rejected(conversation + ": unreadable bytes: " + std::string(why));
  };
  try {
    const std::size_t count = from.bytes().size() / sizeof(capnp::word);
    const kj::ArrayPtr<const capnp::word> words(
        reinterpret_cast<const capnp::word*>(from.bytes().data()), count);
    // Honest messages are read once; four times that is for what we look at twice, the constant for
    // small ones. Ours nest 6 deep.
    const capnp::ReaderOptions limits{.traversalLimitInWords = 4 * count + 1024,
                                      .nestingLimit = 32};
    capnp::FlatArrayMessageReader reader(words, limits);
    if (reader.getEnd() != words.end()) return unreadable("they go on behind the message");
    field_check fields(conversation);
    Message what = read(reader.getRoot<Root>(), fields);
    if (!fields.ok()) return fields.verdict().error();
    const status fits = check(what);
    if (!fits.ok()) return fits.error();
    return what;
  } catch (const kj::Exception& thrown) {
    return unreadable(thrown.getDescription().cStr());
  } catch (const std::exception& thrown) {
    return unreadable(thrown.what());
  }
}

}  // namespace weft::messages
