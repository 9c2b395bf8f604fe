// What the tests of messages share: the bundled tokenizer, a small one to break, random bytes.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "messages/prompt/tokenizer.hpp"

namespace weft::messages::test {

// The bytes of a file below the repository's root. Fails the test if there is none.
std::string file_at(std::string_view path);

// The tokenizer of the bundled checkpoint, loaded once.
const tokenizer& bundled_tokenizer();

// A tokenizer.json of 256 bytes, the words "he", "hell", "hello" and some added tokens, to be
// changed and parsed: see fixture.cpp.
nlohmann::json small_tokenizer();

// The tokenizer that `file` describes. Fails the test if it is refused.
tokenizer parsed(const nlohmann::json& file);

// The message with which `file` is refused; "" if it is not.
std::string refusal_of(const nlohmann::json& file);

// A generator, by tests/test_seed.hpp.
std::mt19937_64 seeded(unsigned usual);

// Changes a few bytes of `text`: flips, drops, doubles, cuts.
std::string mutated(std::string text, std::mt19937_64& random);

// A folder of this test's own, emptied.
std::string fresh_folder(std::string_view name);

// Writes `bytes` to `path`.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace weft::messages::test
