#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace truewatt {

/// A finite number that is the whole of `text`; independent of the locale.
std::optional<double> parse_number(std::string_view text);

/// An integer that is the whole of `text` and that its type holds: digits of `base` alone, a minus
/// before them where the type has a sign.
template <class Integer>
std::optional<Integer> parse_integer(std::string_view text, int base = 10) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace truewatt
