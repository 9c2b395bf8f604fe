// Writes small checkpoints for tests: any shape, single or sharded, plain or wrapped, in any of the
// element types, and as wrong as a test wants them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/model/model_shape.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu::testing {

// A folder of its own, removed with everything in it at the end.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path& path, std::string_view content);
std::string read_file(const std::filesystem::path& path);

struct written_tensor {
  std::string name;
  std::string type;  // As the header spells it.
  std::vector<std::int64_t> dims;
  std::string bytes;
};

// `values` rounded to `type` (towards zero for the short ones: tests do not need better).
written_tensor make_tensor(std::string name, element_type type, std::vector<std::int64_t> dims,
                           const std::vector<float>& values);

// A whole file: header length, header, data.
std::string safetensors_file(const std::vector<written_tensor>& tensors);
std::string safetensors_file(std::string_view header, std::string_view data);

struct checkpoint_layout {
  element_type type = element_type::bfloat16;
  bool wrapped = false;  // text_config, `model.language_model.`, vision and mtp tensors beside.
  bool fused_experts = true;  // One tensor for all experts, or three for each.
};

// A checkpoint in memory, to be changed by the test and then written.
struct synthetic_checkpoint {
  std::string config;
  std::vector<written_tensor> tensors;

  written_tensor& tensor(std::string_view name);  // Requires: there is one.
  void remove(std::string_view name);
  void write(const std::filesystem::path& folder, int shards = 1) const;
};

// Four layers (linear, attention, linear, linear), odd head ratios, conv kernel 3, untied.
model_shape small_shape();

// The same with seven experts, of which a token visits three, and a shared one (Qwen3.5 MoE).
model_shape small_sparse_shape();

// The same with Qwen3-Next's grouped projections, weights left as the softmax gives them, and one
// dense layer among sparse ones.
model_shape small_next_shape();

// Random weights of `shape` (A_log and norms in sane ranges), and the configuration that says so.
synthetic_checkpoint make_checkpoint(const model_shape& shape, const checkpoint_layout& layout,
                                     std::uint64_t seed);

}  // namespace weft::gpu::testing
