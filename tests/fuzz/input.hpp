// What libFuzzer gives a target and how the targets here read it.
//
// A target is one function, LLVMFuzzerTestOneInput. Linked with libFuzzer (preset `fuzz`) it meets
// inputs made up to reach new code; linked with replay.cpp (every other preset) it meets those that
// are kept in corpus and regressions. What must hold is asserted, so that a breach ends the program
// as a crash does. Inputs that do not end in time or take too much memory are findings too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// Returns 0. `data` is an allocation of `size` bytes with nothing behind it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace weft::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

}  // namespace weft::fuzz
