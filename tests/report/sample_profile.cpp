#include <algorithm>
#include <cmath>

#include "tests/report/sample_results.hpp"

namespace truewatt::report {
namespace {

constexpr double kIdle = 60.0;
constexpr double kStep = 240.0;
constexpr double kPeriod = 0.1;

constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kAverage{SourceKind::power_average, Scope::gpu};
constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};
constexpr SourceId kModule{SourceKind::power_instant, Scope::module};

Interval within(double value, double share) {
  return {value, value * (1 - share), value * (1 + share), 0.95};
}

SourceProfile fitted(SourceId source, double window, double lag) {
  SourceProfile profile{
      .source = source,
      .update_period_s = within(kPeriod, 1e-4),
      .averaging_window_s = within(window, 0.02),
      .time_constant_s = within(lag, 0.02),
      .delay_s = Interval{0.002, -0.001, 0.005, 0.95},
      .response = window > kPeriod ? ResponseClass::ramp : ResponseClass::instant,
      .duty = std::min(1.0, (window + 2 * lag) / kPeriod),
      .quantum = 0.001,
      .verdict = window > kPeriod ? SourceVerdict::trailing : SourceVerdict::part_time};
  return profile;
}

characterize::IntervalHistogram histogram() {
  characterize::IntervalHistogram result{
      .first_s = 0.05, .bin_s = 0.005, .outside = 3, .median_s = kPeriod};
  result.counts.assign(40, 0);
  result.counts[9] = 25;
  result.counts[10] = 31;
  result.counts[30] = 4;
  return result;
}

double risen(double since, double window) {
  return kIdle + kStep * std::clamp(since / window, 0.0, 1.0);
}

characterize::StepFigure steps(double window) {
  characterize::StepFigure figure;
  for (const double phase : {0.01, 0.06}) {
    characterize::StepReadings step{.fitted = phase > 0.05};
    for (int i = -2; i < 12; ++i) {
      const double since = phase + i * kPeriod;
      step.since_s.push_back(since);
      step.power_w.push_back(risen(since, window) + (i % 3 - 1) * 0.7);
    }
    figure.steps.push_back(step);
  }
  for (int i = -20; i <= 125; ++i) {
    figure.model.since_s.push_back(i * 0.01);
    figure.model.power_w.push_back(risen(i * 0.01, window));
  }
  return figure;
}

characterize::Reconstruction reconstruction() {
  characterize::Reconstruction drawn{.fitted = 900, .rms_w = 0.71, .view = {4.0, 7.0}};
  for (int i = 0; i < 300; ++i) {
    const double model = kIdle + kStep * (0.5 + 0.4 * std::sin(i * 1.7));
    drawn.readings.push_back({2.0 + i * kPeriod, model + (i % 5 - 2) * 0.5, model});
  }
  for (int i = 0; i < 200; ++i) drawn.load.push_back({2.0 + 0.15 * i, 2.05 + 0.15 * i});
  return drawn;
}

std::vector<characterize::LossCurve> losses(double window) {
  characterize::LossCurve with{.name = "window and filter"};
  characterize::LossCurve without{.name = "window alone"};
  for (int i = 0; i <= 30; ++i) {
    const double tried = 0.005 * std::pow(60.0, i / 30.0);
    const double off = std::abs(std::log(tried / window));
    with.points.push_back({tried, 1.0 + 4.0 * off});
    without.points.push_back({tried, 3.0 + 5.0 * off});
  }
  return {without, with};
}

characterize::SourceFigures drawn(SourceId source, double window) {
  characterize::SourceFigures figures{.source = source};
  figures.intervals = histogram();
  figures.steps = steps(window);
  figures.reconstruction = reconstruction();
  figures.window_s = within(window, 0.02);
  figures.losses = losses(window);
  figures.structures = {{"point samples", false, 41.2, 8123.0},
                        {"window alone", true, 1.01, 0.0},
                        {"filter alone", false, 6.4, 912.5},
                        {"window and filter", false, 1.0, 4.2}};
  return figures;
}

}  // namespace

ProfilePage sample_profile() {
  Profile profile{.device = {.name = "NVIDIA A100 80GB PCIe",
                             .uuid = "GPU-0",
                             .pci = "0000:01:00.0",
                             .driver = "535.104.05"},
                  .created = "2000-01-01T00:00:00Z",
                  .duration_s = 42.0,
                  .recommended_source = kInstant,
                  .steadiness = Steadiness{.warm_up_s = 6.5,
                                           .source = kInstant,
                                           .idle_drift_w_per_s = within(0.002, 0.5),
                                           .work_drift_w_per_s = within(0.004, 0.5),
                                           .temperature_begin_c = 35.0,
                                           .temperature_end_c = 61.0}};
  profile.sources = {fitted(kInstant, 0.025, 0.0), fitted(kAverage, 1.0, 0.0)};
  profile.sources[0].catalogue = CatalogueMatch{"1", true};
  SourceProfile bounded = fitted(kModule, 0.004, 0.05);
  bounded.averaging_window_s.reset();
  bounded.reasons = {ProfileReason::averaging_window_not_resolved,
                     Coded<ProfileReason>::read(kHostileName, parse_profile_reason)};
  profile.sources.push_back(bounded);
  profile.sources.push_back({.source = kCounter, .verdict = SourceVerdict::unusable});
  profile.sources.back().reasons = {ProfileReason::permission_denied};
  ProfilePage page{.title = std::string("truewatt characterize: ") + kHostileName};
  page.figures = {profile, {drawn(kInstant, 0.025), drawn(kAverage, 1.0), drawn(kModule, 0.004)}};
  page.figures.sources[2].window_s = Interval{0.004, 0.0, 0.011, 0.95};
  page.metadata = {{"Device", kHostileName}, {"truewatt", "1.2.3"}};
  return page;
}

calibrate::CalibrationRun sample_calibration() {
  Calibration calibration{.source = kInstant,
                          .gain = {0.95, 0.93, 0.97, 0.95},
                          .offset_w = {2.0, 1.0, 3.0, 0.95},
                          .r_squared = 0.9999,
                          .meter = kHostileName};
  calibration.levels = {{49.5, 50.0}, {144.0, 150.0}, {287.5, 300.0}};
  calibration.terms = {{"scatter", 'A', 0.002, 0.3}, {"meter_scale", 'B', 0.009, 0.0}};
  calibration.reasons = {CalibrationReason::no_repetitions};
  calibrate::CalibrationRun run{.calibrations = {calibration},
                                .refused = {{kAverage, "too few levels"}}};
  run.device.name = "NVIDIA A100 80GB PCIe";
  return run;
}

}  // namespace truewatt::report
