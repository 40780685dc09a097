#include "truewatt/identification/artefacts/warmth_fit.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "truewatt/identification/artefacts/power_drift.hpp"
#include "truewatt/identification/fit/fit_problem.hpp"
#include "truewatt/identification/fit/observation_fit.hpp"

namespace truewatt::identification {
namespace {

constexpr std::size_t kFewestWarmLevels = 20;
constexpr std::size_t kEnough = 600;  // readings
constexpr std::array kTimeConstants{3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 50.0, 80.0, 160.0};  // s
constexpr std::array kWarmBefore{0.0, 0.25, 0.5, 0.75, 1.0};

/// One explanation: what is left of a warmth before the first work decays from there.
struct WarmthCandidate {
  double time_constant = 0.0;
  double before = 0.0;
  double first_work = 0.0;

  double left(double time) const { return before * std::exp(-(time - first_work) / time_constant); }
};

/// Warmth by the work alone as the sensor shows it: its own lag is a delay to so slow a signal.
std::vector<double> by_work(const FitData& data, const JointFit& fit, double time_constant) {
  std::vector<double> ticks;
  for (const ticks::Tick& reading : data.readings) ticks.push_back(reading.time);
  ObservationModel model = model_of(fit.parameters, fit.structure);
  model.delay += model.time_constant;
  model.time_constant = Seconds(time_constant);
  std::vector<double> warmth;
  for (const Response& one : LoadResponse(data.work, Shape::settled).at(ticks, model)) {
    warmth.push_back(one.reading);
  }
  return warmth;
}

double warmth_at(const FitData& data, const WarmthCandidate& candidate, double at) {
  const std::array tick{at};
  const ObservationModel slow{.averaging_window = kPointWindow,
                              .time_constant = Seconds(candidate.time_constant)};
  const LoadResponse response(data.work, Shape::settled);
  return response.at(tick, slow).front().reading + candidate.left(at);
}

/// A linear explanation of the readings.
struct Explained {
  double cost = std::numeric_limits<double>::infinity();  ///< half the weighted squares left
  Vector solution;
};

/// What does not change from one explanation to the next.
struct Known {
  std::vector<double> unit;
  Vector roots;  ///< of the weights
  Vector values;
};

Explained explain(const Known& known, const Matrix& columns) {
  const Matrix weighted = known.roots.asDiagonal() * columns;
  const Vector solution =
      weighted.colPivHouseholderQr().solve(known.roots.cwiseProduct(known.values));
  const Vector left = known.roots.cwiseProduct(known.values - columns * solution);
  return {left.squaredNorm() / 2, solution};
}

/// Columns: idle, full work, and two more of their sum with `drifts`.
Matrix columns_of(const Known& known, const std::vector<double>& drifts, bool of_work) {
  Matrix columns(known.values.size(), of_work ? 4 : 3);
  for (std::size_t k = 0; k < drifts.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    columns(i, 0) = 1.0;
    columns(i, 1) = known.unit[k];
    columns(i, 2) = drifts[k];
    if (of_work) columns(i, 3) = drifts[k] * known.unit[k];
  }
  return columns;
}

std::vector<double> warmth_of(const FitData& data, const JointFit& fit,
                              const WarmthCandidate& candidate) {
  std::vector<double> warmth = by_work(data, fit, candidate.time_constant);
  for (std::size_t k = 0; k < warmth.size(); ++k) {
    warmth[k] += candidate.left(data.readings[k].time);
  }
  return warmth;
}

double linear_cost(const FitData& data, const Known& known) {
  std::vector<double> since;
  for (const ticks::Tick& reading : data.readings) {
    since.push_back(reading.time - data.readings.front().time);
  }
  return explain(known, columns_of(known, since, false)).cost;
}

Known known_of(const FitData& data, const JointFit& fit) {
  const JointFit here = fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
  Known known{unit_response(data, fit), weights_of(here).cwiseSqrt(),
              Vector(static_cast<Eigen::Index>(data.readings.size()))};
  for (std::size_t k = 0; k < data.readings.size(); ++k) {
    known.values[static_cast<Eigen::Index>(k)] = data.readings[k].value;
  }
  return known;
}

/// The best of the candidates that it was offered.
class WarmthSearch {
 public:
  WarmthSearch(const FitData& data, const JointFit& fit)
      : data_(data), fit_(fit), known_(known_of(data, fit)) {}

  void offer(const WarmthCandidate& candidate) {
    Explained found = explain(known_, columns_of(known_, warmth_of(data_, fit_, candidate), true));
    // Nobody says that the board was warm; and what cools draws less.
    const bool warm = candidate.before > 0;
    if (warm && found.solution[2] + found.solution[3] / 2 <= 0) return;
    found.cost += warm ? kClearlyBetter / 2 : 0.0;
    if (found.cost >= best_.cost) return;
    best_ = std::move(found);
    candidate_ = candidate;
  }
  void refine() {
    for (const double factor : {1.26, 1.12, 1.06, 1.03}) {
      const WarmthCandidate around = candidate_;
      for (const double by : {factor, 1 / factor}) {
        WarmthCandidate moved = around;
        moved.time_constant *= by;
        offer(moved);
      }
    }
  }
  Warmth result(double at) const {
    constexpr double kMoreUnknowns = 2.0;  // time constant, effect on work
    const double gain = 2 * (linear_cost(data_, known_) - best_.cost);
    const double count = static_cast<double>(data_.readings.size());
    return {candidate_.time_constant, warmth_at(data_, candidate_, at),
            candidate_.before,        best_.solution[2],
            best_.solution[3],        gain - kMoreUnknowns * std::log(count)};
  }

 private:
  const FitData& data_;
  const JointFit& fit_;
  Known known_;
  Explained best_;
  WarmthCandidate candidate_;
};

}  // namespace

std::optional<Warmth> fit_warmth(const FitData& all, const JointFit& fit, double at) {
  const std::vector<ticks::Tick> readings = thinned(all.readings, kEnough);
  if (readings.size() < kFewestWarmLevels || all.work.empty()) return std::nullopt;
  const FitData data{readings, all.work};
  WarmthSearch search(data, fit);
  for (const double time_constant : kTimeConstants) {
    for (const double before : kWarmBefore) {
      search.offer({time_constant, before, data.work.front().begin});
    }
  }
  search.refine();
  return search.result(at);
}

double work_towards(const Warmth& warmth, double share) {
  const double now = warmth.now;
  if (now > share) return -warmth.time_constant_s * std::log(now / share);
  return warmth.time_constant_s * std::log((1 - now) / (1 - share));
}

}  // namespace truewatt::identification
