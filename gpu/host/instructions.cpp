#include "gpu/host/instructions.hpp"

#include <array>
#include <string>

#include <xmmintrin.h>

#include "gpu/host/kernels/kernels.hpp"

namespace weft::gpu {
namespace {

constexpr std::array<std::pair<instruction_set, std::string_view>, 4> names = {{
    {instruction_set::automatic, "auto"},
    {instruction_set::sse2, "sse2"},
    {instruction_set::avx2, "avx2"},
    {instruction_set::avx512, "avx512"},
}};

}  // namespace

std::string_view name_of(instruction_set instructions) {
  return names[static_cast<std::size_t>(instructions)].second;
}

result<instruction_set> parse_instruction_set(std::string_view name) {
  for (const auto& [value, known] : names)
    if (known == name) return value;
  return rejected("unknown instruction set '" + std::string(name) +
                  "'; known are auto, sse2, avx2, avx512");
}

instruction_set widest_instruction_set() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return instruction_set::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return instruction_set::avx2;
  return instruction_set::sse2;
}

result<instruction_set> settle_instruction_set(instruction_set wanted) {
  const instruction_set widest = widest_instruction_set();
  if (wanted == instruction_set::automatic) return widest;
  if (wanted > widest)
    return rejected("this processor has no " + std::string(name_of(wanted)) +
                    "; the widest it has is " + std::string(name_of(widest)));
  return wanted;
}

void flush_subnormals() {
  constexpr unsigned flush_results = 0x8000;
  constexpr unsigned flush_operands = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_results | flush_operands);
}

const kernel_table& kernels_of(instruction_set instructions) {
  switch (instructions) {
    case instruction_set::avx512: return isa_avx512::table();
    case instruction_set::avx2: return isa_avx2::table();
    default: return isa_sse2::table();
  }
}

}  // namespace weft::gpu
