#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace truewatt::trace {

/// What the header of a log names.
inline constexpr std::array<std::string_view, 2> kTimeWords = {"ime", "TIME"};

/// A table as spreadsheets and exporters write it (cells in quotes; `;` or tabs between cells and
/// commas in numbers; a comma before the fraction of an ISO stamp) as a plain one: kCellSeparator
/// between cells, decimal points, no quotes, the same lines. Nothing where it is plain already,
/// with commas between cells, which its start tells. A comma in a number becomes a point, unless it
/// could separate thousands: then the number is none. All others stay, as do those of names and
/// labels. `header_words`: one of them is in the header. Pure.
std::optional<std::string> as_plain_table(
    std::string_view text, std::span<const std::string_view> header_words = kTimeWords);

}  // namespace truewatt::trace
