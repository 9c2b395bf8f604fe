#include "gpu/host/host_model.hpp"

#include <cmath>
#include <functional>

#include <catch2/catch.hpp>

#include "gpu/host/host_engine.hpp"
#include "tests/gpu/golden.hpp"

namespace weft::gpu {
namespace {

// A float32 copy of a tensor of which one element, the last, is `bad`; owned by `storage`.
void plant(tensor_view& in, std::vector<float>& storage, float bad) {
  storage.resize(static_cast<std::size_t>(in.elements()));
  to_float32(in, 0, storage);
  storage.back() = bad;
  in.type = element_type::float32;
  in.bytes = std::as_bytes(std::span(storage));
}

std::string complaint_of(model_weights weights) {
  auto made = host_engine::make(std::move(weights), {.threads = 2});
  REQUIRE(made.ok());
  const status checked = (*made)->check_weights();
  if (checked.ok()) return "";
  CHECK(checked.error().kind == failure_kind::broken);
  return checked.error().message;
}

}  // namespace

TEST_CASE("whole weights are found whole", "[gpu][host_model]") {
  CHECK(complaint_of(testing::tiny_model()).empty());
}

TEST_CASE("one bad number in any kind of weights is found and its tensor named",
          "[gpu][host_model]") {
  const auto linear = [](model_weights& all) -> gated_delta_weights& {
    return std::get<gated_delta_weights>(all.layers[2].mixer);
  };
  const std::vector<std::function<tensor_view&(model_weights&)>> plans = {
      [](model_weights& all) -> tensor_view& { return all.embedding; },
      [](model_weights& all) -> tensor_view& { return all.layers[1].input_norm; },
      [&](model_weights& all) -> tensor_view& { return linear(all).in_a.blocks[0]; },
      [&](model_weights& all) -> tensor_view& { return linear(all).dt_bias; },
      [](model_weights& all) -> tensor_view& { return all.final_norm; }};
  for (const auto& of : plans) {
    model_weights weights = testing::tiny_model();
    std::vector<float> storage;
    plant(of(weights), storage, std::nanf(""));
    const std::string name = of(weights).name;
    const std::string told = complaint_of(std::move(weights));
    CAPTURE(told);
    CHECK(told.find(name) != std::string::npos);
  }
}

}  // namespace weft::gpu
