// Which instruction set the host engine's kernels run on.
#pragma once

#include <string_view>

#include "gpu/door/numerics.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

std::string_view name_of(instruction_set instructions);
result<instruction_set> parse_instruction_set(std::string_view name);

// The widest set that this processor has.
instruction_set widest_instruction_set();

// `wanted`, or the widest for automatic. `rejected` where the processor lacks it. Threads: any.
result<instruction_set> settle_instruction_set(instruction_set wanted);

// From here on this thread takes floats below 2^-126 as 0, in and out. A head whose gates have
// closed scales its state down to such numbers, and some processors need a hundred cycles for each.
void flush_subnormals();

}  // namespace weft::gpu
