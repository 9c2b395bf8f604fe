// A file that goes when SIGINT, SIGTERM or SIGHUP ends the process.
//
// Where one of these signals would end the process by default, a handler removes all such files and
// lets it end the same way. A program with a handler of its own keeps it, and an ignored signal
// stays ignored. Threads: any.
#pragma once

#include <string>

namespace weft::actors {

class removed_on_signal {
 public:
  // `path` need not be there yet. No more than 8 at a time are kept, each shorter than 4096 bytes;
  // others stay where they are.
  explicit removed_on_signal(const std::string& path);
  ~removed_on_signal();  // From now on the file stays.
  removed_on_signal(const removed_on_signal&) = delete;
  removed_on_signal& operator=(const removed_on_signal&) = delete;

 private:
  int place_ = -1;
};

}  // namespace weft::actors
