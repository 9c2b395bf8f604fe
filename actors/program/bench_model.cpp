#include "actors/program/bench_model.hpp"

#include "gpu/checkpoint/model_config.hpp"
#include "gpu/checkpoint/random_weights.hpp"

namespace weft::actors {

result<loaded_model> load_bench_model(const options& given, console* watched) {
  if (given.given("--model"))
    return load_model(given, {.tokenizer = loading::tokenizer_need::if_present,
                              .runs_on_past_end = true,
                              .watched = watched});
  auto shape = gpu::read_shape(given.text("--config"));
  if (!shape) return shape.error();
  shape->end_tokens.clear();
  const auto seed = static_cast<std::uint64_t>(given.integer("--seed"));
  auto weights = gpu::random_weights(*shape, seed);
  if (!weights) return weights.error();
  return adopt_weights(given, std::move(*weights), "random-" + std::to_string(seed));
}

}  // namespace weft::actors
