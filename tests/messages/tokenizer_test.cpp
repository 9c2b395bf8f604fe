#include "messages/prompt/tokenizer.hpp"

#include <chrono>
#include <iostream>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

using nlohmann::json;
using test::bundled_tokenizer;

namespace {

token_ids encoded(const tokenizer& words, std::string_view text,
                  special_tokens how = special_tokens::recognized) {
  const auto ids = words.encode(text, how);
  if (!ids.ok()) FAIL(ids.error().message);
  return *ids;
}

std::string decoded(const tokenizer& words, const token_ids& ids, bool skip_special = false) {
  const auto text = words.decode(ids, skip_special);
  if (!text.ok()) FAIL(text.error().message);
  return *text;
}

json vectors() { return json::parse(test::file_at("tests/data/tokenizer-vectors.json")); }

}  // namespace

TEST_CASE("every published text encodes to the reference's ids and decodes to its text",
          "[messages][tokenizer]") {
  const json cases = vectors()["encode"];
  REQUIRE(cases.size() == 656);
  for (const json& one : cases) {
    INFO(one["text"].dump());
    const auto ids = one["ids"].get<token_ids>();
    CHECK(encoded(bundled_tokenizer(), one["text"].get<std::string>()) == ids);
    CHECK(decoded(bundled_tokenizer(), ids) == one["decoded"].get<std::string>());
  }
}

TEST_CASE("every published list of ids decodes to the reference's text", "[messages][tokenizer]") {
  const json cases = vectors()["decode"];
  REQUIRE(cases.size() == 60);
  for (const json& one : cases) {
    INFO(one["ids"].dump());
    const auto ids = one["ids"].get<token_ids>();
    CHECK(decoded(bundled_tokenizer(), ids) == one["decoded"].get<std::string>());
    CHECK(decoded(bundled_tokenizer(), ids, true) == one["without_special"].get<std::string>());
  }
}

TEST_CASE("special tokens in plain text are text", "[messages][tokenizer]") {
  const std::string text = "a<|im_end|>b";
  CHECK(encoded(bundled_tokenizer(), text) == token_ids{64, 2047, 65});
  const token_ids plain = encoded(bundled_tokenizer(), text, special_tokens::plain);
  CHECK(std::find(plain.begin(), plain.end(), 2047) == plain.end());
  CHECK(decoded(bundled_tokenizer(), plain, true) == text);
}

TEST_CASE("added tokens are found before normalization unless they say so",
          "[messages][tokenizer]") {
  json file = test::small_tokenizer();
  const auto add = [&](int id, const char* content, bool normalized) {
    json token = file["added_tokens"][0];
    token.update(
        {{"id", id}, {"content", content}, {"normalized", normalized}, {"special", false}});
    file["added_tokens"].push_back(token);
  };
  add(270, "\xC3\xA9!", true);   // composed, looked for in composed text
  add(271, "o\xCC\x88", false);  // decomposed, looked for in the text as it came
  const tokenizer words = test::parsed(file);
  CHECK(encoded(words, "e\xCC\x81!") == token_ids{270});
  CHECK(encoded(words, "\xC3\xA9!") == token_ids{270});
  CHECK(encoded(words, "o\xCC\x88") == token_ids{271});
  CHECK(encoded(words, "\xC3\xB6") == token_ids{0xC3, 0xB6});
}

TEST_CASE("a word that is a token passes by the merges where the file says so",
          "[messages][tokenizer]") {
  json file = test::small_tokenizer();
  file["model"]["vocab"]["ab"] = 270;
  CHECK(encoded(test::parsed(file), "ab") == token_ids{'a', 'b'});
  file["model"]["ignore_merges"] = true;
  CHECK(encoded(test::parsed(file), "ab abc") == token_ids{270, ' ', 'a', 'b', 'c'});
}

TEST_CASE("text that is not UTF-8 is refused with the place", "[messages][tokenizer]") {
  const auto ids = bundled_tokenizer().encode("hello \xFFworld", special_tokens::plain);
  REQUIRE_FALSE(ids.ok());
  CHECK(ids.error().kind == failure_kind::rejected);
  CHECK(ids.error().message == "the text is not valid UTF-8 at byte 6");
}

TEST_CASE("a byte without a token is refused, not dropped", "[messages][tokenizer]") {
  json file = test::small_tokenizer();
  file["model"]["vocab"].erase("q");
  const tokenizer words = test::parsed(file);
  CHECK(encoded(words, "hello") == token_ids{259});
  CHECK_FALSE(words.encode("a q", special_tokens::plain).ok());
}

TEST_CASE("ids of no token are refused by number", "[messages][tokenizer]") {
  CHECK(bundled_tokenizer().size() == 2048);
  for (const token_id id : {-1, 2048, 2'000'000'000}) {
    const auto text = bundled_tokenizer().decode(token_ids{1, id});
    REQUIRE_FALSE(text.ok());
    CHECK(text.error().message.find("token id " + std::to_string(id)) == 0);
  }
  // Ids 270 to 299 are holes of this one.
  json file = test::small_tokenizer();
  file["model"]["vocab"]["zz"] = 300;
  CHECK_FALSE(test::parsed(file).decode(token_ids{280}).ok());
}

TEST_CASE("a missing or broken file is refused with its path", "[messages][tokenizer]") {
  const std::string folder = test::fresh_folder("tokenizer");
  const auto missing = tokenizer::load(folder + "/tokenizer.json");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().kind == failure_kind::unavailable);
  test::write_file(folder + "/tokenizer.json", "{\"model\": 3}");
  const auto broken = tokenizer::load(folder + "/tokenizer.json");
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().kind == failure_kind::rejected);
  CHECK(broken.error().message.find(folder + "/tokenizer.json: model must be an object") == 0);
}

TEST_CASE("random bytes encode and decode to themselves or are refused, cached or not",
          "[messages][tokenizer]") {
  auto random = test::seeded(5);
  const std::string_view alphabet = "ab '\n\r\t1.<|im_start|>\xC3\xA9\xCC\x81\xE4\xB8\x80";
  int valid = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) {
      text.push_back(random() % 16 == 0 ? static_cast<char>(random())
                                        : alphabet[random() % alphabet.size()]);
    }
    const auto first = bundled_tokenizer().encode(text, special_tokens::recognized);
    const auto second = bundled_tokenizer().encode(text, special_tokens::recognized);
    REQUIRE(first.ok() == second.ok());
    if (!first.ok()) {
      REQUIRE(first.error().message.find("not valid UTF-8 at byte") != std::string::npos);
      continue;
    }
    ++valid;
    REQUIRE(*first == *second);
    // Decoding gives the composed text, and composed text comes back as it was.
    const std::string composed = decoded(bundled_tokenizer(), *first);
    REQUIRE(decoded(bundled_tokenizer(), encoded(bundled_tokenizer(), composed)) == composed);
  }
  CHECK(valid > 100);
}

TEST_CASE("two tokenizers on one thread do not see each other's words", "[messages][tokenizer]") {
  json file = test::small_tokenizer();
  const tokenizer one = test::parsed(file);
  file["model"]["merges"] = json::array();
  const tokenizer other = test::parsed(file);
  for (int round = 0; round < 2; ++round) {
    CHECK(encoded(one, "hello") == token_ids{259});
    CHECK(encoded(other, "hello") == token_ids{'h', 'e', 'l', 'l', 'o'});
  }
}

TEST_CASE("many threads encode with one tokenizer at once", "[messages][tokenizer][threads]") {
  const json cases = vectors()["encode"];
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&cases, &count, words = bundled_tokenizer()] {
      for (const json& one : cases) {
        const auto ids = words.encode(one["text"].get<std::string>(), special_tokens::recognized);
        if (!ids.ok() || *ids != one["ids"].get<token_ids>()) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::array<int, 4>{});
}

TEST_CASE("the speed of encoding, for people to read", "[messages][tokenizer][.bench]") {
  std::string text;
  std::istringstream lines(test::file_at("examples/data/rag-dev.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const json sample = json::parse(line);
    for (const json& segment : sample["segments"]) text += segment.get<std::string>();
  }
  REQUIRE_FALSE(text.empty());
  while (text.size() < 4'000'000) text += text;
  encoded(bundled_tokenizer(), text.substr(0, 1000));
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t tokens = encoded(bundled_tokenizer(), text).size();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << "encode: " << static_cast<double>(text.size()) / took.count() / 1e6 << " MB/s, "
            << tokens << " tokens\n";
  CHECK(tokens > 0);
}

}  // namespace weft::messages
