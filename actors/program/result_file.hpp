// A file that gets its content only once all of it is there.
//
// What is written goes to a draft beside it, under a name of its own, which takes the file's place
// in `finish`. Who fails or is stopped by SIGINT, SIGTERM or SIGHUP before that leaves no trace,
// and what the file held stays. What is no plain file (a pipe, a
// device), or lies where no draft can be made, is written at once. Threads: one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft::actors {

class result_file {
 public:
  // `unavailable` when `path` cannot be written. A plain file is left as it is.
  static result<result_file> make(const std::string& path);

  result_file(result_file&&) noexcept;
  result_file& operator=(result_file&&) noexcept;
  ~result_file();  // Without `finish` the draft goes.

  const std::string& path() const;

  // Adds `bytes`. `unavailable` when the disk or the pipe takes no more.
  status write(std::string_view bytes);

  // All is written: now the file is what was written, or as it was, and that is a failure.
  status finish();

 private:
  struct draft;
  explicit result_file(std::unique_ptr<draft> made);

  std::unique_ptr<draft> draft_;
};

}  // namespace weft::actors
