#include "truewatt/store/toml_guard.hpp"

#include <algorithm>

namespace truewatt::store {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The position behind the string that begins at `at` with a quote; TOML's four kinds.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const char quotes[] = {quote, quote, quote};
  const bool is_long = text.substr(at, 3) == std::string_view(quotes, 3);
  const std::string_view closing(quotes, is_long ? 3 : 1);
  std::size_t i = at + closing.size();
  while (i < text.size() && text.substr(i, closing.size()) != closing) {
    if (text[i] == '\n' && !is_long) return i;
    i += quote == '"' && text[i] == '\\' ? 2 : 1;
  }
  i = std::min(i + closing.size(), text.size());
  // A long string may have two quotes of its own at its end.
  for (int more = 0; is_long && more < 2 && i < text.size() && text[i] == quote; ++more) ++i;
  return i;
}

bool ends_key(char c) { return std::string_view("=,[]{}\n").find(c) != std::string_view::npos; }

/// The bits of a UTF-8 byte that continues a character, or nothing.
std::optional<unsigned> continuation(std::string_view text, std::size_t at) {
  if (at >= text.size()) return std::nullopt;
  const auto byte = static_cast<unsigned char>(text[at]);
  if ((byte & 0xC0U) != 0x80U) return std::nullopt;
  return byte & 0x3FU;
}

struct Character {
  unsigned code = 0;
  std::size_t bytes = 0;
};

/// The character U+0080 to U+FFFF at `at`; nothing where there is another, or broken UTF-8.
std::optional<Character> short_character(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const auto second = continuation(text, at + 1);
  if (lead >= 0xC2 && lead <= 0xDF && second) return Character{(lead & 0x1FU) << 6 | *second, 2};
  const auto third = continuation(text, at + 2);
  if (lead < 0xE0 || lead > 0xEF || !second || !third) return std::nullopt;
  const unsigned code = (lead & 0x0FU) << 12 | *second << 6 | *third;
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < 0x800 || is_surrogate) return std::nullopt;
  return Character{code, 3};
}

/// The low 16 bits of a character of plane 15 at `at`, or nothing.
std::optional<unsigned> shifted_character(std::string_view text, std::size_t at) {
  const auto second = continuation(text, at + 1);
  const auto third = continuation(text, at + 2);
  const auto fourth = continuation(text, at + 3);
  const bool is_plane_15 = text[at] == '\xF3' && second && *second >= 0x30;
  if (!is_plane_15 || !third || !fourth) return std::nullopt;
  return (*second & 0x0FU) << 12 | *third << 6 | *fourth;
}

char byte_of(unsigned bits) { return static_cast<char>(static_cast<unsigned char>(bits)); }

char continuing(unsigned bits) { return byte_of(0x80U | (bits & 0x3FU)); }

}  // namespace

std::optional<int> find_deep_key(std::string_view text) {
  int dots = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = skip_string(text, i);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (ends_key(c)) dots = 0;
    if (c == '.' && ++dots >= kDeepestTomlKey) {
      return 1 + static_cast<int>(std::count(text.begin(), text.begin() + i, '\n'));
    }
    ++i;
  }
  return std::nullopt;
}

std::string shift_beyond_ascii(std::string_view text) {
  std::string shifted;
  std::size_t i = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  shifted.append(text.substr(0, i));
  while (i < text.size()) {
    const auto character = short_character(text, i);
    if (!character) {
      shifted += text[i++];
      continue;
    }
    const unsigned code = character->code;
    shifted += {'\xF3', continuing(0x30U | code >> 12), continuing(code >> 6), continuing(code)};
    i += character->bytes;
  }
  return shifted;
}

std::string shift_back(std::string_view text) {
  std::string original;
  std::size_t i = 0;
  while (i < text.size()) {
    const auto code = shifted_character(text, i);
    if (!code || *code < 0x80) {
      original += text[i++];
      continue;
    }
    if (*code < 0x800) {
      original += byte_of(0xC0U | *code >> 6);
    } else {
      original += {byte_of(0xE0U | *code >> 12), continuing(*code >> 6)};
    }
    original += continuing(*code);
    i += 4;
  }
  return original;
}

std::string not_toml(std::string_view text, int line) {
  constexpr std::size_t kMostShown = 60;
  for (; line > 1 && text.find('\n') != std::string_view::npos; --line) {
    text.remove_prefix(text.find('\n') + 1);
  }
  std::string shown(text.substr(0, std::min(text.find('\n'), kMostShown)));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return "`" + shown + "` is not TOML, which is lines of [section] and name = value";
}

}  // namespace truewatt::store
