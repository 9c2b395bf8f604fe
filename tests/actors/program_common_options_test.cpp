#include <catch2/catch.hpp>

#include "actors/program/common_options.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

options parse(const std::vector<std::string>& arguments) {
  const auto rules = join_rules({{mode_option("", true)},
                                 reuse_option_rules(),
                                 sampling_option_rules(),
                                 engine_option_rules()});
  const auto parsed = parse_options(rules, 0, arguments);
  if (!parsed) FAIL(parsed.error().message);
  return *parsed;
}

std::string refusal(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(engine_option_rules(), 0, arguments);
  return parsed ? "" : parsed.error().message;
}

}  // namespace

TEST_CASE("the seam is the profile's, cut to the mode, unless options say otherwise",
          "[actors][common_options]") {
  const seam profile = {.head_tokens = 8, .tail_tokens = 16};
  const options silent = parse({});
  CHECK(seam_of(silent, reuse_mode::stitched, profile) == seam{8, 16});
  CHECK(seam_of(silent, reuse_mode::transition_rope_recompute, profile) == seam{8, 0});
  CHECK(seam_of(silent, reuse_mode::addition, profile) == seam{0, 0});
  const options tail = parse({"--tail-tokens", "4"});
  CHECK(seam_of(tail, reuse_mode::stitched, profile) == seam{8, 4});
  CHECK(seam_of(tail, reuse_mode::addition, profile) == seam{0, 4});
  const options none = parse({"--head-tokens=0", "--tail-tokens=0"});
  CHECK(seam_of(none, reuse_mode::stitched, profile) == seam{0, 0});
}

TEST_CASE("modes that splice nothing have no seam, whatever options say",
          "[actors][common_options]") {
  const options wide = parse({"--head-tokens=8", "--tail-tokens=8"});
  CHECK(seam_of(wide, reuse_mode::full_recompute, {}) == seam{0, 0});
  CHECK(seam_of(wide, reuse_mode::prefix_cache, {}) == seam{0, 0});
}

TEST_CASE("modes are those named, in order, else the word's own", "[actors][common_options]") {
  CHECK(modes_of(parse({"--mode=addition", "--mode=stitched"}), {reuse_mode::prefix_cache}) ==
        std::vector{reuse_mode::addition, reuse_mode::stitched});
  CHECK(modes_of(parse({}), {reuse_mode::prefix_cache}) == std::vector{reuse_mode::prefix_cache});
}

TEST_CASE("engine options reach the engine", "[actors][common_options]") {
  const auto engine = engine_options_of(
      parse({"--threads", "2", "--instructions", "avx2", "--cache-bytes", "64M"}));
  REQUIRE(engine.ok());
  CHECK(engine->threads == 2);
  CHECK(engine->instructions == gpu::instruction_set::avx2);
  CHECK(engine->page_bytes_max == 32 << 20);
  CHECK(engine->slot_bytes_max == 32 << 20);
  const auto plain = engine_options_of(parse({}));
  REQUIRE(plain.ok());
  CHECK(plain->threads == 0);
  CHECK(plain->instructions == gpu::instruction_set::automatic);
}

TEST_CASE("eviction is by value unless told otherwise", "[actors][common_options]") {
  CHECK(eviction_of(parse({})) == eviction_policy::value_per_byte);
  CHECK(eviction_of(parse({"--eviction", "value"})) == eviction_policy::value_per_byte);
  CHECK(eviction_of(parse({"--eviction=lru"})) == eviction_policy::least_recent);
  CHECK(refusal({"--eviction", "lfu"}).find("--eviction got 'lfu'") == 0);
}

TEST_CASE("a CUDA device is understood and refused by this build", "[actors][common_options]") {
  CHECK(engine_options_of(parse({"--device", "host"})).ok());
  CHECK(engine_options_of(parse({"--device", "auto"})).ok());
  const auto cuda = engine_options_of(parse({"--device", "cuda:1"}));
  REQUIRE_FALSE(cuda.ok());
  CHECK(cuda.error().kind == failure_kind::unavailable);
  CHECK(cuda.error().message ==
        "this build has no CUDA engine for 'cuda:1'; use --device host or auto");
}

TEST_CASE("devices, threads and steps out of range are refused by name",
          "[actors][common_options]") {
  CHECK(refusal({"--device", "tpu"}) == "--device: 'tpu' is no device; use host or auto");
  CHECK(refusal({"--device", "cuda:"}).find("--device: 'cuda:'") == 0);
  CHECK(refusal({"--threads", "0"}).find("--threads got '0'") == 0);
  CHECK(refusal({"--threads", "16"}).empty());
  CHECK(refusal({"--cache-bytes", "8000000T"}) ==
        "--cache-bytes got '8000000T'; it takes bytes such as 512M or 4G, from 1048576 to "
        "9000000000000000");
  const std::string crowd = refusal({"--threads", "100000"});
  CHECK(crowd.find("--threads got '100000'; it takes a whole number from 1 to ") == 0);
  CHECK(std::stol(crowd.substr(crowd.rfind(' '))) >= 16);
  CHECK(refusal({"--step-tokens-max", "100"}) == "--step-tokens-max: '100' is no multiple of 64");
  CHECK(refusal({"--step-tokens-max", "128"}).empty());
  CHECK(refusal({"--cache-bytes", "1K"}).find("--cache-bytes got '1K'") == 0);
}

TEST_CASE("sampling options reach the draw", "[actors][common_options]") {
  const gpu::sampling draw =
      sampling_of(parse({"--temperature=0.7", "--top-k=5", "--top-p=0.9", "--seed=42"}));
  CHECK(draw.temperature == 0.7);
  CHECK(draw.top_k == 5);
  CHECK(draw.top_p == 0.9);
  CHECK(draw.seed == 42);
  const gpu::sampling greedy = sampling_of(parse({}));
  CHECK(greedy.temperature == 0);
  CHECK(greedy.top_k == 0);
  CHECK(greedy.top_p == 1);
}
