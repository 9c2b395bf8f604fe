// The streams that a word talks to, and whether a person watches them.
//
// Passed in, so that tests run words without a process of their own. Threads: the word's thread
// only.
#pragma once

#include <iosfwd>

namespace weft::actors {

struct console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;  // NO_COLOR is unset; used on terminals only.
};

// Standard input, output and error of this process.
console process_console();

}  // namespace weft::actors
