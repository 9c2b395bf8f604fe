#include "gpu/host/weights.hpp"

namespace weft::gpu {

std::vector<float> floats_of(const tensor_view& tensor) { return stacked_floats({&tensor}); }

std::vector<float> floats_of(const stacked_view& stack) {
  std::vector<float> all(static_cast<std::size_t>(stack.elements()));
  to_float32(stack, all);
  return all;
}

std::vector<float> stacked_floats(std::initializer_list<const tensor_view*> matrices) {
  std::int64_t elements = 0;
  for (const tensor_view* matrix : matrices) elements += matrix->elements();
  std::vector<float> all(static_cast<std::size_t>(elements));
  std::int64_t first = 0;
  for (const tensor_view* matrix : matrices) {
    to_float32(*matrix, 0,
               std::span(all).subspan(static_cast<std::size_t>(first),
                                      static_cast<std::size_t>(matrix->elements())));
    first += matrix->elements();
  }
  return all;
}

std::vector<float> one_plus(const tensor_view& tensor) {
  std::vector<float> values = floats_of(tensor);
  for (float& value : values) value += 1.0F;
  return values;
}

}  // namespace weft::gpu
