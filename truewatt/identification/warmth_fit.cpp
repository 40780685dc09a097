#include "truewatt/identification/warmth_fit.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "truewatt/identification/fit_problem.hpp"
#include "truewatt/identification/observation_fit.hpp"
#include "truewatt/identification/power_drift.hpp"

namespace truewatt::identification {
namespace {

constexpr std::size_t kFewest = 20;
constexpr std::size_t kEnough = 600;  // readings
constexpr std::array kTimeConstants{3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 50.0, 80.0, 160.0};  // s
constexpr std::array kWarmBefore{0.0, 0.25, 0.5, 0.75, 1.0};

/// One explanation: what is left of a warmth before the first work decays from there.
struct Candidate {
  double time_constant = 0.0;
  double before = 0.0;
  double first_work = 0.0;

  double left(double time) const { return before * std::exp(-(time - first_work) / time_constant); }
};

/// Warmth by the work alone as the sensor shows it: its own lag is a delay to so slow a signal.
std::vector<double> by_work(const FitData& data, const JointFit& fit, double time_constant) {
  std::vector<double> ticks;
  for (const energy::Tick& reading : data.readings) ticks.push_back(reading.time);
  ObservationModel model = model_of(fit.parameters, fit.structure);
  model.delay += model.time_constant;
  model.time_constant = Seconds(time_constant);
  std::vector<double> warmth;
  for (const Response& one : LoadResponse(data.work, Shape::settled).at(ticks, model)) {
    warmth.push_back(one.reading);
  }
  return warmth;
}

double warmth_at(const FitData& data, const Candidate& candidate, double at) {
  const std::array tick{at};
  const ObservationModel slow{.averaging_window = kPointWindow,
                              .time_constant = Seconds(candidate.time_constant)};
  const LoadResponse response(data.work, Shape::settled);
  return response.at(tick, slow).front().reading + candidate.left(at);
}

struct Explained {
  double cost = std::numeric_limits<double>::infinity();  ///< half the weighted squares left
  bool rises = false;  ///< warmth raises the power at idle and under work together
};

Explained explain(const FitData& data, const Candidate& candidate,
                  const std::vector<double>& worked, const std::vector<double>& unit,
                  const Vector& weights) {
  const auto count = static_cast<Eigen::Index>(unit.size());
  Matrix columns(count, 4);
  Vector values(count);
  for (std::size_t k = 0; k < unit.size(); ++k) {
    const double warmth = worked[k] + candidate.left(data.readings[k].time);
    const auto i = static_cast<Eigen::Index>(k);
    columns.row(i) << 1.0, unit[k], warmth, warmth * unit[k];
    values[i] = data.readings[k].value;
  }
  const Vector roots = weights.cwiseSqrt();
  const Matrix weighted = roots.asDiagonal() * columns;
  const Vector solution = weighted.colPivHouseholderQr().solve(roots.cwiseProduct(values));
  const Vector left = roots.cwiseProduct(values - columns * solution);
  return {left.squaredNorm() / 2, solution[2] + solution[3] / 2 > 0};
}

}  // namespace

std::optional<Warmth> fit_warmth(const FitData& all, const JointFit& fit, double at) {
  const std::vector<energy::Tick> readings = thinned(all.readings, kEnough);
  if (readings.size() < kFewest || all.work.empty()) return std::nullopt;
  const FitData data{readings, all.work};
  const std::vector<double> unit = unit_response(data, fit);
  const Vector weights =
      weights_of(fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0));
  Candidate best;
  double least = std::numeric_limits<double>::infinity();
  for (const double time_constant : kTimeConstants) {
    const std::vector<double> worked = by_work(data, fit, time_constant);
    for (const double before : kWarmBefore) {
      const Candidate candidate{time_constant, before, data.work.front().begin};
      const Explained found = explain(data, candidate, worked, unit, weights);
      // Nobody says that the board was warm; and what cools draws less.
      if (before > 0 && !found.rises) continue;
      const double cost = found.cost + (before > 0 ? kClearlyBetter / 2 : 0.0);
      if (cost >= least) continue;
      least = cost;
      best = candidate;
    }
  }
  return Warmth{best.time_constant, warmth_at(data, best, at)};
}

double work_towards(const Warmth& warmth, double share) {
  const double now = warmth.now;
  if (now > share) return -warmth.time_constant_s * std::log(now / share);
  return warmth.time_constant_s * std::log((1 - now) / (1 - share));
}

}  // namespace truewatt::identification
