#pragma once

#include <string>
#include <string_view>

#include "truewatt/idle/results.hpp"

namespace truewatt::report {

/// "bare", "with a context", "just after work", "resident", "spinning".
std::string_view name_of(idle::Rung rung);
/// What the board does there, a sentence without its full stop.
std::string_view meaning_of(idle::Rung rung);
/// What a reader of the row must know; empty where there is nothing.
std::string reasons_text(const idle::Row& row);
/// "1980 MHz"; "-" of nothing.
std::string clock_text(const std::optional<double>& hertz);
/// "70.10 W ± 0.30 W", "-" of nothing.
std::string watts_text(const std::optional<Interval>& watts);
/// "2.3 s", "at once", "-" of nothing.
std::string settled_text(const idle::Row& row);

}  // namespace truewatt::report
