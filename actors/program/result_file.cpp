#include "actors/program/result_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "actors/program/removed_on_signal.hpp"
#include "gpu/checkpoint/fresh_file.hpp"

namespace weft::actors {
namespace {

namespace fs = std::filesystem;

failure cannot_write(const std::string& path) {
  return unavailable("cannot write '" + path + "': " + std::strerror(errno));
}

// What drafts lie beside: the file itself, or what a link leads to.
fs::path target_of(const std::string& path) {
  std::error_code ignored;
  fs::path target = fs::canonical(path, ignored);
  return target.empty() ? fs::path(path) : target;
}

// Making one says more than its folder's rights do.
bool can_make_beside(const fs::path& target) {
  const fs::path trial = gpu::fresh_name(target);
  const removed_on_signal guarded(trial.string());
  if (!gpu::make_fresh(trial)) return false;
  std::error_code ignored;
  fs::remove(trial, ignored);
  return true;
}

}  // namespace

struct result_file::draft {
  explicit draft(std::string of) : path(std::move(of)), beside(gpu::fresh_name(target_of(path))) {}
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;
  ~draft() {
    if (beside.empty() || !opened) return;
    std::error_code ignored;
    fs::remove(beside, ignored);
  }

  bool open() {
    if (opened) return true;
    if (!beside.empty()) {
      guarded.emplace(beside.string());
      if (!gpu::make_fresh(beside)) return false;
    }
    stream.open(beside.empty() ? fs::path(path) : beside, std::ios::binary | std::ios::trunc);
    opened = stream.is_open();
    return opened;
  }

  std::string path;
  fs::path beside;      // The draft; empty where there is none.
  bool opened = false;  // And not in its place yet.
  std::ofstream stream;
  std::optional<removed_on_signal> guarded;
};

result_file::result_file(std::unique_ptr<draft> made) : draft_(std::move(made)) {}
result_file::result_file(result_file&&) noexcept = default;
result_file& result_file::operator=(result_file&&) noexcept = default;
result_file::~result_file() = default;

const std::string& result_file::path() const { return draft_->path; }

result<result_file> result_file::make(const std::string& path) {
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  auto made = std::make_unique<draft>(path);
  errno = 0;
  // /dev/stdout may be a plain file to which others write too.
  if (fs::exists(there) && (!fs::is_regular_file(there) || path.starts_with("/dev/"))) {
    made->beside.clear();
    // Opened once: the reader of a pipe takes a second opening for another writer.
    made->stream.open(path, std::ios::binary | std::ios::app);
    if (!made->stream) return cannot_write(path);
    made->opened = true;
  } else if (fs::exists(there) && !std::ofstream(path, std::ios::binary | std::ios::app)) {
    return cannot_write(path);
  } else if (!can_make_beside(target_of(path))) {
    if (!fs::exists(there)) return cannot_write(path);
    made->beside.clear();
  }
  return result_file(std::move(made));
}

status result_file::write(std::string_view bytes) {
  errno = 0;
  if (!draft_->open()) return cannot_write(draft_->path);
  draft_->stream << bytes << std::flush;
  if (draft_->stream) return {};
  return unavailable("cannot write to '" + draft_->path + "': it takes no more");
}

status result_file::finish() {
  if (status written = write(""); !written) return written;
  draft_->stream.close();
  if (!draft_->stream)
    return unavailable("cannot write to '" + draft_->path + "': it takes no more");
  if (draft_->beside.empty()) return {};
  std::error_code error;
  const fs::path target = target_of(draft_->path);
  const fs::file_status there = fs::status(target, error);
  if (fs::exists(there)) fs::permissions(draft_->beside, there.permissions(), error);  // As it was.
  fs::rename(draft_->beside, target, error);
  draft_->opened = static_cast<bool>(error);
  if (!error) return {};
  return unavailable("cannot write '" + draft_->path + "': " + error.message());
}

}  // namespace weft::actors
