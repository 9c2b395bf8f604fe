// How much a message that crosses nodes may say. Checked on both sides: what one node may send,
// every other one of the same build reads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::messages {

// A message as bytes. The longest prompt takes 1 MiB as ids; as much again is for what comes with
// it (4,096 segments, each pulled from a named worker, take 0.7 MiB). More would only delay what
// waits behind it on the same connection: heartbeats must not come late because of a prompt, and
// 2 MiB take 17 ms of a Gbit/s.
inline constexpr std::size_t envelope_bytes_max = std::size_t{2} << 20;

// Prompt and new tokens together: the longest context of the models that Weft serves.
inline constexpr std::int64_t prompt_tokens_max = 262'144;

// A prompt of the longest kind in segments of 64 tokens.
inline constexpr std::size_t segments_max = 4'096;

// An anchor is a short fixed context: real ones have some hundred tokens.
inline constexpr std::int64_t anchor_tokens_max = 65'536;

// Entries or events of one message; 56 bytes each, so they fit an envelope.
inline constexpr std::size_t entries_max = 32'768;

// Nodes of a cluster, and all peers that one report lists.
inline constexpr std::size_t nodes_max = 1'024;
inline constexpr std::size_t peers_max = 65'536;

// Layers of a model (the deepest known ones have some 130), and flags of an entry: one per layer
// and head.
inline constexpr std::size_t layers_max = 1'024;
inline constexpr std::size_t flags_max = 65'536;

// A convolution's history; kernels have 4 rows.
inline constexpr std::int64_t conv_rows_max = 64;

// Bytes of an entry or a transfer: 256 TiB, so that sums over the lists above stay far below 2^63.
inline constexpr std::int64_t transfer_bytes_max = std::int64_t{1} << 48;

// Any other count, and milliseconds (49 days): what 32 bits hold.
inline constexpr std::int64_t count_max = 0xFFFF'FFFF;

// Texts, in bytes of UTF-8.
inline constexpr std::size_t numerics_id_bytes_max = 256;
inline constexpr std::size_t fingerprint_bytes_max = 128;  // 64 digits of SHA-256, and room.
inline constexpr std::size_t scope_bytes_max = 256;
inline constexpr std::size_t tier_bytes_max = 64;
inline constexpr std::size_t sentence_bytes_max = 4'096;  // Of a failure; longer ones are cut.

}  // namespace weft::messages
