#include "gpu/comm/io_thread.hpp"

#include <future>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace weft::gpu::comm {

namespace asio = boost::asio;

struct io_thread::inside {
  asio::io_context context{1};  // One thread runs it.
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  std::thread thread;
};

io_thread::io_thread() : inside_(std::make_unique<inside>()) {
  inside_->thread = std::thread([this] { inside_->context.run(); });
}

io_thread::~io_thread() { stop(); }

void io_thread::stop() {
  inside_->context.stop();
  if (inside_->thread.joinable()) inside_->thread.join();
}

void io_thread::post(std::function<void()> task) { asio::post(inside_->context, std::move(task)); }

void io_thread::run(std::function<void()> task) {
  std::promise<void> done;
  post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

asio::io_context& io_thread::context() { return inside_->context; }

struct io_timer::inside {
  explicit inside(asio::io_context& context) : timer(context) {}
  asio::steady_timer timer;
  std::uint64_t round = 0;  // A cancelled timer's handler may be on its way; its round is past.
};

io_timer::io_timer(io_thread& io) : inside_(std::make_shared<inside>(io.context())) {}

io_timer::~io_timer() { cancel(); }

void io_timer::start(std::chrono::milliseconds after, std::function<void()> task) {
  const auto round = ++inside_->round;
  inside_->timer.expires_after(after);
  inside_->timer.async_wait(
      [inside = inside_, round, task = std::move(task)](const boost::system::error_code& error) {
        if (!error && inside->round == round) task();
      });
}

void io_timer::cancel() {
  ++inside_->round;
  inside_->timer.cancel();
}

}  // namespace weft::gpu::comm
