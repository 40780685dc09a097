#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/time.hpp"

namespace truewatt::trace {

/// What all readers of recorded text share. Everything here is independent of the locale.

/// `text` without blanks, tabs, line ends and NUL bytes at its ends.
std::string_view trim(std::string_view text);

/// Stands between the cells of a table whose cells may hold commas of their own (plain_table.hpp).
inline constexpr char kCellSeparator = '\x1f';

/// The cells of one line, trimmed. An empty line has one empty cell. Quotes mean nothing: tables
/// with quotes are made plain first.
void split_cells(std::string_view line, std::vector<std::string_view>& cells, char separator = ',');

/// A hexadecimal integer that is the whole of `text`, behind its leading `0x`.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// Decimal seconds as integer nanoseconds, without passing through a double: an epoch second has
/// ten digits before the point and would lose what stands after the microseconds. Digits beyond the
/// ninth decimal are dropped. Nothing when the text is no number or beyond +-140 years.
std::optional<Nanoseconds> parse_seconds(std::string_view text);

/// `text` as it may stand in a message: in quotes, at most 40 characters, unprintable ones as `?`,
/// kCellSeparator as the comma that it stands for.
std::string quote(std::string_view text);

/// UTF-16 text with a byte order mark (what PowerShell's `>` writes), narrowed to bytes; characters
/// outside ASCII become `?`. Nothing for other text.
std::optional<std::string> narrow_utf16(std::string_view bytes);

/// `text` without a UTF-8 byte order mark.
std::string_view skip_byte_order_mark(std::string_view text);

/// Walks over the lines of a text, LF or CRLF. The lines are views into the text.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  /// Steps to the next line; false at the end.
  bool next();
  /// The line, trimmed.
  std::string_view line() const { return line_; }
  /// Counted from 1.
  std::size_t number() const { return number_; }
  /// False for a last line that no line feed ends: it may have been cut.
  bool terminated() const { return terminated_; }
  /// True when NUL bytes were trimmed from the line: a file system's sign of a crash.
  bool held_nul() const { return held_nul_; }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
  bool terminated_ = true;
  bool held_nul_ = false;
};

}  // namespace truewatt::trace
