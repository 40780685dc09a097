#include "truewatt/report/page/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"

namespace truewatt::report {
namespace {

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

using Row = std::vector<std::string>;

std::vector<std::size_t> column_widths(const TextTable& table) {
  std::vector<std::size_t> widths;
  const auto widen = [&widths](const Row& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  };
  for (const Row& row : table.head) widen(row);
  for (const Row& row : table.rows) widen(row);
  return widths;
}

bool has_cell(const TextTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [column](const Row& row) {
    return column < row.size() && !row[column].empty();
  });
}

/// Takes the first word off `text`; a percent sign stays with its number.
std::string_view take_word(std::string_view& text) {
  auto end = text.find(' ');
  if (end != std::string_view::npos && text.substr(end, 2) == " %") end = text.find(' ', end + 1);
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

struct Column {
  std::size_t width = 0;
  bool shown = false;
  bool left = false;
};

std::vector<Column> columns_of(const TextTable& table) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool words = table.ends_with_words && i + 1 == widths.size();
    columns.push_back({widths[i], has_cell(table, i), words || i < table.left_aligned});
  }
  return columns;
}

std::string line_of(const Row& row, const std::vector<Column>& columns, std::string_view indent) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].shown) continue;
    const std::string cell = i < row.size() ? printable(row[i]) : std::string();
    if (!line.empty()) line += "  ";
    line += columns[i].left ? pad_right(cell, columns[i].width) : pad_left(cell, columns[i].width);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return std::string(indent) + line + "\n";
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_code_point));
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text).append(width > used ? width - used : 0, ' ');
}

std::string printable(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    const bool c1 = byte == 0xC2U && next >= 0x80U && next < 0xA0U;  // U+0080 to U+009F
    safe += byte < 0x20U || byte == 0x7FU || c1 ? '?' : text[i];
    if (c1) ++i;
  }
  return safe;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line.append(" ").append(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

std::string hanging(std::string_view label, std::string_view text, std::size_t width) {
  const std::size_t indent = display_width(label);
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  std::string block;
  for (const std::string& line : wrap(printable(text), room)) {
    block += block.empty() ? printable(label) : std::string(indent, ' ');
    block += line + "\n";
  }
  return block;
}

std::string to_text(const TextTable& table, std::string_view indent) {
  const std::vector<Column> columns = columns_of(table);
  std::string text;
  for (const Row& row : table.head) text += line_of(row, columns, indent);
  for (const Row& row : table.rows) text += line_of(row, columns, indent);
  return text;
}

std::string plain(double value, int significant) {
  if (!std::isfinite(value)) return "unknown";
  if (value == 0.0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(significant - 1 - exponent, 0, 12));
}

std::optional<std::string> signed_percent(const Comparison& comparison) {
  const auto [value, reference] = comparison;
  if (reference == 0.0 || !std::isfinite(value) || !std::isfinite(reference)) return std::nullopt;
  const double percent = 100.0 * (value - reference) / std::abs(reference);
  if (std::abs(percent) < 0.005) return "0.00 %";
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 0.995 ? 2 : 1);
}

std::string duration_text(Seconds duration) {
  const double s = duration.count();
  return std::abs(s) < 1000.0 ? format_si(s, "s", 4) : fmt::format("{:.1f} s", s);
}

std::string rough_duration(Seconds duration) {
  const double s = duration.count();
  return std::abs(s) < 1000.0 ? format_si(s, "s", 3) : fmt::format("{:.0f} s", s);
}

std::string power_text(Watts power) {
  const double w = power.value();
  return fixed(w, std::abs(w) < 9.995 ? 2 : 1) + " W";
}

std::string energy_text_of(double joules) {
  return std::isfinite(joules) ? plain(joules, 5) + " J" : "unknown";
}

SplitInterval split_interval(const Interval& interval, std::string_view unit) {
  const std::string text = format_interval(interval, unit);
  const auto cut = std::min(text.find(" ±"), text.find(" ["));
  if (cut == std::string::npos) return {text, ""};
  return {text.substr(0, cut), text.substr(cut + 1)};
}

std::string unitless_text(const Interval& interval) {
  std::string text;
  for (const char c : format_interval(interval, "")) {
    if (c != ' ' || text.back() != ' ') text += c;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Interval scaled(const Interval& interval, double factor) {
  return {interval.value * factor, interval.lower * factor, interval.upper * factor,
          interval.level};
}

}  // namespace truewatt::report
