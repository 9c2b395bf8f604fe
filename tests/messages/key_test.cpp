#include "messages/prompt/key.hpp"

#include <unordered_set>

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

namespace {

key_fields fields_of(const nlohmann::json& from) {
  key_fields fields;
  fields.layout = from["layout"].get<std::uint64_t>();
  fields.model_fingerprint = from["model"].get<std::string>();
  fields.tokenizer_fingerprint = from["tokenizer"].get<std::string>();
  fields.numerics_id = from["numerics"].get<std::string>();
  fields.dtype = from["dtype"].get<std::string>();
  fields.kind = from["kind"] == "entry" ? key_kind::entry : key_kind::checkpoint;
  if (from["predecessor"].is_string()) {
    fields.predecessor = *parse_entry_key(from["predecessor"].get<std::string>());
  }
  fields.head_tokens = from["head"].get<std::uint64_t>();
  fields.tail_tokens = from["tail"].get<std::uint64_t>();
  fields.anchor = from["anchor"].get<std::vector<token_ids>>();
  fields.scope = from["scope"].get<std::string>();
  fields.tokens = from["tokens"].get<token_ids>();
  return fields;
}

}  // namespace

TEST_CASE("every published key comes out, byte for byte", "[messages][key]") {
  const auto file = nlohmann::json::parse(test::file_at("tests/data/key-vectors.json"));
  REQUIRE(file["vectors"].size() >= 6);
  std::unordered_set<entry_key> seen;
  for (const auto& vector : file["vectors"]) {
    INFO(vector["about"].get<std::string>());
    const entry_key key = make_key(fields_of(vector["fields"]));
    CHECK(key.hex() == vector["key"].get<std::string>());
    CHECK(seen.insert(key).second);
  }
}

TEST_CASE("every field alone changes the key, and its neighbours cannot make up for it",
          "[messages][key]") {
  const key_fields base{.model_fingerprint = "ab",
                        .tokenizer_fingerprint = "c",
                        .numerics_id = "n",
                        .dtype = "f32",
                        .kind = key_kind::checkpoint,
                        .predecessor = std::nullopt,
                        .head_tokens = 8,
                        .tail_tokens = 16,
                        .anchor = {{1}},
                        .scope = "s",
                        .tokens = {1, 2}};
  std::vector<key_fields> all(14, base);
  all[1].layout = 2;
  all[2].model_fingerprint = "a";
  all[3].model_fingerprint = "a";
  all[3].tokenizer_fingerprint = "bc";
  all[4].numerics_id = "m";
  all[5].dtype = "bf16";
  all[6].kind = key_kind::entry;
  all[7].predecessor = entry_key{};
  all[8].head_tokens = 9;
  all[9].tail_tokens = 15;
  all[10].anchor = {};
  all[11].anchor = {{1}, {}};
  all[12].scope = "";
  all[13].tokens = {1, 2, 0};
  std::unordered_set<entry_key> seen;
  for (const key_fields& fields : all) CHECK(seen.insert(make_key(fields)).second);
  CHECK(make_key(base) == make_key(base));
}

}  // namespace weft::messages
