#include "messages/prompt/profile.hpp"

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

namespace {

std::string refusal(std::string_view json) {
  const auto read = parse_profile(json);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == failure_kind::rejected);
  return read.error().message;
}

}  // namespace

TEST_CASE("an empty profile and a missing file are the defaults", "[messages][profile]") {
  const std::string missing = test::fresh_folder("profile") + "/weft.json";
  for (const auto& read : {parse_profile("{}"), load_profile(missing)}) {
    REQUIRE(read.ok());
    CHECK(read->seam == seam{8, 16});
    CHECK(read->anchor.empty());
    CHECK(read->separator == "<<PIC_SEP>>");
  }
}

TEST_CASE("a profile's keys are read, each optional", "[messages][profile]") {
  const auto read =
      parse_profile(R"({"seam": {"head": 3, "tail": 0}, "anchor": ["a", "b"], "separator": "--"})");
  REQUIRE(read.ok());
  CHECK(read->seam == seam{3, 0});
  CHECK(read->anchor == std::vector<std::string>{"a", "b"});
  CHECK(read->separator == "--");
  CHECK(parse_profile(R"({"seam": {"tail": 4}})")->seam == seam{8, 4});
}

TEST_CASE("null and false switch the separator off", "[messages][profile]") {
  for (const char* json : {R"({"separator": null})", R"({"separator": false})"}) {
    const auto read = parse_profile(json);
    REQUIRE(read.ok());
    CHECK_FALSE(read->separator);
  }
}

TEST_CASE("the bundled checkpoint's profiles are read", "[messages][profile]") {
  const std::string folder = WEFT_SOURCE_DIR "/examples/models/tiny-qwen3_5";
  CHECK(load_profile(folder + "/weft.json")->anchor.empty());
  const auto anchored = load_profile(folder + "/weft-anchored.json");
  REQUIRE(anchored.ok());
  CHECK(anchored->seam == seam{8, 16});
  CHECK(anchored->anchor.size() == 2);
}

TEST_CASE("a slip in a profile is refused by key", "[messages][profile]") {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "the file must be an object, but is an array"},
      {R"({"seem": {}})", "unknown key 'seem'; known are seam, anchor, separator"},
      {R"({"seam": {"haed": 8}})", "unknown key 'haed' in seam; known are head, tail"},
      {R"({"seam": 8})", "seam must be an object, but is a number"},
      {R"({"seam": {"head": "8"}})", "seam.head must be an integer, but is a string"},
      {R"({"seam": {"tail": -1}})", "seam.tail must be 0 to 1000000, but is -1"},
      {R"({"seam": {"tail": 1e3}})", "seam.tail must be an integer"},
      {R"({"anchor": "a"})", "anchor must be an array of strings, but is a string"},
      {R"({"anchor": ["a", 2]})", "anchor[1] must be a string, but is a number"},
      {R"({"anchor": [""]})", "anchor[0] is empty"},
      {R"({"separator": true})", "separator must be a string, null or false"},
      {R"({"separator": ""})", "separator is empty"},
      {R"({"seam": )", "the JSON is broken"}};
  for (const auto& [json, wanted] : cases) {
    const std::string message = refusal(json);
    INFO(json << ": " << message);
    CHECK(message.find(wanted) == 0);
  }
}

TEST_CASE("a broken profile is refused with its path", "[messages][profile]") {
  const std::string path = test::fresh_folder("profile-broken") + "/weft.json";
  test::write_file(path, "{\"seam\": 1}");
  const auto read = load_profile(path);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message.find(path + ": seam must be") == 0);
}

}  // namespace weft::messages
