#include "actors/program/console.hpp"

#include <cstdlib>
#include <iostream>

#include <unistd.h>

namespace weft::actors {

console process_console() {
  const char* no_color = std::getenv("NO_COLOR");
  return {.in = std::cin,
          .out = std::cout,
          .err = std::cerr,
          .out_is_terminal = isatty(STDOUT_FILENO) == 1,
          .err_is_terminal = isatty(STDERR_FILENO) == 1,
          .colours = no_color == nullptr || *no_color == '\0'};
}

}  // namespace weft::actors
