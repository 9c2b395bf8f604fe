#include <sstream>

#include <catch2/catch.hpp>

#include "actors/program/progress.hpp"

using namespace weft::actors;

namespace {

std::string shown(bool terminal, bool wanted) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  console at{.in = in, .out = out, .err = err, .err_is_terminal = terminal};
  {
    progress bar(at, "samples", 3, wanted);
    for (int i = 0; i < 3; ++i) bar.advance();
  }
  CHECK(out.str().empty());
  return err.str();
}

}  // namespace

TEST_CASE("a bar shows on a terminal, ends full and wipes itself", "[actors][progress]") {
  const std::string text = shown(true, true);
  CHECK(text.find("0/3 samples") != std::string::npos);
  CHECK(text.find("3/3 samples") != std::string::npos);
  CHECK(text.substr(text.size() - 4) == "\r\x1b[K");
}

TEST_CASE("a bar reaches what is told, and no more than all", "[actors][progress]") {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  console at{.in = in, .out = out, .err = err, .err_is_terminal = true};
  {
    progress bar(at, "MiB", 300, true);
    bar.reach(1000);
  }
  CHECK(err.str().find("0/300 MiB") != std::string::npos);
  CHECK(err.str().find("300/300 MiB") != std::string::npos);
}

TEST_CASE("no bar shows where nobody watches or nobody wants it", "[actors][progress]") {
  CHECK(shown(false, true).empty());
  CHECK(shown(true, false).empty());
}
