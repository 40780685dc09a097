#include "truewatt/calibrate/calibration_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/deming.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::calibrate {
namespace {

using numerics::quadrature;

/// Repetitions of one level lie closer together than this share of the whole range; the levels of
/// the protocol are 20 % apart.
constexpr double kSameLevel = 0.05;
/// Scatter that rests on fewer degrees of freedom is not taken for known.
constexpr std::size_t kFewestFreedoms = 3;
/// Fewer levels do not show a curve.
constexpr std::size_t kFewestLinearLevels = 4;
/// Distance of a level from the line that is taken for possible where it cannot be seen, of the
/// range: what R^2 = 0.9999, the least of most boards in Yang 2024, Fig. 8, leaves of two levels.
constexpr double kUnseenDeparture = 0.005;
/// Variance of level means around the line over what the repetitions explain; chance exceeds this
/// once in 200 times with the protocol's 5 and 49 degrees of freedom.
constexpr double kTooCurved = 4.0;
/// Levels closer to the line than this share of the range are in the interval and not worth a word.
constexpr double kVisibleCurve = 0.001;
constexpr double kWorstGain = 0.2;  // relative standard uncertainty

struct Points {
  std::vector<double> meter;
  std::vector<double> sensor;

  std::size_t size() const { return meter.size(); }
  void add(double meter_w, double sensor_w) {
    meter.push_back(meter_w);
    sensor.push_back(sensor_w);
  }
};

std::vector<MeteredLevel> in_order(std::span<const MeteredLevel> levels) {
  std::vector<MeteredLevel> sorted(levels.begin(), levels.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const MeteredLevel& a, const MeteredLevel& b) {
    return a.mean.meter_w < b.mean.meter_w;
  });
  return sorted;
}

/// Repetitions of one level each, told apart by the distance of the meter's means.
std::vector<Points> group(const std::vector<MeteredLevel>& sorted) {
  const double range = sorted.back().mean.meter_w - sorted.front().mean.meter_w;
  std::vector<Points> groups;
  double last = 0.0;
  for (const MeteredLevel& level : sorted) {
    const double meter = level.mean.meter_w;
    if (groups.empty() || meter - last > kSameLevel * range) groups.emplace_back();
    groups.back().add(meter, level.mean.sensor_w);
    last = meter;
  }
  return groups;
}

/// Pooled covariances of the repetitions around their levels' means.
struct Within {
  double meter = 0.0;
  double both = 0.0;
  double sensor = 0.0;
  std::size_t freedoms = 0;
};

Within within(const std::vector<Points>& groups) {
  Within sums;
  for (const Points& points : groups) {
    const double meter = numerics::mean(points.meter);
    const double sensor = numerics::mean(points.sensor);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double dm = points.meter[i] - meter;
      const double ds = points.sensor[i] - sensor;
      sums.meter += dm * dm;
      sums.both += dm * ds;
      sums.sensor += ds * ds;
    }
    sums.freedoms += points.size() - 1;
  }
  const double n = std::max<double>(1.0, static_cast<double>(sums.freedoms));
  return {sums.meter / n, sums.both / n, sums.sensor / n, sums.freedoms};
}

/// Method (15): what both saw is the board's; the rest is either's error.
numerics::ErrorVariances errors_of(const Within& spread, double gain) {
  if (spread.freedoms < kFewestFreedoms) return {.x = 1.0, .y = gain * gain};
  const double most = std::min(spread.meter, spread.sensor / (gain * gain));
  const double shared = std::clamp(spread.both / gain, 0.0, most);
  const numerics::ErrorVariances errors{.x = std::max(spread.meter - shared, 0.0),
                                        .y = std::max(spread.sensor - gain * gain * shared, 0.0)};
  if (errors.x + errors.y > 0.0) return errors;
  return {.x = 1.0, .y = gain * gain};
}

Result<numerics::LineFit> fit_points(const Points& points, const Within& spread, double known_sd) {
  auto fit = numerics::fit_line(points.meter, points.sensor, known_sd);
  // The variances need the gain, which they hardly move.
  for (int i = 0; i < 3 && fit && fit->slope > 0.0; ++i) {
    fit =
        numerics::fit_deming(points.meter, points.sensor, errors_of(spread, fit->slope), known_sd);
  }
  return fit;
}

/// A line's uncertainty as one of gain and offset.
CalibrationTerm term_of(std::string name, char type, const numerics::LineFit& fit, double factor) {
  return {std::move(name), type, factor * fit.slope_sd,
          factor * quadrature({fit.center_sd, fit.slope_sd * fit.center_x})};
}

double root_mean_square(const std::vector<MeteredLevel>& levels) {
  double squares = 0.0;
  for (const MeteredLevel& level : levels) squares += level.sd * level.sd;
  return std::sqrt(squares / static_cast<double>(levels.size()));
}

/// The fit of one data set, and what its residuals say.
class Fitter {
 public:
  explicit Fitter(std::vector<MeteredLevel> sorted)
      : sorted_(std::move(sorted)), groups_(group(sorted_)), spread_(within(groups_)) {
    for (const MeteredLevel& level : sorted_) {
      all_.add(level.mean.meter_w, level.mean.sensor_w);
    }
    for (const Points& points : groups_)
      means_.add(numerics::mean(points.meter), numerics::mean(points.sensor));
  }

  Result<numerics::LineFit> fit() const {
    return fit_points(all_, spread_, knows_scatter() ? 0.0 : root_mean_square(sorted_));
  }
  void add_terms(Calibration& calibration, const numerics::LineFit& fit) const;

 private:
  std::size_t freedoms() const { return all_.size() - 2; }
  bool knows_scatter() const { return all_.size() >= kFewestFreedoms + 2; }
  bool is_curved(const numerics::LineFit& fit, const numerics::LineFit& of_means) const;
  numerics::LineFit line_of_means(double known_sd) const;

  std::vector<MeteredLevel> sorted_;
  std::vector<Points> groups_;
  Within spread_;
  Points all_;
  Points means_;
};

numerics::LineFit Fitter::line_of_means(double known_sd) const {
  return fit_points(means_, spread_, known_sd).value_or(numerics::LineFit{});
}

bool Fitter::is_curved(const numerics::LineFit& fit, const numerics::LineFit& of_means) const {
  if (spread_.freedoms < kFewestFreedoms || groups_.size() < kFewestLinearLevels) return false;
  const double scatter =
      spread_.sensor - 2.0 * fit.slope * spread_.both + fit.slope * fit.slope * spread_.meter;
  const double repetitions = static_cast<double>(all_.size()) / static_cast<double>(groups_.size());
  return of_means.residual_sd * of_means.residual_sd * repetitions > kTooCurved * scatter;
}

void Fitter::add_terms(Calibration& calibration, const numerics::LineFit& fit) const {
  auto& terms = calibration.terms;
  auto& reasons = calibration.reasons;
  if (spread_.freedoms == 0) reasons.emplace_back(CalibrationReason::no_repetitions);
  const double widening =
      knows_scatter() ? numerics::student_widening(static_cast<double>(freedoms())) : 1.0;
  terms.push_back(term_of("scatter", 'A', fit, widening));
  if (groups_.size() < kFewestLinearLevels) {
    reasons.emplace_back(CalibrationReason::linearity_not_tested);
    const double range = means_.meter.back() - means_.meter.front();
    const auto assumed = line_of_means(kUnseenDeparture * fit.slope * range);
    terms.push_back(term_of("linearity", 'B', assumed, 1.0));
    return;
  }
  const auto of_means = line_of_means(0.0);
  if (!is_curved(fit, of_means)) return;
  const double range = means_.meter.back() - means_.meter.front();
  if (of_means.residual_sd > kVisibleCurve * fit.slope * range)
    reasons.emplace_back(CalibrationReason::not_linear);
  const auto levels = static_cast<double>(groups_.size());
  terms.push_back(term_of("linearity", 'A', of_means, numerics::student_widening(levels - 2)));
}

/// A meter that shows (1 + s) P + z makes a gain of 1 look like 1/(1 + s).
void add_meter_terms(Calibration& calibration, const MeterAccuracy& accuracy, double gain) {
  const double rectangular = std::sqrt(3.0);
  calibration.terms.push_back({"meter_scale", 'B', gain * accuracy.scale / rectangular, 0.0});
  calibration.terms.push_back({"meter_zero", 'B', 0.0, gain * accuracy.zero_w / rectangular});
}

/// Standard uncertainty of all terms together.
CalibrationTerm sum_of(const std::vector<CalibrationTerm>& terms) {
  CalibrationTerm sum{.name = "sum"};
  for (const CalibrationTerm& term : terms) {
    sum.gain = quadrature({sum.gain, term.gain});
    sum.offset_w = quadrature({sum.offset_w, term.offset_w});
  }
  return sum;
}

std::optional<double> r_squared(const std::vector<MeteredLevel>& levels,
                                const numerics::LineFit& fit) {
  if (levels.size() < 3) return std::nullopt;
  double squares = 0.0;
  for (const MeteredLevel& level : levels) {
    squares += std::pow(level.mean.sensor_w - fit.center_y, 2);
  }
  const double residual =
      fit.residual_sd * fit.residual_sd * static_cast<double>(levels.size() - 2);
  return 1.0 - residual / squares;
}

}  // namespace

Result<Calibration> fit_calibration(std::span<const MeteredLevel> levels,
                                    const MeterAccuracy& accuracy) {
  if (levels.size() < 2) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("a calibration needs two levels of power, there are {}: a load "
                                  "of 2.5 s or more with steady idle before it makes two",
                                  levels.size()));
  }
  const std::vector<MeteredLevel> sorted = in_order(levels);
  const Fitter fitter(sorted);
  const auto fit = fitter.fit();
  if (!fit) return Unexpected(fit.error());
  Calibration calibration;
  for (const MeteredLevel& level : levels) calibration.levels.push_back(level.mean);
  fitter.add_terms(calibration, *fit);
  const double gain = fit->slope;
  if (!(gain > 0.0) || sum_of(calibration.terms).gain > kWorstGain * gain) {
    return Unexpected(
        Errc::ill_conditioned,
        fmt::format("levels from {:.1f} to {:.1f} W lie too close together, or sensor "
                    "and meter do not see the same board: the gain would be {:.2f}",
                    sorted.front().mean.meter_w, sorted.back().mean.meter_w, gain));
  }
  add_meter_terms(calibration, accuracy, gain);
  const CalibrationTerm sum = sum_of(calibration.terms);
  calibration.gain = interval95({gain, sum.gain});
  calibration.offset_w = interval95({fit->center_y - gain * fit->center_x, sum.offset_w});
  calibration.r_squared = r_squared(sorted, *fit);
  return calibration;
}

}  // namespace truewatt::calibrate
