#include <catch2/catch.hpp>

#include "actors/program/table.hpp"

using namespace weft::actors;

TEST_CASE("a table's columns are as wide as their widest cell", "[actors][table]") {
  table lines({{"name", side::left}, {"n"}, {"why", side::left}});
  lines.add({"a", "1000", "-"});
  lines.add({"longer", "7", "because"});
  CHECK(lines.text("> ") ==
        "> name       n  why\n"
        "> a       1000  -\n"
        "> longer     7  because\n");
}

TEST_CASE("a number has as many places as asked for", "[actors][table]") {
  CHECK(fixed(1.005, 1) == "1.0");
  CHECK(fixed(2.0 / 3.0, 3) == "0.667");
  CHECK(fixed(-4, 0) == "-4");
}
