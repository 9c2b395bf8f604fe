// Which instruction set the host engine runs on. One switch limits oneDNN and our own kernels
// alike.
#pragma once

#include <string_view>

#include "gpu/door/numerics.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

std::string_view name_of(instruction_set instructions);
result<instruction_set> parse_instruction_set(std::string_view name);

// The widest set that this processor has.
instruction_set widest_instruction_set();

// Settles the process on `wanted` (automatic: the widest) and returns it. oneDNN can be limited
// once a process, before its first use, so the first call decides: a later one with another set is
// `rejected`. `rejected` too where the processor lacks the set. Threads: any.
result<instruction_set> settle_instruction_set(instruction_set wanted);

}  // namespace weft::gpu
