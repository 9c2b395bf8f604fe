// The instruction set that WEFT_TEST_INSTRUCTIONS names: ctest runs tests that bits hang on once
// more for each set, in a process of its own.
#pragma once

#include <cstdlib>

#include <catch2/catch.hpp>

#include "gpu/host/instructions.hpp"

namespace weft::gpu::testing {

inline instruction_set chosen_instructions() {
  const char* name = std::getenv("WEFT_TEST_INSTRUCTIONS");
  if (name == nullptr) return instruction_set::automatic;
  const auto parsed = parse_instruction_set(name);
  REQUIRE(parsed.ok());
  return *parsed;
}

// False, with a word that ctest takes for "skipped", where the processor lacks the chosen set.
inline bool can_run_chosen_instructions() {
  if (chosen_instructions() <= widest_instruction_set()) return true;
  WARN("skipped: this processor has no " << name_of(chosen_instructions()));
  return false;
}

}  // namespace weft::gpu::testing
