// safetensors: any bytes are tensors that lie within the file and may be read, or a failure.
#include "gpu/checkpoint/safetensors.hpp"

#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"

namespace weft::gpu {
namespace {

void check(const stored_tensor& tensor, std::span<const std::byte> file) {
  if (tensor.type) {
    std::uint64_t wanted = static_cast<std::uint64_t>(bytes_of(*tensor.type));
    for (const std::int64_t extent : tensor.dims) wanted *= static_cast<std::uint64_t>(extent);
    WEFT_ASSERT(tensor.bytes.size() == wanted);
  }
  if (tensor.bytes.empty()) return;
  WEFT_ASSERT(tensor.bytes.data() >= file.data());
  WEFT_ASSERT(tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size());
}

}  // namespace
}  // namespace weft::gpu

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = weft::fuzz::bytes_of(data, size);
  const auto tensors = weft::gpu::parse_safetensors("model.safetensors", file);
  if (!tensors.ok()) {
    WEFT_ASSERT(!tensors.error().message.empty());
    return 0;
  }
  for (std::size_t i = 0; i < tensors->size(); ++i) {
    weft::gpu::check((*tensors)[i], file);
    WEFT_ASSERT(i == 0 || (*tensors)[i - 1].name < (*tensors)[i].name);
  }
  return 0;
}
