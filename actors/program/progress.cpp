#include "actors/program/progress.hpp"

#include <algorithm>
#include <ostream>

namespace weft::actors {
namespace {

constexpr std::int64_t bar_cells = 30;
constexpr std::chrono::milliseconds draw_period{
    100};  // Ten a second looks alive and costs nothing.

}  // namespace

progress::progress(console& at, std::string what, std::int64_t total, bool wanted)
    : at_(&at),
      what_(std::move(what)),
      total_(std::max<std::int64_t>(1, total)),
      shown_(wanted && at.err_is_terminal),
      next_draw_(std::chrono::steady_clock::now()) {
  draw();
}

progress::~progress() {
  if (shown_) at_->err << "\r\x1b[K" << std::flush;
}

void progress::advance(const std::string& what) {
  if (!what.empty()) what_ = what;
  reach(done_ + 1);
}

void progress::reach(std::int64_t done) {
  done_ = std::min(done, total_);
  draw();
}

void progress::draw() {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_draw_ && done_ < total_) return;
  next_draw_ = now + draw_period;
  const auto full = static_cast<std::size_t>(bar_cells * done_ / total_);
  at_->err << "\r\x1b[K[" << std::string(full, '#')
           << std::string(static_cast<std::size_t>(bar_cells) - full, '.') << "] " << done_ << "/"
           << total_ << " " << what_ << std::flush;
}

}  // namespace weft::actors
