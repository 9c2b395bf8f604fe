// The program `weft`.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "actors/program/console.hpp"
#include "actors/program/words.hpp"

int main(int count, char** values) {
  // A reader that goes away is a failed write with a sentence, not a death without one.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // The same for a file at its limit.
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  weft::actors::console at = weft::actors::process_console();
  const int code = weft::actors::run_program(arguments, at);
  std::cout.flush();
  if (code != weft::actors::exit_done || std::cout) return code;
  std::cerr << "weft: standard output takes no more\n";
  return weft::actors::exit_failed;
}
