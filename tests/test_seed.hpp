// The seed of a random test: the same in every run, unless WEFT_TEST_SEED names another one.
//
// A failure comes back on every machine until it is repaired, and a log tells what was tried. New
// cases come from new seeds, which a loop over the variable gives.
#pragma once

#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <catch2/catch.hpp>

namespace weft {

// `usual`, or what WEFT_TEST_SEED says. Prints it, whether or not the test passes.
// Requires: a test case runs.
inline unsigned test_seed(unsigned usual) {
  unsigned seed = usual;
  if (const char* wanted = std::getenv("WEFT_TEST_SEED")) {
    const std::string_view text = wanted;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
      FAIL("WEFT_TEST_SEED is \"" << text << "\", not a number from 0 to 4294967295");
  }
  std::cout << "seed " << seed << " of \"" << Catch::getResultCapture().getCurrentTestName()
            << "\"\n";
  return seed;
}

}  // namespace weft
