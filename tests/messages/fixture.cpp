#include "tests/messages/fixture.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "messages/prompt/byte_level.hpp"
#include "tests/test_seed.hpp"

namespace weft::messages::test {

using nlohmann::json;

std::string file_at(std::string_view path) {
  std::ifstream file(std::string(WEFT_SOURCE_DIR "/") + std::string(path), std::ios::binary);
  INFO(path);
  REQUIRE(file);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

const tokenizer& bundled_tokenizer() {
  static const tokenizer loaded = [] {
    result<tokenizer> made =
        tokenizer::load(WEFT_SOURCE_DIR "/examples/models/tiny-qwen3_5/tokenizer.json");
    if (!made.ok()) FAIL(made.error().message);
    return std::move(made).value();
  }();
  return loaded;
}

json small_tokenizer() {
  json vocab = json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocab[std::string(byte_level_symbol(static_cast<unsigned char>(byte)))] = byte;
  }
  for (const char* word : {"he", "ll", "hell", "hello"}) vocab[word] = vocab.size();
  const auto added = [](int id, const char* content, bool special) {
    return json{{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
                {"rstrip", false}, {"normalized", false}, {"special", special}};
  };
  return {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens",
       {added(260, "<|im_start|>", true), added(261, "<|im_end|>", true),
        added(262, "<think>", false), added(263, "</think>", false)}},
      {"normalizer", {{"type", "NFC"}}},
      {"pre_tokenizer",
       {{"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Split"},
           {"pattern", {{"Regex", R"( ?\p{L}+|\p{N}|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"}}},
           {"behavior", "Isolated"},
           {"invert", false}},
          {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}}},
      {"post_processor", nullptr},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model",
       {{"type", "BPE"},
        {"dropout", nullptr},
        {"unk_token", nullptr},
        {"byte_fallback", false},
        {"vocab", vocab},
        {"merges", {"h e", "l l", "he ll", "hell o"}}}},
  };
}

tokenizer parsed(const json& file) {
  result<tokenizer> made = tokenizer::parse(file.dump());
  if (!made.ok()) FAIL(made.error().message);
  return std::move(made).value();
}

std::string refusal_of(const json& file) {
  const result<tokenizer> made = tokenizer::parse(file.dump());
  return made.ok() ? "" : made.error().message;
}

std::mt19937_64 seeded(unsigned usual) { return std::mt19937_64(test_seed(usual)); }

std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::size_t changes = 1 + below(4);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, 1 + below(8)); break;
      case 2: text.insert(at, text.substr(at, 1 + below(16))); break;
      case 3: text[at] = "{}[]\",:0-\\"[below(10)]; break;
      default:
        if (below(8) == 0) text.resize(at);
        break;
    }
  }
  return text;
}

std::string fresh_folder(std::string_view name) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("weft-messages-" + std::string(name));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace weft::messages::test
