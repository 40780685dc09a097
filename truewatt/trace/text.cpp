#include "truewatt/trace/text.hpp"

#include <cmath>

#include "truewatt/base/parse.hpp"

namespace truewatt::trace {
namespace {

constexpr std::size_t kQuotedLength = 40;
constexpr int kNanosecondDigits = 9;
/// +-140 years: two such times may be added without leaving integer nanoseconds.
constexpr std::int64_t kMaxSeconds = 140LL * 366 * 86'400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0'; }

/// The first nine digits after the point, as nanoseconds. Nothing when there is a non-digit.
std::optional<std::int64_t> parse_fraction(std::string_view digits) {
  std::int64_t value = 0;
  int count = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    if (count == kNanosecondDigits) continue;
    value = value * 10 + (c - '0');
    ++count;
  }
  for (; count < kNanosecondDigits; ++count) value *= 10;
  return value;
}

/// Numbers with an exponent go through a double.
std::optional<Nanoseconds> parse_scientific(std::string_view text) {
  const auto seconds = parse_number(text);
  if (!seconds || std::abs(*seconds) > static_cast<double>(kMaxSeconds)) return std::nullopt;
  return to_nanoseconds(Seconds(*seconds));
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void split_cells(std::string_view line, std::vector<std::string_view>& cells, char separator) {
  cells.clear();
  for (;;) {
    const std::size_t end = line.find(separator);
    cells.push_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return std::nullopt;
  return parse_integer<std::uint64_t>(text.substr(2), 16);
}

std::optional<Nanoseconds> parse_seconds(std::string_view text) {
  if (text.find_first_of("eE") != std::string_view::npos) return parse_scientific(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole_digits = text.substr(0, point);
  if (whole_digits.empty() || !is_digit(whole_digits.front())) return std::nullopt;
  const auto whole = parse_integer<std::int64_t>(whole_digits);
  const auto fraction =
      parse_fraction(point == std::string_view::npos ? std::string_view() : text.substr(point + 1));
  if (!whole || !fraction || *whole > kMaxSeconds) return std::nullopt;
  const Nanoseconds magnitude = std::chrono::seconds(*whole) + Nanoseconds(*fraction);
  return negative ? -magnitude : magnitude;
}

std::string quote(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text.substr(0, kQuotedLength)) {
    const bool is_printable = c >= ' ' && c <= '~';
    quoted += is_printable ? c : c == kCellSeparator ? ',' : '?';
  }
  if (text.size() > kQuotedLength) quoted += "...";
  return quoted + "'";
}

std::optional<std::string> narrow_utf16(std::string_view bytes) {
  const bool little = bytes.starts_with("\xFF\xFE");
  if (!little && !bytes.starts_with("\xFE\xFF")) return std::nullopt;
  std::string narrow;
  narrow.reserve(bytes.size() / 2);
  for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
    const char low = bytes[little ? i : i + 1];
    const char high = bytes[little ? i + 1 : i];
    narrow += (high == 0 && static_cast<unsigned char>(low) < 0x80) ? low : '?';
  }
  return narrow;
}

std::string_view skip_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const std::size_t feed = rest_.find('\n');
  terminated_ = feed != std::string_view::npos;
  const std::string_view raw = rest_.substr(0, feed);
  rest_.remove_prefix(terminated_ ? feed + 1 : rest_.size());
  line_ = trim(raw);
  held_nul_ = !raw.empty() && (raw.front() == '\0' || raw.back() == '\0');
  ++number_;
  return true;
}

}  // namespace truewatt::trace
