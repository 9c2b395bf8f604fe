// Valid messages with one thing changed that no receiver should have to see.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/messages/wire_samples.hpp"

namespace weft::messages::test {

// What is wrong, and words that the refusal must have.
template <class Message>
struct spoiled {
  std::string_view names;
  std::function<void(Message&)> spoil;
};

// Each makes `check` refuse the sample by name, and encode with it.
template <class Message>
void check_refused(std::string_view sample, const std::vector<spoiled<Message>>& all) {
  for (const spoiled<Message>& one : all) {
    auto what = sample_of<Message>(sample);
    REQUIRE(check(what).ok());
    one.spoil(what);
    INFO(sample << ": " << one.names);
    const status refused = check(what);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == failure_kind::rejected);
    CHECK_THAT(refused.error().message, Catch::Matchers::Contains(std::string(one.names)));
    CHECK_FALSE(encode(what).ok());
  }
}

}  // namespace weft::messages::test
