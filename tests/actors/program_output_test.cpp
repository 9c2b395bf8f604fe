#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "actors/program/output.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

struct streams {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  console at{.in = in, .out = out, .err = err};
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("without a place for JSON only text comes out", "[actors][output]") {
  streams all;
  auto to = output::make(all.at, "");
  REQUIRE(to.ok());
  CHECK_FALSE(to->wants_json());
  to->text() << "for people";
  CHECK(to->write_json("{}").ok());
  CHECK(all.out.str() == "for people");
  CHECK(all.err.str().empty());
}

TEST_CASE("JSON on standard output sends the text to standard error", "[actors][output]") {
  streams all;
  auto to = output::make(all.at, "-");
  REQUIRE(to.ok());
  to->text() << "for people";
  CHECK(to->write_json("{\"a\":1}").ok());
  CHECK(all.out.str() == "{\"a\":1}\n");
  CHECK(all.err.str() == "for people");
}

TEST_CASE("JSON goes to a file and replaces what was there", "[actors][output]") {
  const auto path = std::filesystem::temp_directory_path() / "weft_output_test.json";
  std::ofstream(path) << "something longer than what follows";
  streams all;
  {
    auto to = output::make(all.at, path.string());
    REQUIRE(to.ok());
    to->text() << "for people";
    CHECK(to->write_json("{}").ok());
  }
  CHECK(text_of(path) == "{}\n");
  CHECK(all.out.str() == "for people");
  std::filesystem::remove(path);
}

TEST_CASE("a file that cannot be written fails before the work and is named", "[actors][output]") {
  streams all;
  const auto to = output::make(all.at, "/no/such/folder/out.json");
  REQUIRE_FALSE(to.ok());
  CHECK(to.error().kind == failure_kind::unavailable);
  CHECK(to.error().message == "cannot write '/no/such/folder/out.json': No such file or directory");
}

TEST_CASE("a full disk is a failure, not silence", "[actors][output]") {
  if (!std::filesystem::exists("/dev/full")) return;
  streams all;
  auto to = output::make(all.at, "/dev/full");
  REQUIRE(to.ok());
  const status written = to->write_json("{}");
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().message.find("/dev/full") != std::string::npos);
}

TEST_CASE("colours show on a terminal that wants them, and nowhere else", "[actors][output]") {
  streams all;
  for (const bool terminal : {false, true}) {
    for (const bool colours : {false, true}) {
      console at{.in = all.in,
                 .out = all.out,
                 .err = all.err,
                 .out_is_terminal = terminal,
                 .colours = colours};
      const auto to = output::make(at, "");
      REQUIRE(to.ok());
      CHECK(to->bold("word") == (terminal && colours ? "\x1b[1mword\x1b[0m" : "word"));
    }
  }
}

TEST_CASE("a run that fails before all is written keeps an earlier result", "[actors][output]") {
  const auto path = std::filesystem::temp_directory_path() / "weft_output_kept_test.json";
  std::ofstream(path) << "earlier";
  {
    streams all;
    auto to = output::make(all.at, path.string());
    REQUIRE(to.ok());
    CHECK(to->write_json_line("half of it").ok());
  }
  CHECK(text_of(path) == "earlier");
  streams all;
  auto to = output::make(all.at, path.string());
  REQUIRE(to.ok());
  CHECK(to->write_json_line("1").ok());
  CHECK(to->write_json_line("2").ok());
  CHECK(text_of(path) == "earlier");
  CHECK(to->finish_json().ok());
  CHECK(text_of(path) == "1\n2\n");
  std::filesystem::remove(path);
}
