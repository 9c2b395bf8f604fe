#include "gpu/host/weight_check.hpp"

#include <cmath>

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

TEST_CASE("whole weights are found whole", "[gpu][weight_check]") {
  CHECK(complaint_of(testing::tiny_model()).empty());
}

TEST_CASE("one bad number in any kind of weights is found and named", "[gpu][weight_check]") {
  struct plan {
    std::function<tensor_view&(model_weights&)> of;
    std::string name;
  };
  const auto linear = [](model_weights& all) -> gated_delta_weights& {
    return std::get<gated_delta_weights>(all.layers[2].mixer);
  };
  const auto attention = [](model_weights& all) -> gated_attention_weights& {
    for (layer_weights& each : all.layers)
      if (auto* found = std::get_if<gated_attention_weights>(&each.mixer)) return *found;
    FAIL("no attention layer");
    std::abort();
  };
  const std::vector<plan> plans = {
      {[](model_weights& all) -> tensor_view& { return all.embedding; }, "embed"},
      {[](model_weights& all) -> tensor_view& { return all.layers[1].input_norm; },
       "layer 1, input norm"},
      {[&](model_weights& all) -> tensor_view& { return linear(all).in_a; },
       "layer 2, linear attention's input"},
      {[&](model_weights& all) -> tensor_view& { return linear(all).conv; },
       "layer 2, convolution"},
      {[&](model_weights& all) -> tensor_view& { return linear(all).dt_bias; },
       "layer 2, time biases"},
      {[&](model_weights& all) -> tensor_view& { return attention(all).key; },
       "query, gate, key and value"},
      {[&](model_weights& all) -> tensor_view& { return attention(all).out; },
       "attention's output"},
      {[](model_weights& all) -> tensor_view& { return all.final_norm; }, "final norm"}};
  for (const plan& each : plans) {
    model_weights weights = testing::tiny_model();
    std::vector<float> storage;
    plant(each.of(weights), storage, std::nanf(""));
    const std::string told = complaint_of(weights);
    CAPTURE(told);
    CHECK(told.find(each.name) != std::string::npos);
  }
}

}  // namespace weft::gpu
