#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include <catch2/catch.hpp>

#include "actors/program/json_lines.hpp"
#include "actors/program/words.hpp"

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

result<std::string> shout(const std::string& line) {
  if (line == "bad") return rejected("this is \"bad\"");
  return line + "!";
}

}  // namespace

TEST_CASE("every line is answered in its place, a bad one by its error", "[actors][json_lines]") {
  streams all("one\n\n  \nbad\ntwo");
  auto to = output::make(all.at, "-");
  REQUIRE(to.ok());
  const auto code = answer_lines(all.in, *to, shout);
  REQUIRE(code.ok());
  CHECK(*code == exit_failed);
  CHECK(all.out.str() == "one!\n{\"error\":\"line 4: this is \\\"bad\\\"\"}\ntwo!\n");
}

TEST_CASE("good lines alone end with code 0", "[actors][json_lines]") {
  streams all("one\ntwo\n");
  auto to = output::make(all.at, "-");
  REQUIRE(to.ok());
  const auto code = answer_lines_of("-", all.at, *to, shout);
  REQUIRE(code.ok());
  CHECK(*code == exit_done);
  CHECK(all.out.str() == "one!\ntwo!\n");
}

TEST_CASE("a file that cannot be read is named", "[actors][json_lines]") {
  streams all("");
  auto to = output::make(all.at, "-");
  REQUIRE(to.ok());
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const std::string& path : {std::string("/no/such/file"), folder}) {
    const auto code = answer_lines_of(path, all.at, *to, shout);
    REQUIRE_FALSE(code.ok());
    CHECK(code.error().message.find("'" + path + "'") != std::string::npos);
  }
}

TEST_CASE("an output that takes no more ends the work with a failure", "[actors][json_lines]") {
  if (!std::filesystem::exists("/dev/full")) return;
  streams all("one\ntwo\n");
  auto to = output::make(all.at, "/dev/full");
  REQUIRE(to.ok());
  int asked = 0;
  const auto code = answer_lines(all.in, *to, [&](const std::string& line) {
    ++asked;
    return shout(line);
  });
  CHECK_FALSE(code.ok());
  CHECK(asked == 1);
}

TEST_CASE("an input that fails half way is no end of the input", "[actors][json_lines]") {
  streams all("one\n");
  auto to = output::make(all.at, "-");
  REQUIRE(to.ok());
  const auto code = answer_lines(all.in, *to, [&](const std::string& each) {
    all.in.setstate(std::ios::badbit);
    return shout(each);
  });
  REQUIRE_FALSE(code.ok());
  CHECK(code.error().message.find("half way") != std::string::npos);
}

TEST_CASE("an input that fails half way leaves the file as it was", "[actors][json_lines]") {
  const auto path = std::filesystem::temp_directory_path() / "weft_json_lines_half_test.jsonl";
  std::ofstream(path) << "earlier";
  {
    streams all("one\n");
    auto to = output::make(all.at, path.string());
    REQUIRE(to.ok());
    const auto code = answer_lines(all.in, *to, [&](const std::string& each) {
      all.in.setstate(std::ios::badbit);
      return shout(each);
    });
    REQUIRE_FALSE(code.ok());
    CHECK(code.error().message.find("is left as it was") != std::string::npos);
  }
  CHECK(std::filesystem::file_size(path) == 7);
  std::filesystem::remove(path);
}

TEST_CASE("a line that does not fit in memory leaves the others their answers",
          "[actors][json_lines]") {
  streams all("one\nhuge\ntwo\n");
  auto to = output::make(all.at, "-");
  REQUIRE(to.ok());
  const auto code = answer_lines(all.in, *to, [](const std::string& each) -> result<std::string> {
    if (each == "huge") throw std::bad_alloc();
    return each;
  });
  REQUIRE(code.ok());
  CHECK(*code == exit_failed);
  CHECK(all.out.str().find("line 2: ") != std::string::npos);
  CHECK(all.out.str().find("\ntwo\n") != std::string::npos);
}
