// How far a request in flight is, as its router knows.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

// In the order of a request's way. A new plan begins at `planned` again.
enum class request_phase : std::uint8_t {
  waiting,     // has no plan: new, or its plan was lost
  planned,     // its plan was sent
  prefilling,  // somebody makes its entries
  splicing,    // entries move to the combine worker, which splices them
  streaming,   // its first token was told; nobody but the combine worker is needed any more
};

// How a request ended.
enum class request_end_kind : std::uint8_t {
  done,
  failed,
  cancelled,  // by its client
  expired,    // its deadline passed
  abandoned,  // its gateway was lost: nobody could be told
};

std::string_view name_of(request_phase phase);
std::string_view name_of(request_end_kind kind);

}  // namespace weft
