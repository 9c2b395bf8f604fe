#include <catch2/catch.hpp>

#include "actors/program/options.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

status check_even(std::string_view value) {
  if ((value.back() - '0') % 2 == 0) return {};
  return rejected("'" + std::string(value) + "' is odd");
}

const std::vector<option_rule> rules = {
    {.name = "--quiet", .kind = option_kind::flag, .sentence = "Says less."},
    {.name = "--name", .value_name = "TEXT", .sentence = "A name."},
    {.name = "--count",
     .kind = option_kind::integer,
     .value_name = "N",
     .fallback = "3",
     .sentence = "How many.",
     .least = -5,
     .most = 10},
    {.name = "--share",
     .kind = option_kind::real,
     .value_name = "X",
     .fallback = "0.5",
     .sentence = "A share.",
     .most = 1},
    {.name = "--room", .kind = option_kind::bytes, .value_name = "BYTES", .least = 1024},
    {.name = "--mode",
     .kind = option_kind::choice,
     .value_name = "M",
     .fallback = "fast",
     .choices = {"fast", "exact"},
     .repeatable = true},
    {.name = "--even", .value_name = "N", .check = check_even},
    {.name = "--length",
     .kind = option_kind::integer,
     .value_name = "N",
     .fallback = "16",
     .repeatable = true},
    {.name = "--extra", .kind = option_kind::integer, .value_name = "N", .repeatable = true},
};

result<options> parse(const std::vector<std::string>& arguments, std::size_t operands_max = 1) {
  return parse_options(rules, operands_max, arguments);
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto parsed = parse(arguments);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().kind == failure_kind::rejected);
  return parsed.error().message;
}

}  // namespace

TEST_CASE("options are given with a space or an equals sign", "[actors][options]") {
  const auto parsed = parse({"--name", "one", "--count=7", "--share", "0.25", "--room=2K"});
  REQUIRE(parsed.ok());
  CHECK(parsed->text("--name") == "one");
  CHECK(parsed->integer("--count") == 7);
  CHECK(parsed->real("--share") == 0.25);
  CHECK(parsed->integer("--room") == 2048);
  CHECK(parsed->given("--count"));
  CHECK_FALSE(parsed->flag("--quiet"));
}

TEST_CASE("an option that is not given has its fallback", "[actors][options]") {
  const auto parsed = parse({});
  REQUIRE(parsed.ok());
  CHECK(parsed->integer("--count") == 3);
  CHECK(parsed->real("--share") == 0.5);
  CHECK(parsed->text("--mode") == "fast");
  CHECK(parsed->text("--name").empty());
  CHECK(parsed->all("--mode").empty());
  CHECK_FALSE(parsed->given("--count"));
}

TEST_CASE("a value may hold equals signs and be negative", "[actors][options]") {
  const auto parsed = parse({"--name=a=b", "--count", "-5"});
  REQUIRE(parsed.ok());
  CHECK(parsed->text("--name") == "a=b");
  CHECK(parsed->integer("--count") == -5);
}

TEST_CASE("a repeatable option keeps all its values in order", "[actors][options]") {
  const auto parsed = parse({"--mode", "exact", "--mode=fast"});
  REQUIRE(parsed.ok());
  CHECK(parsed->all("--mode") == std::vector<std::string>{"exact", "fast"});
  CHECK(refusal({"--name", "a", "--name", "b"}) == "--name is given more than once");
}

TEST_CASE("a repeatable number reads as a list, with the fallback where none is given",
          "[actors][options]") {
  using numbers = std::vector<std::int64_t>;
  const auto given = parse({"--length", "2", "--length=1"});
  REQUIRE(given.ok());
  CHECK(given->integers("--length") == numbers{2, 1});
  const auto absent = parse({});
  REQUIRE(absent.ok());
  CHECK(absent->integers("--length") == numbers{16});
  CHECK(absent->integers("--extra").empty());
}

TEST_CASE("a dash alone and what follows two dashes are operands", "[actors][options]") {
  const auto dash = parse({"-"});
  REQUIRE(dash.ok());
  CHECK(dash->operands() == std::vector<std::string>{"-"});
  const auto after = parse({"--", "--name"});
  REQUIRE(after.ok());
  CHECK(after->operands() == std::vector<std::string>{"--name"});
  CHECK(refusal({"one", "two"}) == "'two' is one argument too many");
}

TEST_CASE("an unknown option names the nearest known one", "[actors][options]") {
  CHECK(refusal({"--coutn", "3"}) == "unknown option '--coutn'; the nearest known one is --count");
  CHECK(refusal({"--zzzzzzzzzzzzzz"}) ==
        "unknown option '--zzzzzzzzzzzzzz'; --help lists the known ones");
  CHECK(refusal({"-n", "3"}).find("unknown option '-n'") == 0);
}

TEST_CASE("a bad value names its option and what it takes", "[actors][options]") {
  CHECK(refusal({"--count", "x"}) == "--count got 'x'; it takes a whole number from -5 to 10");
  CHECK(refusal({"--count", "11"}) == "--count got '11'; it takes a whole number from -5 to 10");
  CHECK(refusal({"--count", "99999999999999999999"}).find("--count got") == 0);
  CHECK(refusal({"--count", ""}).find("--count got ''") == 0);
  CHECK(refusal({"--share", "1.5"}) == "--share got '1.5'; it takes a number from 0 to 1");
  CHECK(refusal({"--share", "nan"}).find("--share got 'nan'") == 0);
  CHECK(refusal({"--room", "512"}).find("--room got '512'") == 0);
  CHECK(refusal({"--room", "4Q"}).find("--room got '4Q'") == 0);
  CHECK(refusal({"--name", ""}).find("--name got ''") == 0);
  CHECK(refusal({"--mode", "fats"}) ==
        "--mode got 'fats'; it takes one of fast, exact; did you mean fast?");
  CHECK(refusal({"--even", "3"}) == "--even: '3' is odd");
}

TEST_CASE("a missing value and a value too many are refused", "[actors][options]") {
  CHECK(refusal({"--name"}) == "--name needs a value: --name TEXT");
  CHECK(refusal({"--name", "--quiet"}) == "--name needs a value: --name TEXT");
  CHECK(refusal({"--quiet=yes"}) == "--quiet takes no value");
}

TEST_CASE("a required option must be there, unless help is wanted", "[actors][options]") {
  const std::vector<option_rule> strict = {
      {.name = "--model", .value_name = "DIR", .required = true}};
  const std::vector<std::string> nothing;
  const auto missing = parse_options(strict, 0, nothing);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message == "--model DIR is missing");
  const std::vector<std::string> help = {"--help"};
  const auto helped = parse_options(strict, 0, help);
  REQUIRE(helped.ok());
  CHECK(helped->wants_help());
}

TEST_CASE("bytes take powers of 1024 and refuse what does not fit", "[actors][options]") {
  const std::vector<std::pair<std::string, std::int64_t>> good = {{"0", 0},
                                                                  {"4096", 4096},
                                                                  {"1K", 1024},
                                                                  {"3m", 3 << 20},
                                                                  {"2G", std::int64_t{2} << 30},
                                                                  {"1T", std::int64_t{1} << 40}};
  for (const auto& [text, bytes] : good) {
    const auto parsed = parse_bytes(text);
    REQUIRE(parsed.ok());
    CHECK(*parsed == bytes);
  }
  for (const std::string bad : {"", "K", "-1", "1.5G", "1KB", "9999999999G", "0x10", " 1"})
    CHECK_FALSE(parse_bytes(bad).ok());
}

TEST_CASE("help has a line for each option with its default", "[actors][options]") {
  const std::string page = explain_options(rules);
  CHECK(page.find("--count N") != std::string::npos);
  CHECK(page.find("How many. Default: 3.\n") != std::string::npos);
  CHECK(page.find("May be given several times.") != std::string::npos);
  CHECK(std::count(page.begin(), page.end(), '\n') == static_cast<std::ptrdiff_t>(rules.size()));
}
