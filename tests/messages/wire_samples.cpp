#include "tests/messages/wire_samples.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace weft::messages::test {

namespace {

constexpr double no_chance = -std::numeric_limits<double>::infinity();

const request_id request{.gateway = {0xA1A2A3A4A5A6A7A8U}, .number = 0x0102030405060708U};
const attempt plan{.request = request, .generation = {0x11223344U}};

transfer_ticket ticket() { return {key_from(0x60).bytes}; }

std::vector<wire_sample> membership_samples() {
  using namespace membership;
  const node_status node{.node = life_of("w1"),
                         .roles = {node_role::scatter, node_role::combine},
                         .numerics_id = "host-avx2-7",
                         .draining = true,
                         .peers = {{.node = life_of("g1"), .state = peer_state::alive},
                                   {.node = life_of("w2"), .state = peer_state::suspected}},
                         .slots = {1, 2, 3, 4, 5},
                         .pages = {6, 7, 8, 9, 0xFFFFFFFF},
                         .staging = {11, 12, 13, 14, 15}};
  const node_status other{.node = life_of("g1"),
                          .roles = {node_role::gateway},
                          .numerics_id = "host-avx512-7",
                          .draining = true,
                          .peers = {{.node = life_of("w1"), .state = peer_state::draining}},
                          .slots = {21, 22, 23, 24, 25},
                          .pages = {26, 27, 28, 29, 30},
                          .staging = {31, 32, 33, 34, 35}};
  return {
      {"membership.hello", message(hello{.node = life_of("w1"),
                                         .roles = {node_role::gateway, node_role::router,
                                                   node_role::scatter, node_role::combine},
                                         .numerics_id = "host-avx2-7",
                                         .model_fingerprint = "00ff",
                                         .control = {.host = "10.0.0.7", .port = 4242},
                                         .data = {.host = "fd00::7", .port = 65535}})},
      {"membership.heartbeat",
       message(heartbeat{.node = life_of("w1"), .sequence = 77, .draining = true})},
      {"membership.goodbye",
       message(goodbye{.node = life_of("w1"), .reason = goodbye_reason::broken})},
      {"membership.drain", message(drain{.node = life_of("w1")})},
      {"membership.status_request", message(status_request{.number = 99})},
      {"membership.status_report", message(status_report{.number = 99, .nodes = {node, other}})}};
}

std::vector<wire_sample> directory_samples() {
  using namespace directory;
  const held_entry first{.key = key_from(1), .tokens = 512, .bytes = 125'829'120};
  const held_entry second{.key = key_from(0x80), .tokens = 262'144, .bytes = std::int64_t{1} << 48};
  const node_life worker = life_of("w1");
  return {{"directory.entries_changed",
           message(entries_changed{.worker = worker,
                                   .first_sequence = 5,
                                   .events = {{entry_change::evicted, second},
                                              {entry_change::inserted, first},
                                              {entry_change::invalid, {.key = key_from(9)}}}})},
          {"directory.replay_request",
           message(replay_request{.worker = worker, .from_sequence = 12345678901U})},
          {"directory.snapshot_request", message(snapshot_request{.worker = worker})},
          {"directory.snapshot", message(snapshot{.worker = worker,
                                                  .sequence = 8,
                                                  .part = 3,
                                                  .is_last = true,
                                                  .entries = {first, second}})},
          {"directory.load_report",
           message(load_report{.worker = worker,
                               .queued_ms = 12.5,
                               .running = 3,
                               .waiting = 4,
                               .free = {.pages = 1, .state_slots = 2, .transition_slots = 3},
                               .total = {.pages = 100, .state_slots = 200, .transition_slots = 300},
                               .cost = {.token_ms = 0.36, .pair_ms = 3.4e-5}})}};
}

std::vector<wire_sample> serving_samples() {
  using namespace serving;
  const work wanted{
      .scope = "tenant \xC3\xA9",
      .segments = {{.tokens = {1, 2, 3}, .reusable = true},
                   {.tokens = {7, 8}, .reusable = false},
                   {.tokens = {151'935, std::numeric_limits<token_id>::max()}, .reusable = true}},
      .mode = reuse_mode::transition_rope_recompute,
      .wanted_seam = seam{.head_tokens = 9, .tail_tokens = 17},
      .draw = {.temperature = 0.7, .top_k = 40, .top_p = 0.95, .seed = 0xFFFFFFFFFFFFFFFFU},
      .new_tokens_max = 80,
      .wants_logprobs = true,
      .deadline_ms = 30'000};
  const receipt warm{.segment = 1,
                     .role = segment_role::question,
                     .tokens = 512,
                     .seam_tokens = 24,
                     .reused_tokens = 488,
                     .what = verdict::cold,
                     .reason = verdict_reason::lost,
                     .tier = "device",
                     .worker = "w2",
                     .bytes_moved = 125'829'120,
                     .milliseconds = 1.9};
  return {{"serving.generate", message(generate{.request = request, .wanted = wanted})},
          {"serving.accepted", message(accepted{.plan = plan, .worker = life_of("w1")})},
          {"serving.refused", message(refused{.request = request,
                                              .kind = failure_kind::overloaded,
                                              .message = "too many wait",
                                              .retry_after_ms = 1500})},
          {"serving.serve", message(serve{.plan = plan,
                                          .gateway = life_of("g1"),
                                          .wanted = wanted,
                                          .sources = {{.segment = 0, .key = key_from(1)},
                                                      {.segment = 1,
                                                       .key = key_from(2),
                                                       .kind = source_kind::pull,
                                                       .worker = life_of("w2")},
                                                      {.segment = 2,
                                                       .key = key_from(3),
                                                       .kind = source_kind::coming,
                                                       .worker = life_of("w3")}},
                                          .told = {5, 6}})},
          {"serving.new_tokens",
           message(new_tokens{
               .plan = plan, .first_index = 2, .ids = {9, 10}, .logprobs = {-0.5, no_chance}})},
          {"serving.finished", message(finished{.plan = plan,
                                                .ended = true,
                                                .receipts = {warm, warm},
                                                .prompt_tokens = 1024,
                                                .reused_tokens = 976,
                                                .new_tokens = 17,
                                                .times = {1.5, 2.5, 3.5, 4.5, 5.5, 6.5}})},
          {"serving.failed",
           message(failed{
               .plan = plan, .kind = failure_kind::unavailable, .message = "worker w2 is gone"})},
          {"serving.served", message(served{.plan = plan,
                                            .how = outcome::cancelled,
                                            .prefilled_tokens = 600,
                                            .measured_ms = 31.25})},
          {"serving.cancel", message(cancel{.plan = plan})}};
}

std::vector<wire_sample> prefill_samples() {
  using namespace prefill;
  return {
      {"prefill.make_entries",
       message(make_entries{.plan = plan,
                            .combine = life_of("w1"),
                            .combine_control = {.host = "w1.local", .port = 4242},
                            .combine_data = {.host = "10.0.0.7", .port = 4243},
                            .scope = "tenant",
                            .anchor = {{1, 2}, {3}},
                            .entries = {{.segment = 1,
                                         .kind = key_kind::checkpoint,
                                         .seams = {.head_tokens = 1, .tail_tokens = 2},
                                         .key = key_from(4),
                                         .tokens = {11, 12, 13}},
                                        {.segment = 4,
                                         .kind = key_kind::checkpoint,
                                         .seams = {.head_tokens = 2, .tail_tokens = 1},
                                         .key = key_from(5),
                                         .tokens = {14, 15, 16, 17}}}})},
      {"prefill.lease_request",
       message(lease_request{.plan = plan, .segment = 2, .key = key_from(6), .duration_ms = 5000})},
      {"prefill.offer", message(offer{.plan = plan,
                                      .segment = 2,
                                      .key = key_from(6),
                                      .form = {.kind = key_kind::checkpoint,
                                               .stored_tokens = 488,
                                               .local_begin = 8,
                                               .from_zero = true,
                                               .conv_rows = 3,
                                               .closed = {0, 1, 1, 0},
                                               .layer_bytes = {1'048'576, 4096, 1}},
                                      .data = {.host = "10.0.0.8", .port = 4243},
                                      .ticket = ticket(),
                                      .lease_ms = 4000})},
      {"prefill.layer_ready",
       message(layer_ready{.ticket = ticket(), .layer = 7, .closed = {1, 0, 1}})},
      {"prefill.refusal", message(refusal{.plan = plan,
                                          .segment = 2,
                                          .key = key_from(6),
                                          .reason = refusal_reason::failed,
                                          .message = "evicted"})},
      {"prefill.release", message(release{.ticket = ticket()})},
      {"prefill.took_back", message(took_back{.plan = plan, .segment = 2})}};
}

}  // namespace

result<envelope> encode_any(const any_message& what) {
  return std::visit([](const auto& message) { return encode(message); }, what);
}

result<any_message> decode_any(const envelope& from) {
  const auto as_any = [](auto decoded) -> result<any_message> {
    if (!decoded.ok()) return decoded.error();
    return any_message(std::move(decoded).value());
  };
  switch (from.schema()) {
    case schema_id::membership: return as_any(membership::decode(from));
    case schema_id::directory: return as_any(directory::decode(from));
    case schema_id::serving: return as_any(serving::decode(from));
    case schema_id::prefill: return as_any(prefill::decode(from));
    case schema_id::none: break;
  }
  return rejected("an envelope that holds nothing");
}

std::vector<wire_sample> wire_samples() {
  std::vector<wire_sample> all;
  for (const auto& part :
       {membership_samples(), directory_samples(), serving_samples(), prefill_samples()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

envelope packed_sample(std::string_view name) {
  for (const wire_sample& sample : wire_samples()) {
    if (sample.name != name) continue;
    const auto packed = encode_any(sample.what);
    REQUIRE(packed.ok());
    return *packed;
  }
  FAIL("no sample " << name);
  return {};
}

entry_key key_from(unsigned char first) {
  entry_key key;
  for (std::size_t i = 0; i < key.bytes.size(); ++i)
    key.bytes[i] = static_cast<std::byte>(first + i);
  return key;
}

node_life life_of(std::string_view name) {
  return {.node = {std::string(name)}, .life = {0xB000000000000000U + name.back()}};
}

}  // namespace weft::messages::test
