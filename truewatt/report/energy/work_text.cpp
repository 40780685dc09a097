#include "truewatt/report/energy/work_text.hpp"

#include <fmt/format.h>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

/// `2.920 mJ/token ± 0.012 mJ/token (0.41 %)`: a prefix below 1 for joules, above 10 000 for units.
std::string si_interval(const Interval& interval, const std::string& unit) {
  constexpr double kMostDigits = 1e4;
  const bool plain_unit = interval.value >= 1 && interval.value < kMostDigits;
  const SiPrefix prefix = plain_unit ? SiPrefix{} : si_prefix(interval.value);
  return format_interval({interval.value / prefix.factor, interval.lower / prefix.factor,
                          interval.upper / prefix.factor, interval.level},
                         std::string(prefix.symbol) + unit);
}

std::string joules_text(const Interval& joules, const energy::Work& work) {
  return si_interval(energy::joules_per_unit(joules, work),
                     "J/" + energy::singular(printable(work.unit)));
}

/// As wide as the energy, a share, so that both read alike; the JSON has the bounds of the
/// reciprocal.
std::string units_text(const Interval& joules, const energy::Work& work) {
  const double value = work.done / joules.value;
  const double half = value * half_width_of(joules) / joules.value;
  const Interval units{value, value - half, value + half, joules.level};
  const std::string unit = printable(work.unit) + "/J";
  return value < 1 ? format_interval(units, unit) : si_interval(units, unit);
}

}  // namespace

std::string per_unit_text(const Interval& joules, const energy::Work& work) {
  const std::string text = joules_text(joules, work);
  return joules.lower > 0 ? text + ", " + units_text(joules, work) : text;
}

std::string work_text(const measure::EnergyRun& run, std::size_t width) {
  if (!run.work) return "";
  const energy::Work& work = *run.work;
  std::string text = fmt::format("{:.12g} {}: ", work.done, printable(work.unit));
  if (!run.total.energy) return hanging("   ", text + "no energy, so none of a unit", width);
  text += per_unit_text(energy::on_sensor_scale(*run.total.energy), work);
  if (run.total.net_energy) {
    text += "; above idle " + joules_text(energy::on_sensor_scale(*run.total.net_energy), work);
  }
  return hanging("   ", text, width);
}

}  // namespace truewatt::report
