// The kernel table of one instruction set. CMake compiles this file once per set, with WEFT_ISA
// naming the namespace and the compiler flags that belong to it.
#include "gpu/host/kernels/kernels.hpp"

#include "gpu/host/kernels/attention.hpp"
#include "gpu/host/kernels/gated_delta.hpp"
#include "gpu/host/kernels/gated_delta_token.hpp"
#include "gpu/host/kernels/packed_product.hpp"
#include "gpu/host/kernels/row_kernels.hpp"

namespace weft::gpu::WEFT_ISA {

const kernel_table& table() {
  static constexpr kernel_table kernels = {
      .rms_norm = rms_norm,
      .conv_silu = conv_silu,
      .l2_norm = l2_norm,
      .gated_delta_chunk = gated_delta_chunk,
      .gated_delta_token = gated_delta_token,
      .splice = splice,
      .identity_share = identity_share,
      .attention = attention,
      .rope = rope,
      .panel_cols = panel_cols,
      .pack_rows = pack_rows,
      .product_rows = product_rows,
      .silu_multiply = silu_multiply,
      .sigmoid_multiply = sigmoid_multiply,
      .add = add_to,
  };
  return kernels;
}

}  // namespace weft::gpu::WEFT_ISA
