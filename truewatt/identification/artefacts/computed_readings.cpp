#include "truewatt/identification/artefacts/computed_readings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::identification {
namespace {

/// The step of a board to full work in units of its sensor's converter is more than that: 8 bits
/// over one and a half times that step would be 170.
constexpr double kMostLevels = 100.0;
constexpr std::size_t kFewestSettled = 3;
/// Share of the readings that must do what computed ones do; the others' ticks were missed.
constexpr double kNearlyAll = 0.95;
constexpr double kMostly = 0.9;
/// Rounding to the number format moves a reading by half a step of it, the fitted line by less.
constexpr double kRounding = 0.75;
/// Levels closer than so many steps of the number format cannot be told from it.
constexpr double kCoarser = 2.0;

enum class Worked { none, partly, all };

/// What the work was while a reading's window was open, and long enough before for its lag.
class Classifier {
 public:
  Classifier(const FitData& data, const JointFit& fit) : work_(data.work) {
    const double window = std::exp(fit.parameters[kLogWindow]);
    const double lag = fit.structure.lag ? std::exp(fit.parameters[kLogLag]) : 0.0;
    constexpr double kSettledLags = 5.0;
    constexpr double kMargin = 2e-3;  // s
    delay_ = fit.parameters[kDelay];
    before_ = 1.1 * window + kSettledLags * lag + kMargin;
    after_ = 0.1 * window + kMargin;
  }

  Worked at(const ticks::Tick& reading) const {
    const double end = reading.time - delay_ + after_;
    const double begin = reading.time - delay_ - before_;
    const auto next = std::partition_point(work_.begin(), work_.end(),
                                           [begin](const Work& one) { return one.end <= begin; });
    if (next == work_.end() || next->begin >= end) return Worked::none;
    return next->begin <= begin && next->end >= end ? Worked::all : Worked::partly;
  }

 private:
  std::span<const Work> work_;
  double delay_ = 0.0;
  double before_ = 0.0;
  double after_ = 0.0;
};

/// The value that nearly all of these readings show, if they are enough and do.
std::optional<double> only_value(const std::vector<double>& values, double number_step) {
  if (values.size() < kFewestSettled) return std::nullopt;
  std::map<long long, std::size_t> counts;
  for (const double value : values) ++counts[std::llround(value / number_step)];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto wanted = kNearlyAll * static_cast<double>(values.size());
  if (static_cast<double>(most->second) < wanted) return std::nullopt;
  return static_cast<double>(most->first) * number_step;
}

/// value = origin + step * number, for every value a whole number.
struct Levels {
  double origin = 0.0;
  double step = 0.0;
  double number(double value) const { return std::round((value - origin) / step); }
  double off(double value) const { return std::abs(value - origin - step * number(value)); }
};

/// The levels whose step is the smallest gap between the values.
std::optional<Levels> levels_of(std::vector<double> values, double number_step) {
  std::sort(values.begin(), values.end());
  const auto same = [number_step](double a, double b) { return b - a < number_step / 2; };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  if (values.size() < 3) return std::nullopt;
  double smallest = values.back() - values.front();
  for (std::size_t i = 1; i < values.size(); ++i) {
    smallest = std::min(smallest, values[i] - values[i - 1]);
  }
  if (smallest <= (kCoarser - 1) * number_step) return std::nullopt;
  double sum = 0.0;
  double single = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double gap = values[i] - values[i - 1];
    if (gap > 1.5 * smallest) continue;
    sum += gap;
    single += 1.0;
  }
  std::vector<double> numbers = {0.0};
  for (std::size_t i = 1; i < values.size(); ++i) {
    numbers.push_back(numbers.back() + std::round((values[i] - values[i - 1]) * single / sum));
  }
  const auto line = numerics::fit_line(numbers, values);
  if (!line) return std::nullopt;
  return Levels{line->at(0.0).value, line->slope};
}

/// True when the readings are those of work that is seen at once, but for the rounding to levels:
/// without a board's slow rise and overshoot, and as well at its edges as the ticks are known.
bool follows_work(const FitData& data, const JointFit& fit, double step) {
  constexpr int kIterations = 15;
  constexpr double kTickSds = 3.0;
  const double rounding_sd = step / std::sqrt(12.0);
  const Structure at_once{.lag = fit.structure.lag};
  JointFit work_alone = fit_from(data, at_once, fit.parameters, rounding_sd, kIterations);
  std::size_t near = 0;
  for (std::size_t k = 0; k < work_alone.residuals.size(); ++k) {
    const double variance = std::pow(work_alone.sds[k], 2) - rounding_sd * rounding_sd;
    const double tick = kTickSds * std::sqrt(std::max(0.0, variance));
    near += std::abs(work_alone.residuals[k]) <= kRounding * step + tick ? 1 : 0;
  }
  return static_cast<double>(near) >= kMostly * static_cast<double>(data.readings.size());
}

}  // namespace

std::optional<ComputedLevels> computed_levels(const FitData& all, const JointFit& fit,
                                              double number_step) {
  const std::vector<ticks::Tick> located = well_located(all.readings);
  const FitData data{located, all.work};
  const Classifier classify(data, fit);
  std::vector<double> idle;
  std::vector<double> full;
  std::vector<double> partial;
  for (const ticks::Tick& reading : data.readings) {
    const Worked worked = classify.at(reading);
    auto& values = worked == Worked::none ? idle : worked == Worked::all ? full : partial;
    values.push_back(reading.value);
  }
  const auto lowest = only_value(idle, number_step);
  const auto highest = only_value(full, number_step);
  if (!lowest || !highest || *highest <= *lowest) return std::nullopt;

  std::vector<double> seen = partial;
  seen.push_back(*lowest);
  seen.push_back(*highest);
  const auto levels = levels_of(seen, number_step);
  if (!levels || levels->step <= kCoarser * number_step) return std::nullopt;
  const double from = levels->number(*lowest);
  const double to = levels->number(*highest);
  if (to - from < 2 || to - from > kMostLevels) return std::nullopt;

  const double tolerance = kRounding * number_step;
  double evidence = -2.0;  // origin and step were taken from the readings
  for (const double value : partial) {
    if (levels->off(value) > tolerance) return std::nullopt;
    const double number = levels->number(value);
    if (number != from && number != to) evidence += 1.0;
  }
  ComputedLevels found{.step_w = levels->step,
                       .to_full = static_cast<std::size_t>(to - from),
                       .partial = static_cast<std::size_t>(std::max(evidence + 2.0, 0.0)),
                       .log_likelihood = evidence * std::log(levels->step / (2 * tolerance))};
  const auto count = static_cast<double>(data.readings.size());
  if (2 * found.log_likelihood <= kClearlyBetter + 2 * std::log(count)) return std::nullopt;
  if (!follows_work(data, fit, levels->step)) return std::nullopt;
  return found;
}

}  // namespace truewatt::identification
