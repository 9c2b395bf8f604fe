#include <filesystem>

#include <catch2/catch.hpp>

#include "actors/program/common_options.hpp"
#include "actors/program/loaded_model.hpp"
#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

options parse(std::vector<std::string> arguments, const std::string& folder = tiny_model) {
  arguments.insert(arguments.end(), {"--model", folder, "--cache-bytes", "64M"});
  const auto parsed = parse_options(
      join_rules({{model_option(), special_option()}, reuse_option_rules(), engine_option_rules()}),
      0, arguments);
  if (!parsed) FAIL(parsed.error().message);
  return *parsed;
}

}  // namespace

TEST_CASE("a model folder opens with its own profile", "[actors][loaded_model]") {
  const auto model = load_model(parse({}), {});
  REQUIRE(model.ok());
  CHECK(model->shape.vocabulary == 2048);
  CHECK(model->profile.seam == seam{8, 16});
  CHECK(model->text.has_value());
  CHECK(model->positions_max == model->shape.positions_max);
  CHECK(model->shape.end_tokens.size() == 2);
}

TEST_CASE("options limit positions, and a bench has no end tokens", "[actors][loaded_model]") {
  const auto model = load_model(parse({"--positions-max", "77"}), {.runs_on_past_end = true});
  REQUIRE(model.ok());
  CHECK(model->positions_max == 77);
  CHECK(model->shape.end_tokens.empty());
}

TEST_CASE("a device that is not there is told before the model is read", "[actors][loaded_model]") {
  const auto model = load_model(parse({"--device", "cuda:0"}, "/no/such/model"), {});
  REQUIRE_FALSE(model.ok());
  CHECK(contains(model.error().message, "cuda:0"));
}

TEST_CASE("another profile may name an anchor, and --no-anchor goes without it",
          "[actors][loaded_model]") {
  const std::string path = tiny_model + "/weft-anchored.json";
  const auto profile = load_profile(parse({"--profile", path}), tiny_model);
  REQUIRE(profile.ok());
  CHECK(profile->anchor.size() == 2);
  CHECK(load_model(parse({"--profile", path}), {}).ok());
  CHECK(load_model(parse({"--profile", path, "--no-anchor"}), {}).ok());
  const auto unread =
      load_model(parse({"--profile", path}), {.tokenizer = loading::tokenizer_need::none});
  REQUIRE_FALSE(unread.ok());
  CHECK(contains(unread.error().message, "--no-anchor"));
}

TEST_CASE("segments become ids one by one, and empty ones are dropped", "[actors][loaded_model]") {
  const auto model = load_model(parse({}), {});
  REQUIRE(model.ok());
  const auto encoded =
      encode_segments(*model, {{.text = "a"}, {.text = ""}, {.text = "b", .reusable = false}},
                      messages::special_tokens::recognized);
  REQUIRE(encoded.ok());
  REQUIRE(encoded->size() == 2);
  CHECK_FALSE(encoded->at(1).reusable);
  CHECK_FALSE(encode_segments(*model, {{.text = ""}}, messages::special_tokens::plain).ok());
  const auto bad =
      encode_segments(*model, {{.text = "a"}, {.text = "\xff"}}, messages::special_tokens::plain);
  REQUIRE_FALSE(bad.ok());
  CHECK(contains(bad.error().message, "segment 1: "));
}
