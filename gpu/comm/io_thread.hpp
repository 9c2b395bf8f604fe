// One thread that waits for sockets and timers; everything of one server or client runs on it.
//
// The library behind it (Boost.Asio) is named in .cpp files only: it is heavy to compile, and the
// protocol above needs to know just streams, timers and `post`.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace weft::gpu::comm {

class io_thread {
 public:
  io_thread();
  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;
  // Stops. Requires: not on the thread itself; all streams, listeners and timers are gone or go
  // with the tasks that are dropped here.
  ~io_thread();

  // Runs `task` on the thread, after those posted before it. From any thread.
  void post(std::function<void()> task);

  // Runs `task` on the thread and waits for it. Requires: not on the thread itself.
  void run(std::function<void()> task);

  // Ends the thread once the task at hand is done; what is still posted is never run.
  // Called by the destructor too. Requires: not on the thread itself.
  void stop();

  boost::asio::io_context& context();

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

// Calls once after a while. Used on its I/O thread only.
class io_timer {
 public:
  explicit io_timer(io_thread& io);
  ~io_timer();

  // Replaces what was started before.
  void start(std::chrono::milliseconds after, std::function<void()> task);
  // The task is not called any more, not even if its time has come already.
  void cancel();

 private:
  struct inside;
  std::shared_ptr<inside> inside_;
};

}  // namespace weft::gpu::comm
