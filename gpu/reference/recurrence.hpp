// The recurrences of every linear-attention family, token by token, one head.
//
// The state S is [K, V]; a token turns it into A S + b, and its output is q S of the new state
// (deploy/docs/formulas.md G.1). Each family is a struct of one token's inputs and an `advance`.
// Row vectors throughout: k^T v is the K x V outer product. Decays are logarithms, at most 0.
#pragma once

#include <span>
#include <vector>

#include "gpu/reference/affine.hpp"
#include "gpu/reference/matrix.hpp"

namespace weft::gpu::reference {

// What every family's token has. Keys and queries come normalised and scaled by the layer.
struct token_inputs {
  std::vector<double> query;  // [K]
  std::vector<double> key;    // [K]
  std::vector<double> value;  // [V]
};

// RetNet and Lightning (Ring, MiniMax): A = e^g, g = -slope for every token; b = k^T v.
struct lightning_token : token_inputs {
  double log_decay = 0;
};

// Mamba2: A = e^(dt a), b = B^T (dt x). Key is B, query is C, value is x; a < 0.
struct mamba2_token : token_inputs {
  double dt = 0;
  double a = 0;
};

// GLA: A = diag(e^g), one g per channel of K; b = k^T v.
struct gla_token : token_inputs {
  std::vector<double> log_decay;  // [K]
};

// DeltaNet: A = I - beta k^T k, b = beta k^T v.
struct delta_token : token_inputs {
  double beta = 0;
};

// Gated delta net (Qwen3.5): A = e^g (I - beta k^T k), b = beta k^T v.
struct gated_delta_token : token_inputs {
  double log_decay = 0;
  double beta = 0;
};

// KDA (Kimi-Linear): A = (I - beta k^T k) diag(e^g), b = beta k^T v.
struct kda_token : token_inputs {
  std::vector<double> log_decay;  // [K]
  double beta = 0;
};

// RWKV-7: A = diag(e^w) + b^T a, with `read` = a and `write` = b; its own b is k^T v.
struct rwkv7_token : token_inputs {
  std::vector<double> log_decay;  // [K]
  std::vector<double> read;       // [K]
  std::vector<double> write;      // [K]
};

// S <- A S + b for one token. Requires: the token's K and V are the state's rows and columns.
void advance(matrix& state, const lightning_token& token);
void advance(matrix& state, const mamba2_token& token);
void advance(matrix& state, const gla_token& token);
void advance(matrix& state, const delta_token& token);
void advance(matrix& state, const gated_delta_token& token);
void advance(matrix& state, const kda_token& token);
void advance(matrix& state, const rwkv7_token& token);

// o = q S, [V].
std::vector<double> read_state(const matrix& state, std::span<const double> query);

// S <- A S: the token without its value, since b is linear in v in every family. On a state that
// began as the identity this gives T.
template <class Token>
void advance_without_value(matrix& state, Token token) {
  token.value.assign(static_cast<std::size_t>(state.columns()), 0.0);
  advance(state, token);
}

// Runs `tokens` on `state`; row t of the result is token t's output, [tokens, V].
template <class Token>
matrix run(matrix& state, std::span<const Token> tokens) {
  matrix outputs;
  for (const Token& token : tokens) {
    advance(state, token);
    outputs.append_row(read_state(state, token.query));
  }
  return outputs;
}

// What `tokens` do to any state: T by running them on the identity without their values, b by
// running them on zero. Requires: at least one token.
template <class Token>
affine segment_map(std::span<const Token> tokens) {
  const auto key_dim = static_cast<std::int64_t>(tokens.front().key.size());
  const auto value_dim = static_cast<std::int64_t>(tokens.front().value.size());
  affine map = identity_map(key_dim, value_dim);
  for (const Token& token : tokens) {
    advance_without_value(map.transition, token);
    advance(map.offset, token);
  }
  return map;
}

}  // namespace weft::gpu::reference
