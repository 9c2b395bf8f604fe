#include <filesystem>
#include <sstream>

#include <catch2/catch.hpp>

#include "actors/program/text_input.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

struct streams {
  explicit streams(const std::string& input) : in(input) {}
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  console at{.in = in, .out = out, .err = err};
};

}  // namespace

TEST_CASE("text comes from standard input when no file is named", "[actors][text_input]") {
  const std::string long_text(200000, 'x');
  for (const std::string path : {"", "-"}) {
    streams all(long_text);
    const auto text = read_text(path, all.at);
    REQUIRE(text.ok());
    CHECK(*text == long_text);
  }
}

TEST_CASE("a file comes whole, an empty one too", "[actors][text_input]") {
  const auto path = std::filesystem::temp_directory_path() / "weft_text_input_test.txt";
  for (const std::string& content : {std::string(), std::string("a\0b\n", 4)}) {
    std::ofstream(path, std::ios::binary) << content;
    streams all("not this");
    const auto text = read_text(path.string(), all.at);
    REQUIRE(text.ok());
    CHECK(*text == content);
  }
  std::filesystem::remove(path);
}

TEST_CASE("a missing file and a folder are named", "[actors][text_input]") {
  streams all("");
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const std::string& path : {std::string("/no/such/file"), folder}) {
    const auto text = read_text(path, all.at);
    REQUIRE_FALSE(text.ok());
    CHECK(text.error().kind == failure_kind::unavailable);
    CHECK(text.error().message.find("cannot read '" + path + "'") == 0);
  }
}
