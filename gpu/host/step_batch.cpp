#include "gpu/host/step_batch.hpp"

#include <algorithm>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
namespace {

// Rows of a part: a norm's worth of work for a thread, few enough that all threads get some.
constexpr std::int64_t part_rows = 16;

// Ranges are computed one after the other; above so many all rows at once cost less.
constexpr std::size_t read_ranges_max = 8;

// Lays out one plan; holds the cursors of the two row classes.
class batch_builder {
 public:
  batch_builder(const step_plan& plan, std::int64_t conv_rows_max, step_batch& batch)
      : conv_rows_max_(conv_rows_max), batch_(batch) {
    clear();
    // What lies in one vector is pointed into: room for all of it comes first.
    batch_.work.reserve(count_rows(plan.isolated) + count_rows(plan.context));
    const auto rows = static_cast<std::size_t>(batch_.rows());
    next_decode_ = batch_.prefill_rows;
    batch_.tokens.resize(rows);
    batch_.positions.resize(rows);
    batch_.key_pages.resize(rows);
    batch_.key_slots.resize(rows);
    batch_.isolated.reserve(plan.isolated.size());
    batch_.context.reserve(plan.context.size());
    for (const sequence_step& step : plan.isolated)
      batch_.isolated.push_back(lay_out_sequence(step));
    for (const sequence_step& step : plan.context) batch_.context.push_back(lay_out_sequence(step));
    list_read_ranges();
    std::size_t spans = 0;
    batch_.each([&](const batch_sequence& one) { spans += one.target->spans.size(); });
    batch_.spans.reserve(spans);
    batch_.each([this](batch_sequence& one) {
      view_spans(one);
      for (const batch_work& work : one.work)
        if (const auto* run = std::get_if<batch_run>(&work)) list_rows(one, *run);
    });
  }

 private:
  void clear() {
    batch_.isolated.clear();
    batch_.context.clear();
    batch_.work.clear();
    batch_.spans.clear();
    batch_.prefill_rows = 0;
    batch_.decode_rows = 0;
    batch_.runs = 0;
    batch_.read_ranges.clear();
    batch_.row_order.clear();
    batch_.parts.clear();
    batch_.stretches.clear();
    batch_.positions_end = 0;
  }

  // Adds up rows by class; returns how many pieces of work there are.
  std::size_t count_rows(const std::vector<sequence_step>& steps) {
    std::size_t pieces = 0;
    for (const sequence_step& step : steps) {
      pieces += step.work.size();
      for (const sequence_work& work : step.work)
        if (const auto* run = std::get_if<run_tokens>(&work)) {
          auto& rows = run->kind == row_class::prefill ? batch_.prefill_rows : batch_.decode_rows;
          rows += static_cast<std::int64_t>(run->tokens.size());
        }
    }
    return pieces;
  }

  batch_sequence lay_out_sequence(const sequence_step& step) {
    WEFT_ASSERT(step.target != nullptr);
    batch_sequence made;
    made.target = step.target;
    made.starts_at_zero = step.target->state_is_zero;
    made.building_before = step.target->building.get();
    const std::size_t first = batch_.work.size();
    for (const sequence_work& work : step.work) {
      std::visit([&](const auto& one) { batch_.work.push_back(lay_out_work(*step.target, one)); },
                 work);
      step.target->state_is_zero = false;
    }
    made.work = std::span(batch_.work).subspan(first);
    return made;
  }

  batch_work lay_out_work(sequence& target, const run_tokens& run) {
    const auto tokens = static_cast<std::int64_t>(run.tokens.size());
    WEFT_ASSERT(tokens > 0);
    WEFT_ASSERT(run.targets.empty() || run.targets.size() == run.tokens.size());
    const bool decode = run.kind == row_class::decode;
    if (run.starts_grid && !decode) {
      if (!target.building) open_overlay_span(target);
      target.grid_offset = 0;
    }
    // A prompt is cut at grid edges only, else its chunks would have other borders.
    WEFT_ASSERT(decode || target.grid_offset % chunk_tokens == 0);
    target.grid_offset += tokens;
    std::int64_t& next = decode ? next_decode_ : next_prefill_;
    batch_run made{.first_row = next,
                   .tokens = tokens,
                   .position = target.tokens,
                   .kind = run.kind,
                   .index = batch_.runs++,
                   .source = &run};
    for (std::int64_t i = 0; i < tokens; ++i)
      place_token(target, run.tokens[static_cast<std::size_t>(i)], next++);
    return made;
  }

  static void open_overlay_span(sequence& target) {
    WEFT_ASSERT(target.reserved_used < target.reserved.size());
    overlay_run& room = target.reserved[target.reserved_used++];
    target.spans.push_back({.first = target.tokens, .blocks = std::move(room.blocks)});
  }

  // Gives the next token of `target` its row and the place of its key and value.
  void place_token(sequence& target, token_id token, std::int64_t row) {
    key_span& span = target.spans.back();
    WEFT_ASSERT(span.turn == 0 && span.first + span.tokens == target.tokens);
    std::int32_t page = 0;
    auto slot = static_cast<std::int32_t>(span.tokens % page_tokens);
    const auto block = static_cast<std::size_t>(span.tokens / page_tokens);
    if (target.building) {
      WEFT_ASSERT(block < target.building->pages.size());
      page = target.building->pages[block].id();
      ++target.building->tokens;
    } else {
      WEFT_ASSERT(target.reserved_used > 0);
      const overlay_run& room = target.reserved[target.reserved_used - 1];
      WEFT_ASSERT(span.tokens < room.tokens_max);
      page = target.pages[room.first_page + block].id();
      slot += room.offset;
    }
    if (span.tokens % page_tokens == 0)
      span.blocks.push_back({.page = page, .offset = slot, .count = 0});
    ++span.blocks.back().count;
    ++span.tokens;
    const auto at = static_cast<std::size_t>(row);
    batch_.tokens[at] = token;
    batch_.positions[at] = target.tokens++;
    batch_.key_pages[at] = page;
    batch_.key_slots[at] = slot;
    batch_.positions_end = std::max(batch_.positions_end, target.tokens);
  }

  // The entry's keys become visible to what follows in `target`.
  static void show_keys(sequence& target, const std::shared_ptr<const entry>& what, bool turned) {
    key_span span{.turn = turned ? target.tokens - what->local_begin : 0,
                  .first = target.tokens,
                  .tokens = what->tokens};
    for (std::int64_t first = 0; first < what->tokens; first += page_tokens)
      span.blocks.push_back(
          {.page = what->pages[static_cast<std::size_t>(first / page_tokens)].id(),
           .count = static_cast<std::int32_t>(std::min(page_tokens, what->tokens - first))});
    target.spans.push_back(std::move(span));
    target.tokens += what->tokens;
    target.held.push_back(what);
  }

  batch_work lay_out_work(sequence& target, const splice_entry& splice) {
    WEFT_ASSERT(!target.building && (splice.what->complete || splice.what->arriving));
    WEFT_ASSERT(splice.what->kind == entry_kind::splice);
    show_keys(target, splice.what, splice.turn_keys);
    return batch_splice{.what = splice.what.get(), .apply_transition = splice.apply_transition};
  }

  batch_work lay_out_work(sequence& target, const restore_checkpoint& restore) {
    WEFT_ASSERT(!target.building && (restore.what->complete || restore.what->arriving));
    WEFT_ASSERT(restore.what->kind == entry_kind::checkpoint);
    WEFT_ASSERT(restore.what->local_begin == target.tokens);
    show_keys(target, restore.what, true);
    return batch_restore{.what = restore.what.get()};
  }

  static batch_work lay_out_work(sequence& target, const begin_entry& begin) {
    WEFT_ASSERT(!target.building && !begin.what->complete && begin.what->tokens == 0);
    target.building = begin.what;
    begin.what->local_begin = target.tokens;
    begin.what->from_zero = target.state_is_zero;
    target.spans.push_back({.first = target.tokens});
    return batch_begin{.what = begin.what.get(), .with_transition = begin.with_transition};
  }

  batch_work lay_out_work(sequence& target, const end_entry&) const {
    WEFT_ASSERT(target.building != nullptr);
    entry& done = *target.building;
    WEFT_ASSERT(done.tokens == done.tokens_max);
    done.complete = true;
    done.conv_rows = std::min(conv_rows_max_, done.tokens);
    target.held.push_back(target.building);
    target.building.reset();
    return batch_end{.what = &done};
  }

  void view_spans(batch_sequence& one) {
    const std::size_t first = batch_.spans.size();
    for (const key_span& span : one.target->spans) {
      batch_.spans.push_back({.turn = span.turn,
                              .first = span.first,
                              .blocks = span.blocks.data(),
                              .block_count = static_cast<std::int64_t>(span.blocks.size())});
      batch_.positions_end = std::max(batch_.positions_end, one.target->tokens - span.turn);
    }
    one.spans = std::span(batch_.spans).subspan(first);
  }

  void add_read_rows(std::int64_t first, std::int64_t rows) {
    std::vector<row_range>& ranges = batch_.read_ranges;
    if (!ranges.empty() && ranges.back().first + ranges.back().rows == first)
      ranges.back().rows += rows;
    else
      ranges.push_back({first, rows});
  }

  void list_read_ranges() {
    std::vector<const batch_run*>& runs = batch_.row_order;
    batch_.each([&](const batch_sequence& one) {
      for (const batch_work& work : one.work)
        if (const auto* run = std::get_if<batch_run>(&work)) runs.push_back(run);
    });
    std::sort(runs.begin(), runs.end(),
              [](const batch_run* a, const batch_run* b) { return a->first_row < b->first_row; });
    for (const batch_run* run : runs) {
      if (!run->source->targets.empty())
        add_read_rows(run->first_row, run->tokens);
      else if (run->source->draw || run->source->want_logits)
        add_read_rows(run->first_row + run->tokens - 1, 1);
    }
    if (batch_.read_ranges.size() > read_ranges_max)
      batch_.read_ranges.assign(1, {.first = 0, .rows = batch_.rows()});
  }

  void list_rows(const batch_sequence& one, const batch_run& run) {
    for (std::int64_t first = 0; first < run.tokens; first += part_rows)
      batch_.parts.push_back({&run, first, std::min(part_rows, run.tokens - first)});
    if (!batch_.stretches.empty()) {
      batch_stretch& last = batch_.stretches.back();
      if (last.sequence == &one && last.first_row + last.tokens == run.first_row &&
          last.position + last.tokens == run.position) {
        last.tokens += run.tokens;
        return;
      }
    }
    batch_.stretches.push_back({&one, run.first_row, run.position, run.tokens});
  }

  std::int64_t conv_rows_max_;
  step_batch& batch_;
  std::int64_t next_prefill_ = 0;
  std::int64_t next_decode_ = 0;
};

}  // namespace

void lay_out(const step_plan& plan, std::int64_t conv_rows_max, step_batch& batch) {
  batch_builder(plan, conv_rows_max, batch);
}

}  // namespace weft::gpu
