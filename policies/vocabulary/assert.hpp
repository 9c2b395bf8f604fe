// WEFT_ASSERT(condition): for our own bugs only; stays on in release builds and aborts with the
// place. Operating trouble (bad input, full pools, dead peers) is a `failure`, never an assertion.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace weft {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "weft: assertion failed at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace weft

#define WEFT_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::weft::assertion_failed(#condition, __FILE__, __LINE__))
