#include "gpu/host/instructions.hpp"

#include <array>
#include <mutex>
#include <optional>
#include <string>

#include <dnnl.hpp>

#include "gpu/host/kernels/kernels.hpp"

namespace weft::gpu {
namespace {

constexpr std::array<std::pair<instruction_set, std::string_view>, 4> names = {{
    {instruction_set::automatic, "auto"},
    {instruction_set::sse2, "sse2"},
    {instruction_set::avx2, "avx2"},
    {instruction_set::avx512, "avx512"},
}};

// False: oneDNN was used before and stays as wide as it is.
bool limit_dnnl(instruction_set chosen) {
  const auto limit = [](dnnl::cpu_isa isa) {
    return dnnl::set_max_cpu_isa(isa) == dnnl::status::success;
  };
  switch (chosen) {
    case instruction_set::sse2: return limit(dnnl::cpu_isa::sse41);
    case instruction_set::avx2: return limit(dnnl::cpu_isa::avx2);
    default: return limit(dnnl::cpu_isa::avx512_core);
  }
}

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
  static std::mutex mutex;
  static std::optional<instruction_set> settled;
  const std::lock_guard lock(mutex);
  const instruction_set widest = widest_instruction_set();
  if (wanted == instruction_set::automatic) wanted = settled.value_or(widest);
  if (wanted > widest)
    return rejected("this processor has no " + std::string(name_of(wanted)) +
                    "; the widest it has is " + std::string(name_of(widest)));
  if (settled && *settled != wanted)
    return rejected("this process already runs on " + std::string(name_of(*settled)) +
                    "; start another one for " + std::string(name_of(wanted)));
  if (!settled && !limit_dnnl(wanted))
    return rejected("oneDNN was used in this process before it could be limited to " +
                    std::string(name_of(wanted)) + "; make the engine first");
  settled = wanted;
  return wanted;
}

const kernel_table& kernels_of(instruction_set instructions) {
  switch (instructions) {
    case instruction_set::avx512: return isa_avx512::table();
    case instruction_set::avx2: return isa_avx2::table();
    default: return isa_sse2::table();
  }
}

}  // namespace weft::gpu
