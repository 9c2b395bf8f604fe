// The session over this machine's own engine. A file of its own, so that programs over another
// engine need not link the host engine.
#include <utility>

#include "actors/session/session.hpp"

namespace weft::actors {

result<std::unique_ptr<session>> session::make(gpu::model_weights weights,
                                               session_options options) {
  auto engine = gpu::make_host_engine(std::move(weights), options.engine);
  if (!engine) return engine.error();
  return make(std::move(engine).value(), std::move(options));
}

}  // namespace weft::actors
