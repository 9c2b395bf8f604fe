// The kernel tables that kernels.cpp is compiled into, one per instruction set.
#pragma once

#include "gpu/host/kernel_table.hpp"

namespace weft::gpu {

namespace isa_sse2 {
const kernel_table& table();
}
namespace isa_avx2 {
const kernel_table& table();
}
namespace isa_avx512 {
const kernel_table& table();
}

}  // namespace weft::gpu
