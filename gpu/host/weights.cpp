#include "gpu/host/weights.hpp"

namespace weft::gpu {

std::vector<float> floats_of(const tensor_view& tensor) {
  std::vector<float> floats(static_cast<std::size_t>(tensor.elements()));
  to_float32(tensor, 0, floats);
  return floats;
}

std::vector<float> one_plus(const tensor_view& tensor) {
  std::vector<float> values = floats_of(tensor);
  for (float& value : values) value += 1.0F;
  return values;
}

}  // namespace weft::gpu
