// Messages that no sender of this build would write: a valid one, changed through its schema.
#pragma once

#include <string>
#include <vector>

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <catch2/catch.hpp>

#include "messages/wire/envelope.hpp"

namespace weft::messages::test {

inline envelope flattened(schema_id schema, capnp::MessageBuilder& builder) {
  const auto words = capnp::messageToFlatArray(builder);
  const auto packed = envelope::copy(
      schema, std::as_bytes(std::span(words.asBytes().begin(), words.asBytes().size())));
  REQUIRE(packed.ok());
  return *packed;
}

// A new message whose root `write` fills.
template <class Root, class Write>
envelope written(schema_id schema, const Write& write) {
  capnp::MallocMessageBuilder builder;
  write(builder.initRoot<Root>());
  return flattened(schema, builder);
}

// `from` with what `change` does to its root.
template <class Root, class Change>
envelope rewritten(const envelope& from, const Change& change) {
  const kj::ArrayPtr<const capnp::word> words(
      reinterpret_cast<const capnp::word*>(from.bytes().data()),
      from.bytes().size() / sizeof(capnp::word));
  capnp::FlatArrayMessageReader reader(words);
  capnp::MallocMessageBuilder builder;
  builder.setRoot(reader.getRoot<Root>());
  change(builder.getRoot<Root>());
  return flattened(from.schema(), builder);
}

// The sentence with which `decoded` was refused; "" if it was not.
template <class Result>
std::string refusal_in(const Result& decoded) {
  return decoded.ok() ? "" : decoded.error().message;
}

// An enumerant that no schema has.
template <class Enum>
Enum unknown() {
  return static_cast<Enum>(999);
}

}  // namespace weft::messages::test
