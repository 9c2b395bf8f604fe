# Compile options shared by every room: warnings are errors in our code, never in a library's headers.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# -O2: the kernels ask for more themselves, and nothing else gains from the longer build.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${WEFT_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEFT_CCACHE})
endif()

add_library(weft_options INTERFACE)
# -ffp-contract=off: a fused multiply-add is written where it is meant, so that bits do not hang on
# how the compiler groups an expression.
target_compile_options(weft_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # GCC 12 warns inside its own std::string (its PR 105651).
  -ffp-contract=off)
if(WEFT_SANITIZE)
  # -O1 and line tables only: at -O2 -g the build takes twice as long and finds nothing more. A finding
  # ends the program; the library's own assertions do too.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -D_GLIBCXX_ASSERTIONS")
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()

# A room's library: warnings as errors, includes from the repository's root ("room/part/noun.hpp").
function(weft_room name)
  add_library(${name} STATIC)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE weft_options)
endfunction()
