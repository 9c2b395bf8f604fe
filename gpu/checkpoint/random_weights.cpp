#include "gpu/checkpoint/random_weights.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <new>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "gpu/checkpoint/weight_layout.hpp"

namespace weft::gpu {
namespace {

struct range {
  double low = 0;
  double high = 0;
};

range range_of(const wanted_tensor& tensor) {
  switch (tensor.role) {
    case weight_role::matrix: {
      // Variance 1 / inputs: what comes out is as large as what went in.
      const double bound = std::sqrt(3.0 / static_cast<double>(tensor.dims.back()));
      return {-bound, bound};
    }
    case weight_role::zero_centred_norm: return {-0.1, 0.1};
    case weight_role::plain_norm: return {0.9, 1.1};
    case weight_role::convolution: {
      const double bound = std::sqrt(3.0 / static_cast<double>(tensor.dims.back()));
      return {-bound, bound};
    }
    case weight_role::decay_log: return {0.0, 2.77};    // Rates from 1 to 16.
    case weight_role::step_bias: return {-6.9, -2.25};  // Steps from 0.001 to 0.1 after softplus.
  }
  return {};
}

std::uint64_t mix(std::uint64_t x) {  // splitmix64's output function.
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A piece of a tensor to be filled: element i is a function of (key, i) and the range.
struct job {
  std::uint16_t* tensor = nullptr;
  std::int64_t first = 0;  // A multiple of 4.
  std::int64_t last = 0;
  std::uint64_t key = 0;
  range values;
};

// Even steps through a range, as bf16. Drawing from a table costs a few instructions an element.
constexpr std::size_t table_size = 4096;
using value_table = std::array<std::uint16_t, table_size>;

value_table table_of(const range& values) {
  value_table table = {};
  for (std::size_t i = 0; i < table_size; ++i) {
    const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(table_size);
    const auto value = static_cast<float>(values.low + (values.high - values.low) * part);
    table[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  }
  return table;
}

// Four elements come out of one number.
void fill(const job& work) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  const value_table table = table_of(work.values);
  for (std::int64_t i = work.first; i < work.last; i += 4) {
    std::uint64_t bits = mix(work.key + static_cast<std::uint64_t>(i) * golden);
    const std::int64_t end = std::min(i + 4, work.last);
    for (std::int64_t j = i; j < end; ++j) {
      work.tensor[j] = table[bits % table_size];
      bits >>= 16;
    }
  }
}

// Threads take jobs in turn; which one takes which changes nothing.
void fill_all(const std::vector<job>& jobs) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) fill(jobs[i]);
  };
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
  std::vector<std::thread> helpers;
  try {
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer threads do the same work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

// Gives out views of one stretch of memory, tensor by tensor, and notes what to fill them with.
// Without memory it only counts.
class tensor_maker {
 public:
  tensor_maker(std::uint16_t* memory, std::uint64_t seed) : memory_(memory), seed_(seed) {}

  tensor_view make(const wanted_tensor& wanted) {
    tensor_view view{wanted.name, element_type::bfloat16, wanted.dims, {}};
    if (wanted.unused) return view;
    const std::int64_t elements = view.elements();
    if (memory_ != nullptr) {
      std::uint16_t* tensor = memory_ + elements_;
      view.bytes = std::as_bytes(std::span(tensor, static_cast<std::size_t>(elements)));
      const std::uint64_t key = mix(seed_ ^ mix(static_cast<std::uint64_t>(elements_)));
      for (std::int64_t first = 0; first < elements; first += job_elements) {
        const std::int64_t last = std::min(first + job_elements, elements);
        jobs_.push_back({tensor, first, last, key, range_of(wanted)});
      }
    }
    elements_ += elements;
    return view;
  }

  std::int64_t elements() const { return elements_; }
  const std::vector<job>& jobs() const { return jobs_; }

 private:
  // Large enough that a job's table costs nothing, small enough to share out evenly.
  static constexpr std::int64_t job_elements = std::int64_t{1} << 20;

  std::uint16_t* memory_;
  std::uint64_t seed_;
  std::int64_t elements_ = 0;
  std::vector<job> jobs_;
};

model_weights lay_out_in(tensor_maker& maker, const model_shape& shape) {
  return lay_out(shape, "model.", "lm_head.weight",
                 {.take = [&](const wanted_tensor& wanted) { return maker.make(wanted); }});
}

failure too_large(std::int64_t bytes) {
  return overloaded("random weights of this shape need " + std::to_string(bytes >> 20) +
                    " MiB, more than this machine's memory; choose a smaller model");
}

std::int64_t machine_memory() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

result<model_weights> random_weights(const model_shape& shape, std::uint64_t seed) {
  tensor_maker counter(nullptr, seed);
  lay_out_in(counter, shape);
  const std::int64_t bytes = 2 * counter.elements();
  if (bytes > machine_memory()) return too_large(bytes);
  std::shared_ptr<std::uint16_t[]> memory;
  try {
    memory = std::make_shared_for_overwrite<std::uint16_t[]>(
        static_cast<std::size_t>(counter.elements()));
  } catch (const std::bad_alloc&) {
    return too_large(bytes);
  }
  tensor_maker maker(memory.get(), seed);
  model_weights weights = lay_out_in(maker, shape);
  fill_all(maker.jobs());
  weights.storage = std::move(memory);
  return weights;
}

}  // namespace weft::gpu
