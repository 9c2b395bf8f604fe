#include "messages/wire/membership.hpp"

#include "messages/wire/bounds.hpp"
#include "tests/messages/wire_refusals.hpp"

namespace weft::messages::membership {

using test::check_refused;

TEST_CASE("a supervisor sends nothing that names no node or life", "[messages][membership]") {
  check_refused<hello>("membership.hello", {{"hello.node", [](hello& m) { m.node.node = {}; }},
                                            {"hello.node", [](hello& m) { m.node.life = {}; }}});
  check_refused<heartbeat>("membership.heartbeat",
                           {{"heartbeat.node", [](heartbeat& m) { m.node.node.text = "a/b"; }},
                            {"heartbeat.sequence", [](heartbeat& m) { m.sequence = 0; }}});
  check_refused<goodbye>("membership.goodbye",
                         {{"goodbye.node", [](goodbye& m) { m.node.life = {}; }}});
  check_refused<drain>("membership.drain", {{"drain.node", [](drain& m) { m.node.node = {}; }}});
}

TEST_CASE("a hello's texts are UTF-8 within bounds", "[messages][membership]") {
  check_refused<hello>(
      "membership.hello",
      {{"hello.numericsId", [](hello& m) { m.numerics_id.assign(257, 'n'); }},
       {"hello.numericsId", [](hello& m) { m.numerics_id = "\x80"; }},
       {"hello.modelFingerprint", [](hello& m) { m.model_fingerprint.assign(129, 'f'); }},
       {"hello.control.host", [](hello& m) { m.control.host.assign(254, 'h'); }},
       {"hello.data.host", [](hello& m) { m.data.host = "\xFF"; }}});
}

TEST_CASE("a status report's lists and counts stay within bounds", "[messages][membership]") {
  check_refused<status_report>(
      "membership.status_report",
      {{"statusReport.nodes has",
        [](status_report& m) { m.nodes.resize(nodes_max + 1, m.nodes[0]); }},
       {"statusReport.nodes.peers has",
        [](status_report& m) { m.nodes[1].peers.resize(peers_max - 1, m.nodes[0].peers[0]); }},
       {"statusReport.nodes.node", [](status_report& m) { m.nodes[1].node = {}; }},
       {"statusReport.nodes.peers.node", [](status_report& m) { m.nodes[1].peers[0].node = {}; }},
       {"statusReport.nodes.numericsId",
        [](status_report& m) { m.nodes[0].numerics_id.assign(257, 'n'); }},
       {"pools", [](status_report& m) { m.nodes[0].slots.free = -1; }},
       {"pools", [](status_report& m) { m.nodes[0].pages.quarantined = count_max + 1; }},
       {"pools", [](status_report& m) { m.nodes[1].staging.in_flight = count_max + 1; }}});
}

TEST_CASE("classes of a pool sum to its total", "[messages][membership]") {
  CHECK(pool_counts{.free = 1, .cached = 20, .pinned = 300, .in_flight = 4000, .quarantined = 50000}
            .total() == 54321);
}

}  // namespace weft::messages::membership
