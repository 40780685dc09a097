#include "truewatt/trace/formats/rows/plain_table.hpp"

#include <algorithm>
#include <vector>

#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

/// What the first so many bytes do not show, nobody looks for.
constexpr std::size_t kBytesLookedAt = 4096;
/// Of a cell that is longer it is no stamp and no number.
constexpr std::size_t kFractionDigits = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_from(std::string_view line, std::size_t at) {
  std::size_t count = 0;
  while (at + count < line.size() && is_digit(line[at + count])) ++count;
  return count;
}

/// Whether the comma at `at` stands after whole seconds, before a fraction and an offset.
bool parts_iso_seconds(std::string_view line, std::size_t at) {
  if (at < 3 || line[at - 3] != ':' || !is_digit(line[at - 2]) || !is_digit(line[at - 1])) {
    return false;
  }
  const std::size_t digits = digits_from(line, at + 1);
  if (digits == 0 || digits > kFractionDigits || at + 1 + digits >= line.size()) return false;
  const std::size_t behind = at + 1 + digits;
  // Four digits and a month are the next cell's date.
  const bool is_date = digits == 4 && behind + 3 < line.size() && line[behind + 3] == '-';
  return line[behind] == '+' || (line[behind] == '-' && !is_date) || line[behind] == 'Z';
}

/// What takes the place of a comma within a cell of numbers.
char comma_within(std::string_view line, std::size_t at, bool separates_elsewhere) {
  const bool between = at > 0 && is_digit(line[at - 1]) && digits_from(line, at + 1) > 0;
  if (!between) return ',';
  const bool after_seconds = at >= 3 && line[at - 3] == ':';
  const bool thousands = separates_elsewhere && digits_from(line, at + 1) == 3 && !after_seconds;
  return thousands ? ',' : '.';
}

/// How the header says that rows are laid out.
struct Layout {
  char separator = ',';
  std::vector<bool> is_text;  ///< by cell: a comma between digits is no decimal one
};

/// Which cells of a header are titles of names or labels.
std::vector<bool> texts_among(std::string_view header, char separator) {
  constexpr std::array<std::string_view, 3> kTexts = {"label", "name", "gpu_name"};
  std::vector<std::string_view> titles;
  split_cells(header, titles, separator);
  std::vector<bool> is_text;
  for (std::string_view title : titles) {
    if (title.size() > 1 && title.front() == '"' && title.back() == '"') {
      title = title.substr(1, title.size() - 2);
    }
    is_text.push_back(std::find(kTexts.begin(), kTexts.end(), title) != kTexts.end());
  }
  return is_text;
}

/// Of the header, the line with one of `words`; its separator is the most frequent of the three.
Layout layout_of(std::string_view start, std::span<const std::string_view> words) {
  LineReader reader(start);
  while (reader.next()) {
    const std::string_view line = reader.line();
    const bool is_header = std::any_of(words.begin(), words.end(), [line](std::string_view word) {
      return line.find(word) != std::string_view::npos;
    });
    if (!is_header) continue;
    char best = ',';
    for (const char one : {';', '\t'}) {
      if (std::count(line.begin(), line.end(), one) > std::count(line.begin(), line.end(), best)) {
        best = one;
      }
    }
    return {best, texts_among(line, best)};
  }
  return {};
}

bool has_iso_comma(std::string_view start) {
  for (std::size_t at = start.find(','); at != std::string_view::npos;
       at = start.find(',', at + 1)) {
    if (parts_iso_seconds(start, at)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> as_plain_table(std::string_view text,
                                          std::span<const std::string_view> header_words) {
  const std::string_view start = text.substr(0, kBytesLookedAt);
  const auto [separator, is_text] = layout_of(start, header_words);
  const bool quoted = start.find('"') != std::string_view::npos;
  if (separator == ',' && !quoted && !has_iso_comma(start)) return std::nullopt;
  std::string plain;
  plain.reserve(text.size());
  bool inside = false;
  bool begins = true;  // a cell, in which nothing stands yet but spaces
  std::size_t cell = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // A quote in the midst of a cell is the cell's own, as of a board's odd name.
    const bool quotes = c == '"' && (begins || inside);
    begins = begins && c == ' ';
    if (quotes) {
      inside = !inside;
      begins = !inside;  // two quotes are one within a cell
    } else if (c == '\n') {
      inside = false;  // no cell of a log goes over lines
      begins = true;
      cell = 0;
      plain += c;
    } else if (c == separator && !inside) {
      const bool parts_seconds = c == ',' && parts_iso_seconds(text, i);
      begins = true;
      cell += parts_seconds ? 0 : 1;
      plain += parts_seconds ? '.' : kCellSeparator;
    } else if (c == ',') {
      const bool is_number = cell >= is_text.size() || !is_text[cell];
      plain += is_number ? comma_within(text, i, separator == ',') : ',';
    } else {
      plain += c;
    }
  }
  return plain;
}

}  // namespace truewatt::trace
