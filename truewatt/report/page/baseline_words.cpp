#include "truewatt/report/page/baseline_words.hpp"

#include <fmt/format.h>

#include "truewatt/base/format.hpp"

namespace truewatt::report {

std::string spinning_words(const Interval& above_idle_w, const std::optional<double>& clock_hz) {
  const bool is_less = above_idle_w.upper < 0;
  const Interval by = is_less ? Interval{-above_idle_w.value, -above_idle_w.upper,
                                         -above_idle_w.lower, above_idle_w.level}
                              : above_idle_w;
  return fmt::format("All SMs spinning draw {} {}{}.", format_interval(by, "W"),
                     is_less ? "less than idle" : "more",
                     clock_hz ? fmt::format(" at {:.0f} MHz", *clock_hz / 1e6) : std::string());
}

}  // namespace truewatt::report
