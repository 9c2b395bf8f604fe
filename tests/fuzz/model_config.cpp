// config.json: any bytes are a shape whose tensors can be laid out in little memory, or a failure.
#include "gpu/checkpoint/model_config.hpp"

#include "gpu/checkpoint/weight_layout.hpp"
#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"

namespace weft::gpu {
namespace {

// Every tensor is missing; in a file where experts are fused, then where they are apart.
void lay_out_nothing(const model_shape& shape) {
  for (const bool fused : {true, false}) {
    const auto take = [](const wanted_tensor& wanted) {
      std::int64_t elements = 1;
      for (const std::int64_t extent : wanted.dims) {
        WEFT_ASSERT(extent > 0);
        elements *= extent;
      }
      WEFT_ASSERT(elements > 0);  // The bounds keep it below 2^63.
      tensor_view missing;
      missing.name = wanted.name;
      missing.dims = wanted.dims;
      return missing;
    };
    const model_weights weights =
        lay_out(shape, "model.", "lm_head.weight",
                {.take = take, .holds = [fused](const std::string&) { return fused; }});
    WEFT_ASSERT(weights.layers.size() == shape.layers.size());
  }
}

}  // namespace
}  // namespace weft::gpu

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto shape = weft::gpu::parse_shape("config.json", weft::fuzz::text_of(data, size));
  if (!shape.ok()) {
    WEFT_ASSERT(!shape.error().message.empty());
    return 0;
  }
  WEFT_ASSERT(shape->vocabulary > 0 && shape->hidden > 0 && !shape->layers.empty());
  WEFT_ASSERT(weft::gpu::bytes_per_entry(*shape, 512).total() > 0);
  weft::gpu::lay_out_nothing(*shape);
  return 0;
}
