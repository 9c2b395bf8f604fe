#include "gpu/checkpoint/config_fields.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace weft::gpu {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using nlohmann::json;

TEST_CASE("fields read what is there and fall back where they may", "[gpu][config_fields]") {
  const json object = {{"n", 3}, {"x", 0.5}, {"on", true}, {"word", "w"}, {"none", nullptr}};
  config_fields fields("c", object);
  CHECK(fields.count("n", 3) == 3);
  CHECK(fields.positive("x") == 0.5);
  CHECK(fields.positive("none", 2.0) == 2.0);
  CHECK(fields.flag("on", false));
  CHECK(fields.flag("absent", true));
  CHECK(fields.text("word", "") == "w");
  CHECK(fields.find("none") == nullptr);
  CHECK(fields.outcome().ok());
}

TEST_CASE("the first thing wrong is the one that is told", "[gpu][config_fields]") {
  const json object = {{"n", -3}, {"m", "four"}};
  config_fields fields("c", object);
  CHECK(fields.count("n", 10) == 0);
  CHECK(fields.count("m", 10) == 0);
  REQUIRE_FALSE(fields.outcome().ok());
  CHECK_THAT(fields.outcome().error().message,
             Equals("c: field \"n\" is -3 where a whole number from 1 to 10 is wanted"));
}

TEST_CASE("a reader of an inner object hands its failure outwards", "[gpu][config_fields]") {
  const json object = {{"inner", {{"x", -1.0}}}};
  config_fields outer("c", object);
  config_fields inner("c: inner", object.at("inner"));
  inner.positive("x");
  outer.adopt(inner.outcome());
  REQUIRE_FALSE(outer.outcome().ok());
  CHECK_THAT(outer.outcome().error().message, Contains("c: inner: field \"x\" is -1.0"));
}

TEST_CASE("an option that must be off may be written in any of its off forms",
          "[gpu][config_fields]") {
  for (const json& off : {json(nullptr), json(false), json(0), json(""), json::object()}) {
    const json object = {{"option", off}};
    config_fields fields("c", object);
    fields.require_absent("option", "not supported");
    CHECK(fields.outcome().ok());
  }
  const json object = {{"option", {{"bits", 4}}}};
  config_fields fields("c", object);
  fields.require_absent("option", "not supported");
  REQUIRE_FALSE(fields.outcome().ok());
  CHECK_THAT(fields.outcome().error().message, Contains("{\"bits\":4}; not supported"));
}

}  // namespace
}  // namespace weft::gpu
