#include "gpu/reference/affine.hpp"

namespace weft::gpu::reference {

affine identity_map(std::int64_t key_dim, std::int64_t value_dim) {
  return {.transition = identity(key_dim), .offset = matrix(key_dim, value_dim)};
}

matrix apply(const affine& map, const matrix& state) {
  return sum(product(map.transition, state), map.offset);
}

affine compose(const affine& later, const affine& earlier) {
  return {.transition = product(later.transition, earlier.transition),
          .offset = apply(later, earlier.offset)};
}

}  // namespace weft::gpu::reference
