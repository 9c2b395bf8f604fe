#include "messages/prompt/split_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "messages/prompt/split_dialect.hpp"
#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

// Patterns in use are below 300 bytes.
constexpr std::size_t regex_bytes_max = 4096;

struct release {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};

template <class Handle>
using owned = std::unique_ptr<Handle, release>;

// One thread's match memory. Groups are not asked for, so one pair of offsets is enough.
struct match_memory {
  owned<pcre2_match_data> data{pcre2_match_data_create(1, nullptr)};
  owned<pcre2_match_context> context{pcre2_match_context_create(nullptr)};
  owned<pcre2_jit_stack> stack{
      pcre2_jit_stack_create(std::size_t{32} << 10, std::size_t{1} << 20, nullptr)};

  match_memory() {
    if (!usable()) return;
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    pcre2_set_heap_limit(context.get(), 256U << 10);  // KiB, of the interpreter.
  }

  bool usable() const { return data && context && stack; }

  // Steps of one match. A long run of spaces is taken whole and given back one by one, so the bound
  // grows with the text; a pattern that backtracks exponentially still meets it.
  void limit_steps(std::size_t text_bytes) {
    const std::size_t steps = std::max<std::size_t>(1'000'000, 8 * text_bytes);
    pcre2_set_match_limit(context.get(), static_cast<std::uint32_t>(std::min<std::size_t>(
                                             steps, std::numeric_limits<std::uint32_t>::max())));
  }
};

match_memory& memory_of_this_thread() {
  static thread_local match_memory memory;
  return memory;
}

std::string error_text(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct split_pattern::compiled {
  owned<pcre2_code> code;
  bool machine_code = false;

  // The next match at or after `from`: the library's return value.
  int match(std::string_view text, std::size_t from, match_memory& memory) const {
    const auto* bytes = reinterpret_cast<PCRE2_SPTR>(text.data());
    if (machine_code) {
      const int found = pcre2_jit_match(code.get(), bytes, text.size(), from, 0, memory.data.get(),
                                        memory.context.get());
      // The interpreter keeps its frames on the heap and can go deeper.
      if (found != PCRE2_ERROR_JIT_STACKLIMIT) return found;
    }
    return pcre2_match(code.get(), bytes, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                       memory.data.get(), memory.context.get());
  }
};

result<split_pattern> split_pattern::make(std::string_view regex) {
  if (regex.empty()) return rejected("the regular expression is empty");
  if (regex.size() > regex_bytes_max) {
    return rejected("the regular expression is longer than " + std::to_string(regex_bytes_max) +
                    " bytes");
  }
  const result<std::string> translated = translate_split_regex(regex);
  if (!translated.ok()) return translated.error();

  const owned<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
  if (!context) return broken("no memory to compile a regular expression");
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int code = 0;
  PCRE2_SIZE offset = 0;
  auto content = std::make_shared<compiled>();
  content->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated->data()),
                                    translated->size(),
                                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NO_AUTO_CAPTURE,
                                    &code, &offset, context.get()));
  if (!content->code) {
    return rejected("the regular expression " + in_quotes(regex) +
                    " does not compile: " + error_text(code));
  }
  content->machine_code = pcre2_jit_compile(content->code.get(), PCRE2_JIT_COMPLETE) == 0;
  return split_pattern(std::move(content));
}

status split_pattern::cut(std::string_view text, std::vector<std::string_view>& pieces) const {
  match_memory& memory = memory_of_this_thread();
  if (!memory.usable()) return broken("no memory to match a regular expression");
  memory.limit_steps(text.size());
  const PCRE2_SIZE* found = pcre2_get_ovector_pointer(memory.data.get());
  std::size_t done = 0;  // Up to here the text is in `pieces`.
  std::size_t from = 0;  // Where to look on.
  while (from < text.size()) {
    const int outcome = code_->match(text, from, memory);
    if (outcome == PCRE2_ERROR_NOMATCH) break;
    if (outcome < 0) {
      return rejected("the tokenizer's regular expression gives up at byte " +
                      std::to_string(from) + " of a text: " + error_text(outcome));
    }
    const std::size_t begin = found[0];
    const std::size_t end = found[1];
    if (begin < from || end < begin)
      return rejected("the tokenizer's regular expression moves back");
    if (begin > done) pieces.push_back(text.substr(done, begin - done));
    if (end > begin) pieces.push_back(text.substr(begin, end - begin));
    done = end;
    // An empty match cuts, and the search goes on behind the next character.
    from = end > begin || end == text.size() ? end : end + step_utf8(text.substr(end)).length;
  }
  if (done < text.size()) pieces.push_back(text.substr(done));
  return {};
}

}  // namespace weft::messages
