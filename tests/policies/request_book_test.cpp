#include "policies/requests/request_book.hpp"

#include <catch2/catch.hpp>

#include "tests/policies/cluster_values.hpp"

namespace weft {
namespace {

const node_life gateway{.node = {"gate"}, .life = {1}};
const node_life combine{.node = {"comb"}, .life = {1}};
const node_life left{.node = {"left"}, .life = {1}};
const node_life right{.node = {"right"}, .life = {1}};
const node_life other{.node = {"other"}, .life = {1}};
constexpr request_id one = request_of(1);
constexpr generation unplanned{0};
constexpr generation plan_1{1};
constexpr generation plan_2{2};

using nodes = std::vector<node_life>;
using charges = std::vector<plan_charge>;

// `combine` splices; segments 0 and 2 come from `left`, 1 from `right`.
serving_plan plan_with(const node_life& by = combine) {
  return {.combine = by,
          .expected = {{0, left}, {1, right}, {2, left}},
          .charges = {{by, 1}, {left, 1}, {right, 1}}};
}

request_book book_with(std::optional<instant> deadline = std::nullopt) {
  request_book book({.requests_max = 2, .plans_max = 2});
  REQUIRE(book.admit({.id = one, .gateway = gateway, .deadline = deadline, .tokens_max = 9}));
  REQUIRE(book.plan(one, plan_with())->generation == plan_1);
  return book;
}

void stream(request_book& book, weft::generation generation = plan_1) {
  REQUIRE(book.tell(one, generation, 0, token_ids{5, 6}) == report_verdict::taken);
}

request_recovery recovery(recovery_kind kind, std::vector<std::size_t> segments = {}) {
  return {.id = one, .kind = kind, .segments = std::move(segments)};
}

}  // namespace

TEST_CASE("a request is admitted once, and only so many at a time", "[policies][request_book]") {
  request_book book({.requests_max = 2});
  CHECK(book.admit({.id = one}).ok());
  CHECK(book.admit({.id = one}).error().kind == failure_kind::rejected);
  CHECK(book.admit({.id = request_of(2)}).ok());
  CHECK(book.admit({.id = request_of(3)}).error().kind == failure_kind::overloaded);
  CHECK(book.cancel(one).has_value());
  CHECK(book.admit({.id = request_of(3)}).ok());
  CHECK(book.counts().admitted == 3);
}

TEST_CASE("phases go forward, and a new plan begins them again", "[policies][request_book]") {
  request_book book = book_with();
  const auto phase = [&] { return book.find(one)->phase; };
  CHECK(phase() == request_phase::planned);
  CHECK(book.advance(one, plan_1, request_phase::splicing) == report_verdict::taken);
  CHECK(book.advance(one, plan_1, request_phase::prefilling) == report_verdict::taken);
  CHECK(phase() == request_phase::splicing);
  stream(book);
  CHECK(phase() == request_phase::streaming);
  CHECK(book.plan(one, plan_with(other)).has_value());
  CHECK(phase() == request_phase::planned);
  CHECK(book.find(one)->streamed);
}

TEST_CASE("reports of an older plan change nothing and are counted", "[policies][request_book]") {
  request_book book = book_with();
  REQUIRE(book.plan(one, plan_with(other))->generation == plan_2);
  CHECK(book.advance(one, plan_1, request_phase::streaming) == report_verdict::late);
  CHECK(book.settle_segment(one, plan_1, 0) == report_verdict::late);
  CHECK(book.tell(one, plan_1, 0, token_ids{5}) == report_verdict::late);
  CHECK_FALSE(book.finish(one, plan_1).has_value());
  CHECK_FALSE(book.fail(one, plan_1, broken("no")).has_value());
  CHECK(book.give_up_plan(one, plan_1, "no").recover.empty());
  CHECK(book.counts().late == 6);
  CHECK(book.find(one)->phase == request_phase::planned);
  CHECK(book.find(one)->plan == plan_with(other));
  CHECK(book.find(one)->told.all().empty());
}

TEST_CASE("reports of no plan or of no request are unknown", "[policies][request_book]") {
  request_book book = book_with();
  CHECK(book.advance(one, plan_2, request_phase::splicing) == report_verdict::unknown);
  CHECK(book.advance(one, unplanned, request_phase::splicing) == report_verdict::unknown);
  CHECK(book.tell(request_of(7), plan_1, 0, {}) == report_verdict::unknown);
  CHECK_FALSE(book.finish(request_of(7), plan_1).has_value());
  CHECK_FALSE(book.plan(request_of(7), plan_with()).has_value());
  CHECK_FALSE(book.cancel(request_of(7)).has_value());
  CHECK(book.counts().unknown == 4);
  CHECK(book.find(one)->phase == request_phase::planned);
}

TEST_CASE("a plan says who has no part in it any more, and which charges are over",
          "[policies][request_book]") {
  request_book book = book_with();
  const auto change = book.plan(one, {.combine = other,
                                      .expected = {{1, right}, {2, combine}},
                                      .charges = {{other, 4}, {right, 1}}});
  CHECK(change->former == plan_1);
  CHECK(change->generation == plan_2);
  CHECK(change->dropped == nodes{left});
  CHECK(change->charges == charges{{combine, 1}, {left, 1}});
}

TEST_CASE("the segments of a lost scatter worker are planned anew, and no others",
          "[policies][request_book]") {
  for (const auto phase :
       {request_phase::planned, request_phase::prefilling, request_phase::splicing}) {
    request_book book = book_with();
    book.advance(one, plan_1, phase);
    CHECK(book.lose(left).recover == std::vector{recovery(recovery_kind::segments, {0, 2})});
    CHECK(book.find(one)->plan.expected == std::vector<expected_segment>{{1, right}});
    CHECK(book.find(one)->phase == phase);
    CHECK(book.plan(one, {.combine = combine, .expected = {{1, right}}})->dropped.empty());
  }
}

TEST_CASE("a worker whose segments have all arrived is not missed", "[policies][request_book]") {
  request_book book = book_with();
  CHECK(book.settle_segment(one, plan_1, 0) == report_verdict::taken);
  CHECK(book.settle_segment(one, plan_1, 2) == report_verdict::taken);
  CHECK(book.settle_segment(one, plan_1, 2) == report_verdict::taken);
  CHECK(book.lose(left).recover.empty());
  CHECK(book.lose(other).recover.empty());
  CHECK(book.lose({.node = {"right"}, .life = {2}}).recover.empty());  // Another life.
  CHECK(book.cancel(one)->tell == nodes{combine, right});
}

TEST_CASE("with the combine worker lost before the first token all is planned anew",
          "[policies][request_book]") {
  request_book book = book_with();
  CHECK(book.lose(combine).recover == std::vector{recovery(recovery_kind::whole)});
  CHECK(book.find(one)->phase == request_phase::waiting);
  CHECK(book.advance(one, plan_1, request_phase::splicing) == report_verdict::late);
  // A source lost on top of it: still all of it.
  CHECK(book.lose(left).recover == std::vector{recovery(recovery_kind::whole)});
  CHECK(book.plan(one, {.combine = other})->dropped == nodes{right});
}

TEST_CASE("with the combine worker lost in mid-stream the stream moves with the tokens told",
          "[policies][request_book]") {
  request_book book = book_with();
  stream(book);
  CHECK(book.lose(left).recover.empty());  // Nobody else was needed any more.
  CHECK(book.lose(combine).recover == std::vector{recovery(recovery_kind::stream)});
  // What it told last arrives late, and counts: the client has it.
  told_outcome told;
  CHECK(book.tell(one, plan_1, 1, token_ids{6, 7}, &told) == report_verdict::taken);
  CHECK(told.fresh == 1);
  CHECK(book.find(one)->phase == request_phase::waiting);
  CHECK(book.find(one)->told.all() == token_ids{5, 6, 7});
  CHECK(book.plan(one, {.combine = other, .expected = {{0, right}}})->generation == plan_2);
  CHECK(book.find(one)->told.all() == token_ids{5, 6, 7});
}

TEST_CASE("a stream that moved moves again, though its new worker told nothing",
          "[policies][request_book]") {
  request_book book({.plans_max = 3});
  REQUIRE(book.admit({.id = one, .gateway = gateway, .tokens_max = 9}));
  REQUIRE(book.plan(one, plan_with()));
  stream(book);
  REQUIRE(book.lose(combine).recover.size() == 1);
  REQUIRE(book.plan(one, {.combine = other, .expected = {{0, right}}}));
  CHECK(book.lose(right).recover == std::vector{recovery(recovery_kind::segments, {0})});
  CHECK(book.lose(other).recover == std::vector{recovery(recovery_kind::stream)});
}

TEST_CASE("tokens with a hole or that differ leave a request as it is",
          "[policies][request_book]") {
  request_book book = book_with();
  told_outcome told;
  CHECK(book.tell(one, plan_1, 1, token_ids{5}, &told) == report_verdict::taken);
  CHECK(told.verdict == told_verdict::gap);
  CHECK(book.find(one)->phase == request_phase::planned);
  stream(book);
  CHECK(book.tell(one, plan_1, 1, token_ids{7}, &told) == report_verdict::taken);
  CHECK(told.verdict == told_verdict::differs);
  CHECK(book.tell(one, plan_1, 0, token_ids(10, 5), &told) == report_verdict::taken);
  CHECK(book.find(one)->told.all() == token_ids{5, 6});
}

TEST_CASE("after plans_max plans a request fails by name", "[policies][request_book]") {
  request_book book = book_with();
  REQUIRE(book.lose(combine).recover.size() == 1);
  REQUIRE(book.plan(one, plan_with(other))->generation == plan_2);
  const request_losses losses = book.lose(left);
  CHECK(losses.recover.empty());
  REQUIRE(losses.ended.size() == 1);
  const request_end& end = losses.ended[0];
  CHECK(end.kind == request_end_kind::failed);
  CHECK(end.gateway == gateway);
  CHECK(end.tell == nodes{other, right});
  CHECK(end.charges == charges{{other, 1}, {left, 1}, {right, 1}});
  CHECK(end.why->kind == failure_kind::unavailable);
  CHECK(end.why->message == "request 1 has had 2 plans; of the last one worker left was lost");
  CHECK(book.in_flight() == 0);
}

TEST_CASE("a plan whose workers live but cannot go on is made anew", "[policies][request_book]") {
  request_book book = book_with();
  CHECK(book.give_up_plan(one, plan_1, "comb had no room").recover ==
        std::vector{recovery(recovery_kind::whole)});
  CHECK(book.plan(one, {.combine = other})->dropped == nodes{combine, left, right});
  const request_losses losses = book.give_up_plan(one, plan_2, "other had no room");
  REQUIRE(losses.ended.size() == 1);
  CHECK(losses.ended[0].why->message ==
        "request 1 has had 2 plans; of the last one other had no room");
}

TEST_CASE("a cancel tells everybody who works for the request, in each phase",
          "[policies][request_book]") {
  request_book book({.requests_max = 1});
  REQUIRE(book.admit({.id = one, .gateway = gateway, .tokens_max = 9}));
  nodes expected;
  SECTION("waiting") {}
  SECTION("planned") {
    book.plan(one, plan_with());
    expected = {combine, left, right};
  }
  SECTION("splicing") {
    book.plan(one, plan_with());
    book.advance(one, plan_1, request_phase::splicing);
    book.settle_segment(one, plan_1, 1);
    expected = {combine, left};
  }
  SECTION("streaming") {
    book.plan(one, plan_with());
    stream(book);
    expected = {combine};
  }
  SECTION("waiting after a loss") {
    book.plan(one, plan_with());
    book.lose(combine);
    expected = {left, right};
  }
  const auto end = book.cancel(one);
  REQUIRE(end.has_value());
  CHECK(end->kind == request_end_kind::cancelled);
  CHECK(end->tell == expected);
  CHECK_FALSE(book.cancel(one).has_value());
  CHECK(book.counts().ended.at(request_end_kind::cancelled) == 1);
}

TEST_CASE("a finished request tells only those who have not noticed", "[policies][request_book]") {
  request_book book = book_with();
  const auto end = book.finish(one, plan_1);  // Its combine worker made the segments itself.
  REQUIRE(end.has_value());
  CHECK(end->kind == request_end_kind::done);
  CHECK(end->tell == nodes{left, right});
  CHECK(end->charges.size() == 3);
  CHECK_FALSE(book.finish(one, plan_1).has_value());
  CHECK(book.counts().unknown == 1);
}

TEST_CASE("the last words of a lost plan may be that it is done", "[policies][request_book]") {
  request_book book = book_with();
  stream(book);
  REQUIRE(book.lose(combine).recover.size() == 1);
  CHECK(book.finish(one, plan_1)->tell.empty());
}

TEST_CASE("a request may fail by report, or by its router before any plan",
          "[policies][request_book]") {
  request_book book = book_with();
  const auto reported = book.fail(one, plan_1, broken("a state was not finite"));
  CHECK(reported->why->kind == failure_kind::broken);
  CHECK(reported->tell == nodes{combine, left, right});
  REQUIRE(book.admit({.id = one, .gateway = gateway}));
  CHECK(book.fail(one, unplanned, overloaded("later"))->tell.empty());
}

TEST_CASE("a request without its gateway is abandoned", "[policies][request_book]") {
  request_book book = book_with();
  const request_losses losses = book.lose(gateway);
  CHECK(losses.recover.empty());
  REQUIRE(losses.ended.size() == 1);
  CHECK(losses.ended[0].kind == request_end_kind::abandoned);
  CHECK(losses.ended[0].tell == nodes{combine, left, right});
}

TEST_CASE("at its deadline a request ends, in whatever phase", "[policies][request_book]") {
  request_book book = book_with(at_ms(100));
  CHECK(book.next_deadline() == at_ms(100));
  book.advance(one, plan_1, request_phase::prefilling);
  CHECK(book.expire(at_ms(99)).empty());
  const auto ended = book.expire(at_ms(100));
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].kind == request_end_kind::expired);
  CHECK(ended[0].tell == nodes{combine, left, right});
  CHECK(ended[0].why->message == "the deadline of request 1 passed while it was prefilling");
  CHECK(book.next_deadline() == std::nullopt);
  request_book patient = book_with();
  CHECK(patient.expire(at_ms(1'000'000)).empty());
}

}  // namespace weft
