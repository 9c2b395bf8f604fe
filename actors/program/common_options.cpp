#include "actors/program/common_options.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

// More threads than processors only wait for one another: each part of a step ends when the last
// one is done. Some more are allowed, to see that answers do not depend on their number.
constexpr unsigned threads_per_processor_max = 4;
constexpr unsigned threads_always = 16;
// A seam longer than this is a recomputation.
constexpr double seam_tokens_max = 65536;
constexpr double positions_most = 1 << 24;
// Below this not even one entry of the bundled checkpoint fits.
constexpr double cache_bytes_least = 1 << 20;

status check_device(std::string_view value) {
  if (value == "host" || value == "auto") return {};
  if (value.starts_with("cuda:") && value.size() > 5 &&
      value.find_first_not_of("0123456789", 5) == std::string_view::npos)
    return {};
  return rejected("'" + std::string(value) + "' is no device; use host or auto");
}

double threads_most() {
  return std::max(threads_always, threads_per_processor_max * std::thread::hardware_concurrency());
}

status check_step_tokens(std::string_view value) {
  const auto tokens = parse_bytes(value);
  if (tokens && *tokens % gpu::chunk_tokens == 0) return {};
  return rejected("'" + std::string(value) + "' is no multiple of " +
                  std::to_string(gpu::chunk_tokens));
}

std::vector<std::string_view> mode_names() {
  std::vector<std::string_view> names;
  for (const reuse_mode mode : all_modes) names.push_back(traits_of(mode).name);
  return names;
}

}  // namespace

option_rule model_option() {
  return {.name = "--model",
          .value_name = "DIR",
          .sentence = "The model's folder: config.json, *.safetensors, tokenizer.json.",
          .required = true,
          .use = file_use::read};
}

option_rule json_option() {
  return {.name = "--json",
          .value_name = "FILE",
          .sentence = "Write the machine's output there; - is standard output.",
          .use = file_use::written};
}

option_rule progress_option() {
  return {.name = "--no-progress",
          .kind = option_kind::flag,
          .sentence = "No progress bar, even on a terminal."};
}

option_rule special_option() {
  return {.name = "--special",
          .kind = option_kind::choice,
          .value_name = "HOW",
          .fallback = "recognized",
          .sentence =
              "Special tokens in the text: plain, read as text, or recognized, as the model does.",
          .choices = {"plain", "recognized"}};
}

option_rule mode_option(std::string_view fallback, bool repeatable) {
  return {.name = "--mode",
          .kind = option_kind::choice,
          .value_name = "M",
          .fallback = fallback,
          .sentence =
              "full_recompute, prefix_cache, addition, transition, transition_rope, "
              "transition_rope_recompute or stitched.",
          .choices = mode_names(),
          .repeatable = repeatable};
}

std::vector<option_rule> engine_option_rules() {
  return {
      {.name = "--device",
       .value_name = "D",
       .fallback = "auto",
       .sentence = "host or auto, which is host.",
       .check = check_device},
      {.name = "--threads",
       .kind = option_kind::integer,
       .value_name = "N",
       .sentence = "Threads of the host engine; all cores unless given.",
       .least = 1,
       .most = threads_most()},
      {.name = "--instructions",
       .kind = option_kind::choice,
       .value_name = "SET",
       .fallback = "auto",
       .sentence =
           "The most that matrix products and kernels may use: auto (all there is), sse2, avx2, "
           "avx512.",
       .choices = {"auto", "sse2", "avx2", "avx512"}},
      {.name = "--cache-bytes",
       .kind = option_kind::bytes,
       .value_name = "BYTES",
       .fallback = "4G",
       .sentence = "Memory for keys, values and states: one half for pages, one for slots.",
       .least = cache_bytes_least},
      {.name = "--eviction",
       .kind = option_kind::choice,
       .value_name = "HOW",
       .fallback = name_of(eviction_policy::value_per_byte),
       .sentence = "Entries that go first: lru, longest unused; value, least work saved a byte.",
       .choices = {name_of(eviction_policy::least_recent),
                   name_of(eviction_policy::value_per_byte)}},
      {.name = "--positions-max",
       .kind = option_kind::integer,
       .value_name = "N",
       .sentence = "Longest prompt with its new tokens; the model's own limit unless given.",
       .least = 1,
       .most = positions_most},
      {.name = "--step-tokens-max",
       .kind = option_kind::integer,
       .value_name = "N",
       .fallback = "2048",
       .sentence = "Tokens of one engine step; a multiple of 64.",
       .least = static_cast<double>(gpu::chunk_tokens),
       .most = 1 << 20,
       .check = check_step_tokens},
  };
}

std::vector<option_rule> reuse_option_rules() {
  return {
      {.name = "--head-tokens",
       .kind = option_kind::integer,
       .value_name = "N",
       .sentence = "First tokens of each spliced segment computed in context; as the mode and "
                   "the profile say unless given.",
       .most = seam_tokens_max},
      {.name = "--tail-tokens",
       .kind = option_kind::integer,
       .value_name = "N",
       .sentence = "Last tokens of each spliced segment computed in context; likewise.",
       .most = seam_tokens_max},
      {.name = "--profile",
       .value_name = "FILE",
       .sentence = "A profile in place of the model's weft.json.",
       .use = file_use::read},
      {.name = "--no-anchor",
       .kind = option_kind::flag,
       .sentence = "Prefill entries behind nothing, whatever the profile says."},
  };
}

std::vector<option_rule> sampling_option_rules() {
  return {
      {.name = "--temperature",
       .kind = option_kind::real,
       .value_name = "X",
       .fallback = "0",
       .sentence = "0 takes the likeliest token.",
       .most = 100},
      {.name = "--top-k",
       .kind = option_kind::integer,
       .value_name = "N",
       .fallback = "0",
       .sentence = "Draw from the N likeliest tokens; 0: from all.",
       .most = 1 << 30},
      {.name = "--top-p",
       .kind = option_kind::real,
       .value_name = "X",
       .fallback = "1",
       .sentence = "Draw from the likeliest tokens that hold this share.",
       .least = 1e-9,
       .most = 1},
      {.name = "--seed",
       .kind = option_kind::integer,
       .value_name = "N",
       .fallback = "0",
       .sentence = "Equal seeds draw equal random numbers."},
      {.name = "--max-tokens",
       .kind = option_kind::integer,
       .value_name = "N",
       .sentence = "New tokens at most; 64, or what the prompt's file says, unless given.",
       .least = 1,
       .most = positions_most},
  };
}

std::vector<option_rule> join_rules(std::initializer_list<std::vector<option_rule>> tables) {
  std::vector<option_rule> joined;
  for (const auto& table : tables) joined.insert(joined.end(), table.begin(), table.end());
  return joined;
}

result<gpu::engine_options> engine_options_of(const options& given) {
  const std::string device = given.text("--device");
  if (device.starts_with("cuda"))
    return unavailable("this build has no CUDA engine for '" + device +
                       "'; use --device host or auto");
  const std::string set = given.text("--instructions");
  gpu::engine_options wanted;
  wanted.threads = static_cast<int>(given.integer("--threads"));
  wanted.instructions = set == "sse2"     ? gpu::instruction_set::sse2
                        : set == "avx2"   ? gpu::instruction_set::avx2
                        : set == "avx512" ? gpu::instruction_set::avx512
                                          : gpu::instruction_set::automatic;
  wanted.page_bytes_max = given.integer("--cache-bytes") / 2;
  wanted.slot_bytes_max = given.integer("--cache-bytes") / 2;
  return wanted;
}

eviction_policy eviction_of(const options& given) {
  const std::string name = given.text("--eviction");
  for (const eviction_policy policy : all_eviction_policies)
    if (name_of(policy) == name) return policy;
  WEFT_ASSERT(false);  // The table checked it.
  return eviction_policy::value_per_byte;
}

seam seam_of(const options& given, reuse_mode mode, const seam& profile) {
  if (!traits_of(mode).splices) return {.head_tokens = 0, .tail_tokens = 0};
  seam wanted = default_seam(mode, profile);
  if (given.given("--head-tokens")) wanted.head_tokens = given.integer("--head-tokens");
  if (given.given("--tail-tokens")) wanted.tail_tokens = given.integer("--tail-tokens");
  return wanted;
}

gpu::sampling sampling_of(const options& given) {
  return {.temperature = given.real("--temperature"),
          .top_k = given.integer("--top-k"),
          .top_p = given.real("--top-p"),
          .seed = static_cast<std::uint64_t>(given.integer("--seed"))};
}

std::vector<reuse_mode> modes_of(const options& given, std::vector<reuse_mode> fallback) {
  const std::vector<std::string> names = given.all("--mode");
  if (names.empty()) return fallback;
  std::vector<reuse_mode> modes;
  for (const std::string& name : names) {
    const auto mode = parse_mode(name);
    WEFT_ASSERT(mode.ok());  // The table checked it.
    modes.push_back(*mode);
  }
  return modes;
}

}  // namespace weft::actors
