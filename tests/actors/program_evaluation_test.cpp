#include <catch2/catch.hpp>

#include "actors/program/evaluation.hpp"

using namespace weft::actors;

TEST_CASE("exact match strips both sides and compares the texts", "[actors][evaluation]") {
  CHECK(exact_match(" 9100\n", "9100") == 1);
  CHECK(exact_match("9100.", "9100") == 0);
  CHECK(exact_match("a  b", "a b") == 0);
  CHECK(exact_match("", "  ") == 1);
}

TEST_CASE("F1 counts words as multisets with semicolons read as spaces", "[actors][evaluation]") {
  CHECK(word_f1("a;b", "a b") == 1);
  CHECK(word_f1("b a", "a b") == 1);
  CHECK(word_f1("a b", "a c") == 0.5);
  CHECK(word_f1("a a", "a") == Approx(2.0 / 3.0));
  CHECK(word_f1("a a b", "a b b") == Approx(2.0 / 3.0));
  CHECK(word_f1("x", "y") == 0);
  CHECK(word_f1("a", "a b c") == 0.5);
}

TEST_CASE("F1 of texts without words is 1 for two of them and 0 for one", "[actors][evaluation]") {
  CHECK(word_f1(" ; ", "") == 1);
  CHECK(word_f1("", "a") == 0);
  CHECK(word_f1("a", ";") == 0);
}

TEST_CASE("marks are percent of the answers", "[actors][evaluation]") {
  marks some;
  CHECK(some.exact_percent() == 0);
  CHECK(some.f1_percent() == 0);
  some.add("a", "a");
  some.add("a b", "a c");
  CHECK(some.answers == 2);
  CHECK(some.exact_percent() == 50);
  CHECK(some.f1_percent() == 75);
}
