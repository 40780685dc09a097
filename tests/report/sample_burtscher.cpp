// A made-up page of Burtscher 2014's protocol: a K20 by closed forms, and a source that averages.
#include <algorithm>
#include <cmath>
#include <string>

#include "tests/report/sample_results.hpp"

namespace truewatt::report {
namespace {

constexpr double kRuntime = 5.346;  // s
constexpr double kConstant = 0.84;

/// Power t seconds after the load's begin.
double power_at(double t) {
  if (t < 0) return 25.0;
  if (t < kRuntime) return 158.0;
  const double since = t - kRuntime - 3.5;
  return since < 0 ? 52.5 : 52.5 - 27.5 / 4 * std::min(std::floor(since) + 1.0, 4.0);
}

replication::PowerProfileFigures capacitor_figures() {
  replication::PowerProfileFigures drawn{.source = {SourceKind::power_usage, Scope::gpu},
                                         .load = {0.0, kRuntime},
                                         .phases = {0.0, kRuntime, kRuntime + 3.5, kRuntime + 6.5}};
  constexpr double kPeriod = 0.015;
  double shown = 25.0;
  for (int k = -600; k < 1100; ++k) {
    const double t = k * kPeriod;
    shown = power_at(t) + (shown - power_at(t)) * std::exp(-kPeriod / kConstant);
    drawn.readings.push_back({t, shown, power_at(t) + std::sin(1.7 * k)});
    drawn.intervals.push_back({t, k % 400 == 0 ? 0.130 : kPeriod + 1e-4 * std::cos(2.3 * k)});
  }
  return drawn;
}

replication::PowerProfileFigures average_figures() {
  replication::PowerProfileFigures drawn{.source = {SourceKind::power_average, Scope::gpu},
                                         .load = {0.0, kRuntime},
                                         .phases = {0.5, kRuntime + 0.5}};
  for (int k = -90; k < 165; ++k) {
    const double t = k * 0.1;
    const double share = std::clamp(t, 0.0, 1.0) - std::clamp(t - kRuntime, 0.0, 1.0);
    drawn.readings.push_back({t, 25.0 + 133.0 * share, 25.0 + 133.0 * share});
    drawn.intervals.push_back({t, 0.1});
  }
  return drawn;
}

}  // namespace

BurtscherPage sample_burtscher() {
  SourceProfile usage{.source = {SourceKind::power_usage, Scope::gpu}};
  usage.time_constant_s = Interval{0.8401, 0.8390, 0.8412};
  usage.reasons = {ProfileReason::interval_is_standard_error};
  usage.protocol_values = {{"update_median_s", 0.015}, {"idle_w", 25.0}, {"load_w", 158.0},
                           {"active_idle_w", 52.5},    {"raw_j", 733.2}, {"t1_s", 0.0}};
  SourceProfile average{.source = {SourceKind::power_average, Scope::gpu}};
  average.reasons = {ProfileReason::rises_in_a_line, ProfileReason::interval_is_standard_error};
  average.protocol_values = {{"update_median_s", 0.1}};
  BurtscherPage page{.title = std::string("truewatt characterize --protocol burtscher: ") +
                              kHostileName};
  page.profile.sources = {usage, average};
  page.figures = {capacitor_figures(), average_figures()};
  page.metadata = {{"Device", kHostileName}, {"Device time", "27.8 s"}};
  return page;
}

}  // namespace truewatt::report
