// model.safetensors.index.json: any bytes are plain file names with tensors, or a failure.
#include "gpu/checkpoint/shard_map.hpp"

#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto shards = weft::gpu::parse_shard_map("the index", weft::fuzz::text_of(data, size));
  if (!shards.ok()) {
    WEFT_ASSERT(!shards.error().message.empty());
    return 0;
  }
  WEFT_ASSERT(!shards->empty());
  for (const auto& [file, tensors] : *shards) {
    WEFT_ASSERT(!tensors.empty());
    WEFT_ASSERT(std::filesystem::path(file).filename() == file && file != "." && file != "..");
  }
  return 0;
}
