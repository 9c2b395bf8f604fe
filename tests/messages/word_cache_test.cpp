#include "messages/prompt/word_cache.hpp"

#include <string>
#include <thread>

#include <catch2/catch.hpp>

namespace weft::messages {

namespace {

// Owners of this file's own, far from those that tokenizers are given.
constexpr std::uint64_t someone = std::uint64_t{1} << 60;
constexpr std::uint64_t other = someone + 1;

}  // namespace

TEST_CASE("a kept word is found by its owner alone", "[messages][word_cache]") {
  word_cache& cache = word_cache::of_this_thread();
  const token_ids kept = {7, 8, 9};
  cache.keep(someone, "word", kept);
  token_ids ids = {1};
  CHECK(cache.find(someone, "word", ids));
  CHECK(ids == token_ids{1, 7, 8, 9});
  CHECK_FALSE(cache.find(other, "word", ids));
  CHECK_FALSE(cache.find(someone, "wor", ids));
  CHECK_FALSE(cache.find(someone, "words", ids));
  CHECK(ids.size() == 4);
}

TEST_CASE("words and token lists over the bound are not kept", "[messages][word_cache]") {
  word_cache& cache = word_cache::of_this_thread();
  token_ids ids;
  const std::string longest(word_cache::word_bytes_max, 'w');
  cache.keep(someone, longest, token_ids(word_cache::word_tokens_max, 1));
  CHECK(cache.find(someone, longest, ids));
  CHECK(ids.size() == word_cache::word_tokens_max);
  cache.keep(someone, longest + "w", token_ids{1});
  CHECK_FALSE(cache.find(someone, longest + "w", ids));
  cache.keep(someone, "many", token_ids(word_cache::word_tokens_max + 1, 1));
  CHECK_FALSE(cache.find(someone, "many", ids));
}

TEST_CASE("more words than places push each other out and never mix", "[messages][word_cache]") {
  word_cache& cache = word_cache::of_this_thread();
  const int words = 4 * static_cast<int>(word_cache::places);
  for (int i = 0; i < words; ++i) cache.keep(someone, std::to_string(i), token_ids{i});
  int found = 0;
  for (int i = 0; i < words; ++i) {
    token_ids ids;
    if (!cache.find(someone, std::to_string(i), ids)) continue;
    ++found;
    REQUIRE(ids == token_ids{i});
  }
  CHECK(found > 0);
  CHECK(found <= static_cast<int>(word_cache::places));
}

TEST_CASE("each thread has a cache of its own", "[messages][word_cache][threads]") {
  word_cache::of_this_thread().keep(someone, "mine", token_ids{1});
  bool found = true;
  std::thread([&] {
    token_ids ids;
    found = word_cache::of_this_thread().find(someone, "mine", ids);
  }).join();
  CHECK_FALSE(found);
}

}  // namespace weft::messages
