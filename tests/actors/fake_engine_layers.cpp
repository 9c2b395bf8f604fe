// The test twin's open steps, and its entries layer by layer. All of an entry's hashes travel with
// layer 0; the others carry their number, so that a layer taken for another is found.
#include <cstring>
#include <utility>

#include "tests/actors/fake_engine.hpp"

namespace weft::actors {
namespace {

class fake_open_step final : public gpu::open_step {
 public:
  fake_open_step(gpu::step_plan what, std::int64_t layers)
      : plan(std::move(what)), layers_(layers) {}
  std::int64_t layers_done() const override { return done; }
  std::int64_t layers() const override { return layers_; }

  gpu::step_plan plan;
  std::int64_t done = 0;

 private:
  std::int64_t layers_;
};

template <class Visit>
void each_read(const gpu::step_plan& plan, const Visit& visit) {
  for (const auto* steps : {&plan.isolated, &plan.context})
    for (const gpu::sequence_step& step : *steps)
      for (const gpu::sequence_work& work : step.work) {
        if (const auto* jump = std::get_if<gpu::splice_entry>(&work)) visit(*jump->what);
        if (const auto* take = std::get_if<gpu::restore_checkpoint>(&work)) visit(*take->what);
      }
}

}  // namespace

std::unique_ptr<gpu::open_step> fake_engine::open(gpu::step_plan plan) {
  return std::make_unique<fake_open_step>(std::move(plan), layers());
}

void fake_engine::submit(gpu::open_step& step, std::int64_t end_layer,
                         std::function<void(result<std::optional<gpu::step_outcome>>)> done) {
  auto& open = static_cast<fake_open_step&>(step);
  expect(open.done < end_layer && end_layer <= layers(), "a piece has no layers");
  each_read(open.plan, [&](const gpu::entry& read) {
    if (read.arriving) expect(written_[&read] >= end_layer, "a step runs ahead of an arrival");
  });
  ++pieces;
  open.done = end_layer;
  if (end_layer < layers()) return done(std::optional<gpu::step_outcome>());
  submit(std::move(open.plan), [&done](result<gpu::step_outcome> outcome) {
    if (!outcome) return done(outcome.error());
    done(std::optional<gpu::step_outcome>(std::move(outcome).value()));
  });
}

std::int64_t fake_engine::layer_bytes_max(const gpu::entry& of, std::int64_t layer) const {
  return 8 * (layer == 0 ? 3 + of.tokens : 1);
}

std::int64_t fake_engine::read_layer(const gpu::entry& of, std::int64_t layer,
                                     std::span<std::byte> out) const {
  std::vector<std::uint64_t> words = {static_cast<std::uint64_t>(layer)};
  if (layer == 0) {
    words.push_back(state_memory_[static_cast<std::size_t>(of.state_slot.id())]);
    words.push_back(of.transition_slot
                        ? transition_memory_[static_cast<std::size_t>(of.transition_slot.id())]
                        : 0);
    for (std::int64_t token = 0; token < of.tokens; ++token) {
      const auto page = of.pages[static_cast<std::size_t>(token / gpu::page_tokens)].id();
      words.push_back(page_memory_[static_cast<std::size_t>(page)]
                                  [static_cast<std::size_t>(token % gpu::page_tokens)]);
    }
  }
  std::memcpy(out.data(), words.data(), words.size() * 8);
  return static_cast<std::int64_t>(words.size() * 8);
}

status fake_engine::write_layer(gpu::entry& to, std::int64_t layer,
                                std::span<const std::byte> record) {
  if (record.size() != static_cast<std::size_t>(layer_bytes_max(to, layer)))
    return rejected("a record of another length");
  std::vector<std::uint64_t> words(record.size() / 8);
  std::memcpy(words.data(), record.data(), record.size());
  if (words[0] != static_cast<std::uint64_t>(layer)) return rejected("a record of another layer");
  expect(written_[&to] == layer, "layers arrive out of order");
  written_[&to] = layer + 1;
  if (layer > 0) return {};
  state_memory_[static_cast<std::size_t>(to.state_slot.id())] = words[1];
  if (to.transition_slot)
    transition_memory_[static_cast<std::size_t>(to.transition_slot.id())] = words[2];
  for (std::int64_t token = 0; token < to.tokens; ++token) {
    const auto page = to.pages[static_cast<std::size_t>(token / gpu::page_tokens)].id();
    page_memory_[static_cast<std::size_t>(page)]
                [static_cast<std::size_t>(token % gpu::page_tokens)] =
                    words[static_cast<std::size_t>(3 + token)];
  }
  return {};
}

}  // namespace weft::actors
