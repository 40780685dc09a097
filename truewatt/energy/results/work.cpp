#include "truewatt/energy/results/work.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace truewatt::energy {

Interval joules_per_unit(const Interval& joules, const Work& work) {
  return {joules.value / work.done, joules.lower / work.done, joules.upper / work.done,
          joules.level};
}

std::optional<Interval> units_per_joule(const Interval& joules, const Work& work) {
  if (!(joules.lower > 0)) return std::nullopt;
  return Interval{work.done / joules.value, work.done / joules.upper, work.done / joules.lower,
                  joules.level};
}

std::string singular(const std::string& unit) {
  constexpr std::array<std::string_view, 4> kTakesEs = {"ches", "shes", "xes", "sses"};
  const bool is_es = std::any_of(kTakesEs.begin(), kTakesEs.end(), [&unit](std::string_view end) {
    return unit.size() > end.size() && unit.ends_with(end);
  });
  if (is_es) return unit.substr(0, unit.size() - 2);
  const bool is_s = unit.size() > 2 && unit.ends_with('s') && !unit.ends_with("ss");
  return is_s ? unit.substr(0, unit.size() - 1) : unit;
}

}  // namespace truewatt::energy
