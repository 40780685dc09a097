#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace truewatt {

/// The enumerators of an enumeration that counts from 0 and whose `last_` names the last of them.
template <class Enum>
constexpr std::size_t kEnumerators = static_cast<std::size_t>(Enum::last_) + 1;

/// One row for every enumerator, from `make_row`, a constexpr function that switches over them all
/// and ends with `return {}`. Every build makes a switch without one of its cases an error, so an
/// enumerator without row does not compile; nor does one behind `last_`. A row has a `code`.
///
///     constexpr auto kRows = rows_of<Reason, make_row>();
template <class Enum, auto make_row>
constexpr auto rows_of() {
  constexpr std::size_t kCount = kEnumerators<Enum>;
  static_assert(make_row(static_cast<Enum>(kCount)).code.empty(), "`last_` is not the last");
  std::array<decltype(make_row(Enum{})), kCount> rows;
  for (std::size_t i = 0; i < kCount; ++i) rows[i] = make_row(static_cast<Enum>(i));
  return rows;
}

template <class Rows, class Enum>
constexpr const auto& row_of(const Rows& rows, Enum one) {
  return rows[static_cast<std::size_t>(one)];
}

/// The enumerator whose row has this code; absent where none has it.
template <class Enum, class Rows>
constexpr std::optional<Enum> find_code(const Rows& rows, std::string_view code) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].code == code) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace truewatt
