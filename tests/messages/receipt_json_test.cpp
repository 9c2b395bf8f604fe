#include "messages/prompt/receipt_json.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace weft::messages {

TEST_CASE("a warm receipt is written as clients read it", "[messages][receipt_json]") {
  const receipt warm{.segment = 1,
                     .role = segment_role::document,
                     .tokens = 512,
                     .seam_tokens = 24,
                     .reused_tokens = 488,
                     .what = verdict::warm,
                     .reason = std::nullopt,
                     .tier = "device",
                     .worker = "w2",
                     .bytes_moved = 0,
                     .milliseconds = 1.9};
  CHECK(receipt_json(warm) ==
        R"({"segment":1,"role":"document","tokens":512,"seam_tokens":24,"verdict":"warm",)"
        R"("reason":null,)"
        R"("tier":"device","worker":"w2","bytes_moved":0,"milliseconds":1.9})");
}

TEST_CASE("what a receipt does not have is null", "[messages][receipt_json]") {
  receipt context;
  context.role = segment_role::question;
  context.reason = verdict_reason::seam_only;
  context.milliseconds = 0.12345;
  CHECK(receipts_json({&context, 1}) ==
        R"([{"segment":0,"role":"question","tokens":0,"seam_tokens":0,"verdict":"context",)"
        R"("reason":"seam only","tier":null,"worker":null,"bytes_moved":0,"milliseconds":0.123}])");
  CHECK(receipts_json({}) == "[]");
}

TEST_CASE("a bad worker name and a bad time give JSON all the same", "[messages][receipt_json]") {
  receipt odd;
  odd.worker = "w\xFF\"";
  odd.milliseconds = std::numeric_limits<double>::quiet_NaN();
  const std::string text = receipt_json(odd);
  CHECK(text.find("\"worker\":\"w\xEF\xBF\xBD\\\"\"") != std::string::npos);
  CHECK(text.find("\"milliseconds\":null") != std::string::npos);
}

}  // namespace weft::messages
