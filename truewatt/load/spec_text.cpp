#include "truewatt/load/spec_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/base/parse.hpp"
#include "truewatt/kernels/named_kernels.hpp"

namespace truewatt::load {
namespace {

constexpr std::string_view kSpaces = " \t\r";

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

/// Cuts `suffix` off the end of `text`, if it is there.
bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// Seconds per unit, which is cut off.
double take_unit(std::string_view& text) {
  if (take_suffix(text, "ms")) return 1e-3;
  if (take_suffix(text, "us")) return 1e-6;
  if (take_suffix(text, "ns")) return 1e-9;
  if (take_suffix(text, "min")) return 60.0;
  if (take_suffix(text, "h")) return 3600.0;
  take_suffix(text, "s");
  return 1.0;
}

/// The load's own.
constexpr std::string_view kOwnKernel = "fma";

}  // namespace

std::optional<std::shared_ptr<const kernels::Kernel>> kernel_of(std::string_view name) {
  if (name == kOwnKernel) return nullptr;
  for (const kernels::NamedKernel& one : kernels::named_kernels()) {
    if (one.name == name) return one.make();
  }
  return std::nullopt;
}

std::string kernel_names() {
  std::string names(kOwnKernel);
  const auto others = kernels::named_kernels();
  for (const kernels::NamedKernel& one : others) {
    names += fmt::format("{}{}", &one == &others.back() ? " and " : ", ", one.name);
  }
  return names;
}

std::optional<double> parse_spaced_number(std::string_view text) {
  return parse_number(trim(text));
}

Result<Seconds> parse_duration(std::string_view text) {
  std::string_view digits = trim(text);
  const double unit = take_unit(digits);
  const std::optional<double> value = parse_spaced_number(digits);
  if (!value) {
    return Unexpected(Errc::parse,
                      fmt::format("'{}' is not a duration like 100ms, 20us, 1.5s or 1.5", text));
  }
  return Seconds(*value * unit);
}

Result<SpecText> SpecText::parse(std::string_view name, std::string_view items,
                                 std::initializer_list<std::string_view> allowed) {
  SpecText spec(name);
  while (!items.empty()) {
    const auto comma = items.find(',');
    if (auto added = spec.add(items.substr(0, comma), allowed); !added) {
      return Unexpected(added.error());
    }
    if (comma == std::string_view::npos) break;
    items.remove_prefix(comma + 1);
    if (items.empty()) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("load '{}': nothing follows the last comma", name));
    }
  }
  return spec;
}

Result<void> SpecText::add(std::string_view item, std::initializer_list<std::string_view> allowed) {
  const auto equals = item.find('=');
  const std::string_view key = trim(item.substr(0, equals));
  const std::string known = fmt::format("{}", fmt::join(allowed, ", "));
  if (equals == std::string_view::npos) {
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("load '{}': '{}' is not of the form key=value (decimals have a point); the "
                    "keys are {}",
                    name_, item, known));
  }
  if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
    const auto near = close_name(key, std::vector<std::string>(allowed.begin(), allowed.end()));
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("load '{}' has no key '{}'; {}its keys are {}", name_, key,
                    near ? fmt::format("did you mean '{}'? Else ", *near) : "", known));
  }
  if (find(key) != nullptr) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("load '{}': key '{}' is given twice; keep one", name_, key));
  }
  items_.push_back({key, trim(item.substr(equals + 1))});
  return {};
}

const SpecText::Item* SpecText::find(std::string_view key) const {
  for (const Item& item : items_) {
    if (item.key == key) return &item;
  }
  return nullptr;
}

Unexpected SpecText::refuse(const Item& item, std::string_view allowed) const {
  return {Errc::invalid_argument, fmt::format("load '{}': {}={} is not allowed; give {}", name_,
                                              item.key, item.value, allowed)};
}

Result<Seconds> SpecText::duration_from(std::string_view key, Seconds otherwise,
                                        Seconds least) const {
  const Item* item = find(key);
  if (item == nullptr) return otherwise;
  const Result<Seconds> value = parse_duration(item->value);
  if (value && *value >= least && *value <= kLongestLoad) return value;
  return refuse(*item, least.count() == 0.0
                           ? "a duration from 0 to 24h, like 100ms, 20us, 1.5s or 1.5 (seconds)"
                           : "a duration from 1ns to 24h, like 100ms, 20us, 1.5s or 1.5 (seconds)");
}

Result<Seconds> SpecText::duration(std::string_view key, Seconds otherwise) const {
  return duration_from(key, otherwise, kShortestLoad);
}

Result<Seconds> SpecText::duration_or_zero(std::string_view key, Seconds otherwise) const {
  return duration_from(key, otherwise, Seconds(0));
}

Result<double> SpecText::fraction(std::string_view key, double otherwise) const {
  const Item* item = find(key);
  if (item == nullptr) return otherwise;
  const std::optional<double> value = parse_spaced_number(item->value);
  if (value && *value >= 0.0 && *value <= 1.0) return *value;
  return refuse(*item, "a number from 0 to 1");
}

Result<std::shared_ptr<const kernels::Kernel>> SpecText::kernel(std::string_view key) const {
  const Item* item = find(key);
  if (item == nullptr) return std::shared_ptr<const kernels::Kernel>();
  if (auto found = kernel_of(item->value)) return std::move(*found);
  return refuse(*item, "one of " + kernel_names());
}

Result<std::uint64_t> SpecText::count(std::string_view key, std::uint64_t otherwise,
                                      std::uint64_t most) const {
  const Item* item = find(key);
  if (item == nullptr) return otherwise;
  const auto value = parse_integer<std::uint64_t>(item->value);
  if (value && *value >= 1 && *value <= most) return *value;
  return refuse(*item, fmt::format("a whole number from 1 to {}", most));
}

}  // namespace truewatt::load
