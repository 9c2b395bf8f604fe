// What one sequence has still to do in its prompt, and cuts of it for engine steps.
//
// A script is made once from the prompt's layout. Whether an entry was warm or cold changes only
// whether its item says `restore` or `make`: the runs around it, their grids and their order stay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "actors/session/entry_slot.hpp"
#include "gpu/door/step_plan.hpp"
#include "policies/placement/step_cut.hpp"

namespace weft::actors {

enum class script_act : std::uint8_t {
  run,      // tokens in context
  splice,   // jump over an entry
  restore,  // take up a checkpoint
  make,     // tokens into an entry
};

struct script_item {
  script_act what = script_act::run;
  std::size_t segment = 0;                 // For the accounts; `no_segment` for the anchor.
  std::span<const token_id> tokens = {};   // Of `run`, `make` and what may become `make`.
  slot_ptr slot = nullptr;                 // Of all but `run`.
  std::optional<token_id> following = {};  // The prompt's next token, if it runs in context.
  std::int64_t done = 0;                   // Tokens that ran.
};

inline constexpr std::size_t no_segment = static_cast<std::size_t>(-1);

struct script_options {
  std::uint64_t maker = 0;  // The request, to know its own entries.
  bool apply_transition = true;
  bool turn_keys = true;
  bool with_transitions = true;            // False: entries made here get no T.
  bool want_scores = false;                // Targets for every `run`.
  bool want_logits = false;                // Of the last token.
  std::optional<gpu::sampling> draw = {};  // From the last token.
};

class sequence_script {
 public:
  sequence_script() = default;
  // `tokens` of the items must outlive the script.
  sequence_script(std::vector<script_item> items, const script_options& options)
      : items_(std::move(items)), options_(options) {}

  // What is left, as the step-cutting policy sees it. An entry that another request makes, or a
  // checkpoint that is not there yet, needs an id that nobody gives.
  lane remaining() const;

  struct cut {
    std::vector<gpu::sequence_work> work;
    struct share {
      std::size_t segment = 0;
      std::int64_t rows = 0;
    };
    std::vector<share> shares;
    std::vector<slot_ptr> made;  // Entries that end in this cut.
    std::int64_t rows = 0;
    std::int64_t splices = 0;
    bool finished = false;
  };

  // Takes the next `tokens` off the script. Requires: at most what `remaining` allowed, positive.
  cut take(std::int64_t tokens);

  // The checkpoint's maker gave up; this sequence makes it when it comes there.
  // Requires: the slot's item lies ahead.
  void make_here(const slot_ptr& slot);

 private:
  void take_run(script_item& item, std::int64_t tokens, cut& into) const;

  std::vector<script_item> items_;
  std::size_t next_ = 0;
  script_options options_;
};

}  // namespace weft::actors
