// CRC-32C (Castagnoli) of bytes. TCP's own sum is 16 bits and is taken anew by every middle box;
// shared memory has none. CRC-32C finds every burst of up to 32 bits and every odd number of
// flipped bits, and x86-64 processors since 2008 have an instruction for it, so it costs less than
// the copy beside it. It finds accidents, not attacks: against those there is TLS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::gpu::comm {

// The sum of `bytes`; `before` is the sum of what came before them, so parts may be summed in turn.
std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0);

// The same by tables, for processors without the instruction; and the judge of the other.
std::uint32_t checksum_by_table(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace weft::gpu::comm
