#include "actors/program/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string number_text(double value) {
  // Whole numbers in full: 9e+15 would not be understood as a value.
  if (std::abs(value) <= 9e15 && value == std::floor(value))
    return std::to_string(static_cast<std::int64_t>(value));
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

failure bad_value(const option_rule& rule, std::string_view value, const std::string& wanted) {
  return rejected(std::string(rule.name) + " got '" + std::string(value) + "'; it takes " + wanted);
}

std::string range_text(const option_rule& rule, const char* noun) {
  return std::string(noun) + " from " + number_text(rule.least) + " to " + number_text(rule.most);
}

status check_choice(const option_rule& rule, std::string_view value) {
  std::string known;
  for (const std::string_view choice : rule.choices) {
    if (choice == value) return {};
    known += known.empty() ? "" : ", ";
    known += choice;
  }
  const std::string_view near = nearest_name(value, rule.choices);
  const std::string hint = near.empty() ? "" : "; did you mean " + std::string(near) + "?";
  return bad_value(rule, value, "one of " + known + hint);
}

bool in_range(const option_rule& rule, double value) {
  return std::isfinite(value) && value >= rule.least && value <= rule.most;
}

status check_value(const option_rule& rule, std::string_view value) {
  switch (rule.kind) {
    case option_kind::flag: break;
    case option_kind::text:
      if (value.empty()) return bad_value(rule, value, "a value that is not empty");
      break;
    case option_kind::integer: {
      const auto number = whole_number<std::int64_t>(value);
      if (!number || !in_range(rule, static_cast<double>(*number)))
        return bad_value(rule, value, range_text(rule, "a whole number"));
      break;
    }
    case option_kind::real: {
      const auto number = whole_number<double>(value);
      if (!number || !in_range(rule, *number))
        return bad_value(rule, value, range_text(rule, "a number"));
      break;
    }
    case option_kind::bytes: {
      const auto number = parse_bytes(value);
      if (!number || !in_range(rule, static_cast<double>(*number)))
        return bad_value(rule, value, range_text(rule, "bytes such as 512M or 4G,"));
      break;
    }
    case option_kind::choice:
      if (const status known = check_choice(rule, value); !known) return known;
      break;
  }
  if (rule.check == nullptr) return {};
  const status own = rule.check(value);
  return own ? status{} : status{rejected(std::string(rule.name) + ": " + own.error().message)};
}

const option_rule* find_rule(std::span<const option_rule> rules, std::string_view name) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const option_rule& rule) { return rule.name == name; });
  return found == rules.end() ? nullptr : &*found;
}

failure unknown_option(std::span<const option_rule> rules, std::string_view name) {
  std::vector<std::string_view> known = {"--help"};
  for (const option_rule& rule : rules) known.push_back(rule.name);
  const std::string_view near = nearest_name(name, known);
  std::string message = "unknown option '" + std::string(name) + "'";
  message += near.empty() ? "; --help lists the known ones"
                          : "; the nearest known one is " + std::string(near);
  return rejected(std::move(message));
}

std::size_t edits_between(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[other.size()];
}

// A value may start with a dash only where it is one alone ("standard output") or a number.
bool looks_like_option(std::string_view text) { return text.size() > 2 && text.starts_with("--"); }

}  // namespace

result<options> parse_options(std::span<const option_rule> rules, std::size_t operands_max,
                              std::span<const std::string> arguments) {
  options parsed;
  for (const option_rule& rule : rules)
    parsed.fallbacks_.emplace(rule.name, std::string(rule.fallback));
  const auto take_operand = [&](const std::string& text) -> status {
    if (parsed.operands_.size() == operands_max)
      return rejected("'" + text + "' is one argument too many");
    parsed.operands_.push_back(text);
    return {};
  };
  bool options_ended = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_ended || argument == "-" || !argument.starts_with("-")) {
      if (status taken = take_operand(argument); !taken) return taken.error();
      continue;
    }
    if (argument == "--") {
      options_ended = true;
      continue;
    }
    if (argument == "--help" || argument == "-h") {
      parsed.wants_help_ = true;
      return parsed;
    }
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const option_rule* rule = find_rule(rules, name);
    if (rule == nullptr) return unknown_option(rules, name);
    std::string value;
    if (rule->kind == option_kind::flag) {
      if (equals != std::string::npos) return rejected(name + " takes no value");
    } else if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size() && !looks_like_option(arguments[i + 1])) {
      value = arguments[++i];
    } else {
      return rejected(name + " needs a value: " + name + " " + std::string(rule->value_name));
    }
    if (status good = check_value(*rule, value); !good) return good.error();
    auto& values = parsed.given_[name];
    if (!values.empty() && !rule->repeatable) return rejected(name + " is given more than once");
    values.push_back(std::move(value));
  }
  for (const option_rule& rule : rules)
    if (rule.required && !parsed.given(rule.name))
      return rejected(std::string(rule.name) + " " + std::string(rule.value_name) + " is missing");
  return parsed;
}

bool options::given(std::string_view name) const {
  WEFT_ASSERT(fallbacks_.contains(name));
  return given_.contains(name);
}

std::string options::text(std::string_view name) const {
  const auto fallback = fallbacks_.find(name);
  WEFT_ASSERT(fallback != fallbacks_.end());
  const auto found = given_.find(name);
  return found == given_.end() ? fallback->second : found->second.back();
}

std::int64_t options::integer(std::string_view name) const {
  const std::string value = text(name);
  if (value.empty()) return 0;
  const auto number = parse_bytes(value);  // Digits alone read the same in both kinds.
  if (number) return *number;
  return whole_number<std::int64_t>(value).value_or(0);  // A negative integer.
}

double options::real(std::string_view name) const {
  return whole_number<double>(text(name)).value_or(0);
}

std::vector<std::string> options::all(std::string_view name) const {
  WEFT_ASSERT(fallbacks_.contains(name));
  const auto found = given_.find(name);
  return found == given_.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::int64_t> options::integers(std::string_view name) const {
  std::vector<std::string> values = all(name);
  if (values.empty()) values.push_back(text(name));
  std::vector<std::int64_t> numbers;
  for (const std::string& value : values)
    if (const auto number = whole_number<std::int64_t>(value)) numbers.push_back(*number);
  return numbers;
}

result<std::int64_t> parse_bytes(std::string_view text) {
  static constexpr std::string_view suffixes = "KMGT";
  const auto wrong = [&] {
    return rejected("'" + std::string(text) + "' is no number of bytes such as 4096, 512M or 4G");
  };
  std::string_view digits = text;
  int shift = 0;
  if (!digits.empty()) {
    const char last =
        digits.back() >= 'a' ? static_cast<char>(digits.back() - 'a' + 'A') : digits.back();
    const std::size_t at = suffixes.find(last);
    if (at != std::string_view::npos) {
      shift = 10 * (static_cast<int>(at) + 1);
      digits.remove_suffix(1);
    }
  }
  const auto number = whole_number<std::int64_t>(digits);
  if (!number || *number < 0) return wrong();
  if (shift > 0 && *number > (INT64_MAX >> shift)) return wrong();
  return *number << shift;
}

std::string explain_options(std::span<const option_rule> rules) {
  std::size_t width = 0;
  const auto left = [](const option_rule& rule) {
    std::string text = "  " + std::string(rule.name);
    if (!rule.value_name.empty()) text += " " + std::string(rule.value_name);
    return text;
  };
  for (const option_rule& rule : rules) width = std::max(width, left(rule).size());
  std::string page;
  for (const option_rule& rule : rules) {
    std::string line = left(rule);
    line.resize(width + 2, ' ');
    line += rule.sentence;
    if (rule.repeatable) line += " May be given several times.";
    if (rule.required) line += " Required.";
    if (!rule.fallback.empty()) line += " Default: " + std::string(rule.fallback) + ".";
    page += line + "\n";
  }
  return page;
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_edits = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t edits = edits_between(name, candidate);
    if (edits >= best_edits) continue;
    best = candidate;
    best_edits = edits;
  }
  return best;
}

}  // namespace weft::actors
