#include "truewatt/report/energy/brief_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/energy/energy_rows.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;
using energy::Reason;

/// Told in another place: that the board's scale is not known, and that the interval is too wide.
bool is_told_elsewhere(Reason reason) {
  return reason == Reason::uncalibrated_gain || reason == Reason::uncertainty_above_target;
}

/// The two sources of the GPU's power that say the least and the most; "" where there are not two.
std::string farthest_apart(const EnergyEstimate& estimate) {
  std::vector<std::pair<double, std::string>> says;
  for (const auto& [source, joules] : estimate.naive_j) {
    if (source.find('@') == std::string::npos) says.emplace_back(joules, printable(source));
  }
  if (says.size() < 2) return "";
  const auto [least, most] = std::minmax_element(says.begin(), says.end());
  return fmt::format(" ({} says {}, {} {})", least->second, energy_text_of(least->first),
                     most->second, energy_text_of(most->first));
}

std::string why(const EnergyEstimate& estimate) {
  std::string text;
  for (const Reason reason : estimate.reasons) {
    if (is_told_elsewhere(reason)) continue;
    text += fmt::format("; {}", energy::briefly(reason));
    if (reason == Reason::sources_disagree) text += farthest_apart(estimate);
    if (reason != Reason::phase_lock_not_excluded || !estimate.if_in_step) continue;
    const std::string least = plain(estimate.if_in_step->lower, 3);
    text += estimate.if_in_step->upper
                ? fmt::format(" (else {} to {} J)", least, plain(*estimate.if_in_step->upper, 3))
                : fmt::format(" (else at least {} J)", least);
  }
  return text;
}

/// How many reasons a line has to hold.
std::ptrdiff_t doubts(const EnergyEstimate& estimate) {
  return std::count_if(estimate.reasons.begin(), estimate.reasons.end(),
                       [](Reason reason) { return !is_told_elsewhere(reason); });
}

std::string percent(double share) {
  const double value = 100.0 * share;
  return fmt::format("± {} %", plain(value, 2));
}

}  // namespace

std::string on_scale_text(const energy::EnergyInterval& energy) {
  return format_interval(energy::on_sensor_scale(energy), "J");
}

std::string against_meter_text(const energy::EnergyInterval& energy, bool is_calibrated) {
  const SplitInterval split = split_interval(energy.interval, "J");
  return fmt::format("{} against a wattmeter ({})", split.spread,
                     is_calibrated ? "calibrated" : "never calibrated");
}

std::string above_idle_text(const EnergyEstimate& estimate) {
  if (!estimate.net_energy || !estimate.baseline) return "above idle: no idle was recorded";
  const Interval net = energy::on_sensor_scale(*estimate.net_energy);
  const bool may_be_nothing = net.lower <= 0 && net.upper >= 0;
  return fmt::format("{} above idle ({}{})", format_interval(net, "J"), idle_text(estimate),
                     may_be_nothing ? "; not different from idle" : "");
}

std::string status_text(const EnergyEstimate& estimate) {
  const auto share = energy::half_width_without_gain(estimate);
  std::string text(energy::to_string(energy::status_of(estimate)));
  std::string reasons = why(estimate);
  if (energy::status_of(estimate) == energy::Status::none) {
    return reasons.empty() ? text : text + ": " + reasons.substr(2);
  }
  if (share) reasons = percent(*share) + reasons;
  if (!reasons.empty()) text += ": " + reasons;
  if (estimate.needs) {
    text += fmt::format("; a run of about {} is long enough", rough_duration(*estimate.needs));
  } else if ((!estimate.if_in_step || doubts(estimate) == 1) && !lock_advice(estimate).empty()) {
    text += fmt::format("; {}", lock_advice(estimate));
  }
  return text;
}

std::string_view lock_advice(const EnergyEstimate& estimate) {
  const bool is_known = estimate.profile && !estimate.profile->from_catalogue;
  if (is_known || !energy::has_reason(estimate.reasons, Reason::phase_lock_not_excluded)) return "";
  return "`truewatt characterize`, run once, may exclude that";
}

std::string paint_status(std::string lines, const EnergyEstimate& estimate, const Paint& paint) {
  const energy::Status status = energy::status_of(estimate);
  const std::string word(energy::to_string(status));
  const std::string painted = status == energy::Status::result      ? paint.good(word)
                              : status == energy::Status::imprecise ? paint.doubtful(word)
                                                                    : paint.bad(word);
  if (const auto at = lines.find(word); at != std::string::npos) {
    lines.replace(at, word.size(), painted);
  }
  return lines;
}

}  // namespace truewatt::report
