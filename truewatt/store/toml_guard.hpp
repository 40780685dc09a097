#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace truewatt::store {

// What stands between arbitrary text and toml++ 3.3.

/// The most parts that a dotted TOML key may have here (`a.b.c` has three); a description needs
/// two.
inline constexpr int kDeepestTomlKey = 16;

/// The line (from 1) of the first key with more parts than that, if any. toml++ nests a table per
/// part without a bound, and tables are destroyed recursively.
std::optional<int> find_deep_key(std::string_view text);

/// Moves the characters U+0080 to U+FFFF of UTF-8 text to U+F0080 to U+FFFFF; a byte order mark at
/// the begin and what is not UTF-8 stay as they are. toml++'s check for white space is undefined
/// behaviour for many of the former. It meets them wherever such text is malformed, and also in
/// well-formed strings.
std::string shift_beyond_ascii(std::string_view text);
/// The inverse, for what toml++ made of shifted text.
std::string shift_back(std::string_view text);

/// What is wrong with text that toml++ refuses at a line (from 1), in our words and with the line.
std::string not_toml(std::string_view text, int line);

}  // namespace truewatt::store
