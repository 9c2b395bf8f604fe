#include "actors/session/session.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "actors/session/live_session.hpp"

namespace weft::actors {
namespace {

status check_options(const session_options& options, const gpu::model_shape& shape) {
  if (options.step_tokens_max <= 0 || options.step_tokens_max % gpu::chunk_tokens != 0)
    return rejected("step_tokens_max is " + std::to_string(options.step_tokens_max) +
                    ", but must be a positive multiple of " + std::to_string(gpu::chunk_tokens));
  if (options.requests_max <= 0) return rejected("requests_max must be at least 1");
  if (options.waiting_max <= 0) return rejected("waiting_max must be at least 1");
  if (options.positions_max < 0) return rejected("positions_max must not be negative");
  for (std::size_t index = 0; index < options.anchor.size(); ++index)
    for (const token_id token : options.anchor[index])
      if (token < 0 || token >= shape.vocabulary)
        return rejected("segment " + std::to_string(index) + " of the anchor holds token " +
                        std::to_string(token) + ", outside the vocabulary of " +
                        std::to_string(shape.vocabulary));
  return check_seam(options.profile_seam, shape.linear.conv_kernel);
}

}  // namespace

result<std::unique_ptr<session>> session::make(std::unique_ptr<gpu::engine> engine,
                                               session_options options) {
  const gpu::model_shape& shape = engine->shape();
  if (const status checked = check_options(options, shape); !checked) return checked.error();
  options.positions_max = options.positions_max == 0
                              ? shape.positions_max
                              : std::min(options.positions_max, shape.positions_max);
  return std::unique_ptr<session>(
      std::make_unique<live_session>(std::move(engine), std::move(options)));
}

result<answer> session::run(request wanted, std::function<void(token_id)> on_token) {
  const auto id = start(std::move(wanted), std::move(on_token));
  if (!id) return id.error();
  for (;;) {
    if (auto done = take(*id)) return std::move(*done);
    if (!step()) return broken("the session lost a request under way; this is a fault of its own");
  }
}

}  // namespace weft::actors
