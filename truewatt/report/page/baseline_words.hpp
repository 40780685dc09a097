#pragma once

#include <optional>
#include <string>

#include "truewatt/base/interval.hpp"

namespace truewatt::report {

/// `All SMs spinning draw 101.3 W ± 0.6 W (0.6 %) more at 1980 MHz.`, or less, than idle.
std::string spinning_words(const Interval& above_idle_w, const std::optional<double>& clock_hz);

}  // namespace truewatt::report
