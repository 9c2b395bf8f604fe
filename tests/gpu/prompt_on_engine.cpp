#include "tests/gpu/prompt_on_engine.hpp"

#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/checkpoint.hpp"
#include "tests/gpu/chosen_instructions.hpp"

namespace weft::gpu {
namespace {

class prompt_runner {
 public:
  prompt_runner(engine& on, const prompt_on_engine_options& options, entry_shelf& shelf)
      : on_(on), options_(options), shelf_(shelf), context_(make()) {}

  prompt_result run(const std::vector<token_ids>& segments) {
    shelf_.resize(segments.size());
    reserve(segments);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const bool question = i + 1 == segments.size();
      if (question)
        add_run(context_, segments[i], true);
      else if (i > 0 && is_entry(segments[i]))
        add_entry(segments[i], i);
      else
        add_run(context_, segments[i], false);
    }
    if (options_.look) options_.look(context_);
    return decode();
  }

 private:
  sequence make() {
    auto made = on_.make_sequence();
    REQUIRE(made.ok());
    return std::move(*made);
  }

  bool is_entry(const token_ids& segment) const {
    return options_.splices && static_cast<std::int64_t>(segment.size()) >
                                   options_.cut.head_tokens + options_.cut.tail_tokens;
  }

  void reserve(const std::vector<token_ids>& segments) {
    std::vector<std::int64_t> runs;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const auto tokens = static_cast<std::int64_t>(segments[i].size());
      if (i + 1 == segments.size()) {
        runs.push_back(tokens + options_.new_tokens_max);
      } else if (i > 0 && is_entry(segments[i])) {
        if (options_.cut.head_tokens > 0) runs.push_back(options_.cut.head_tokens);
        if (options_.cut.tail_tokens > 0) runs.push_back(options_.cut.tail_tokens);
      } else {
        runs.push_back(tokens);
      }
    }
    REQUIRE(on_.reserve(context_, runs).ok());
  }

  sequence_outcome step(sequence& target, std::vector<sequence_work> work) {
    step_plan plan;
    plan.context.push_back({.target = &target, .work = std::move(work)});
    auto done = run_step(on_, std::move(plan));
    REQUIRE(done.ok());
    if (done->context[0].error) FAIL(done->context[0].error->message);
    return std::move(done->context[0]);
  }

  void add_run(sequence& target, const token_ids& tokens, bool last) {
    const std::size_t cut =
        options_.cut_tokens > 0 ? static_cast<std::size_t>(options_.cut_tokens) : tokens.size();
    for (std::size_t first = 0; first < tokens.size(); first += cut) {
      const std::size_t end = std::min(tokens.size(), first + cut);
      run_tokens run{.tokens = token_ids(tokens.begin() + static_cast<std::ptrdiff_t>(first),
                                         tokens.begin() + static_cast<std::ptrdiff_t>(end)),
                     .starts_grid = first == 0};
      if (last && end == tokens.size()) {
        run.draw = sampling{};
        run.want_logits = true;
      }
      last_ = step(target, {std::move(run)});
    }
  }

  void add_entry(const token_ids& tokens, std::size_t index) {
    const auto head = tokens.begin() + options_.cut.head_tokens;
    const auto tail = tokens.end() - options_.cut.tail_tokens;
    if (!shelf_[index])
      shelf_[index] = isolate(token_ids(tokens.begin(), head), token_ids(head, tail));
    if (head != tokens.begin()) add_run(context_, token_ids(tokens.begin(), head), false);
    step(context_, {splice_entry{.what = shelf_[index],
                                 .apply_transition = options_.apply_transition,
                                 .turn_keys = options_.turn_keys}});
    if (tail != tokens.end()) add_run(context_, token_ids(tail, tokens.end()), false);
  }

  std::shared_ptr<const entry> isolate(const token_ids& head, const token_ids& stored) {
    sequence alone = make();
    if (!options_.anchor.empty()) step(alone, {restore_checkpoint{anchor()}});
    if (!head.empty()) {
      REQUIRE(on_.reserve(alone, {static_cast<std::int64_t>(head.size())}).ok());
      add_run(alone, head, false);
    }
    auto made = on_.make_entry(entry_kind::splice, static_cast<std::int64_t>(stored.size()));
    REQUIRE(made.ok());
    step(alone, {begin_entry{*made}});
    add_run(alone, stored, false);
    step(alone, {end_entry{}});
    return *made;
  }

  std::shared_ptr<const entry> anchor() {
    if (anchor_) return anchor_;
    sequence alone = make();
    auto made =
        on_.make_entry(entry_kind::checkpoint, static_cast<std::int64_t>(options_.anchor.size()));
    REQUIRE(made.ok());
    step(alone, {begin_entry{*made}});
    add_run(alone, options_.anchor, false);
    step(alone, {end_entry{}});
    anchor_ = *made;
    return anchor_;
  }

  prompt_result decode() {
    prompt_result made;
    made.logits = last_.logits;
    const token_ids& ends = on_.shape().end_tokens;
    for (std::int64_t i = 1; i <= options_.new_tokens_max; ++i) {
      const token_id token = *last_.token;
      if (std::find(ends.begin(), ends.end(), token) != ends.end()) break;
      made.generated.push_back(token);
      if (i == options_.new_tokens_max) break;
      last_ = step(context_, {run_tokens{.tokens = {token},
                                         .kind = row_class::decode,
                                         .starts_grid = false,
                                         .draw = sampling{.index = i}}});
    }
    return made;
  }

  engine& on_;
  const prompt_on_engine_options& options_;
  entry_shelf& shelf_;
  sequence context_;
  std::shared_ptr<const entry> anchor_;
  sequence_outcome last_;
};

}  // namespace

prompt_result run_prompt(engine& on, const std::vector<token_ids>& segments,
                         const prompt_on_engine_options& options, entry_shelf& shelf) {
  return prompt_runner(on, options, shelf).run(segments);
}

std::unique_ptr<host_engine> bundled_engine(const engine_options& options) {
  auto weights =
      load_checkpoint(std::filesystem::path(WEFT_SOURCE_DIR) / "examples/models/tiny-qwen3_5");
  if (!weights) FAIL(weights.error().message);
  engine_options chosen = options;
  chosen.instructions = testing::chosen_instructions();
  auto made = host_engine::make(std::move(*weights), chosen);
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

}  // namespace weft::gpu
