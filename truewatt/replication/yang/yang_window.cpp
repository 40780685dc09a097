#include "truewatt/replication/yang/yang_window.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/nelder_mead.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::replication::yang {
namespace {

constexpr double kRefused = 100.0;
constexpr double kMilli = 1e-3;           // the search is in milliseconds, as its tolerances are
constexpr double kPointTolerance = 1e-3;  // artifact: xatol, ms
constexpr std::size_t kFewestReadings = 5;
constexpr std::size_t kFewestForSwing = 40;

/// How long a load has worked until a time, seconds.
class Worked {
 public:
  explicit Worked(std::span<const identification::Work> work) : work_(work) {
    before_.reserve(work.size() + 1);
    before_.push_back(0.0);
    for (const identification::Work& stretch : work)
      before_.push_back(before_.back() + stretch.end - stretch.begin);
  }
  double until(double time) const {
    const auto next = std::upper_bound(
        work_.begin(), work_.end(), time,
        [](double t, const identification::Work& stretch) { return t < stretch.begin; });
    const auto begun = static_cast<std::size_t>(next - work_.begin());
    if (begun == 0) return 0.0;
    return before_[begun] - std::max(work_[begun - 1].end - time, 0.0);
  }
  bool works_at(double time) const { return until(time + 1e-9) > until(time); }

 private:
  std::span<const identification::Work> work_;
  std::vector<double> before_;
};

/// z-scores; zeros when the values do not differ.
std::vector<double> standardized(std::vector<double> values) {
  const auto summary = numerics::summarize(values);
  // What is left of equal means after rounding.
  constexpr double kNothing = 1e-12;
  const bool flat = !summary || summary->sd <= kNothing * std::abs(summary->mean);
  const double sd = flat ? 1.0 : summary->sd;
  for (double& value : values) value = flat ? 0.0 : (value - summary->mean) / sd;
  return values;
}

/// The loss as a function of window and delay; keeps what does not depend on them.
class Loss {
 public:
  explicit Loss(const WaveRun& run) : worked_(run.wave) {
    std::vector<double> values;
    for (const ticks::Tick& tick : run.readings) {
      times_.push_back(tick.time);
      values.push_back(tick.value);
    }
    shown_ = standardized(std::move(values));
  }

  bool is_flat() const {
    return std::all_of(shown_.begin(), shown_.end(), [](double z) { return z == 0.0; });
  }

  double operator()(double window, double delay) const {
    if (window < 0.0 || delay < 0.0) return kRefused;
    const std::vector<double> emulated = standardized(emulate(window, delay));
    double sum = 0.0;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      sum += (emulated[i] - shown_[i]) * (emulated[i] - shown_[i]);
    }
    return sum / static_cast<double>(shown_.size());
  }

 private:
  std::vector<double> emulate(double window, double delay) const {
    std::vector<double> means;
    means.reserve(times_.size());
    for (const double time : times_) {
      const double end = time - delay;
      means.push_back(window > 0.0 ? (worked_.until(end) - worked_.until(end - window)) / window
                                   : static_cast<double>(worked_.works_at(end)));
    }
    return means;
  }

  Worked worked_;
  std::vector<double> times_;
  std::vector<double> shown_;
};

}  // namespace

double window_loss(const WaveRun& run, double window, double delay) {
  return Loss(run)(window, delay);
}

std::optional<WindowFit> fit_window(const WaveRun& run, double update_period) {
  const Loss loss(run);
  if (run.readings.size() < kFewestReadings || loss.is_flat()) return std::nullopt;
  const auto minimum = numerics::nelder_mead(
      [&loss](std::span<const double> ms) { return loss(kMilli * ms[0], kMilli * ms[1]); },
      {update_period / 2 / kMilli, kStartDelay / kMilli}, {.point_tolerance = kPointTolerance});
  return WindowFit{.window = kMilli * minimum.at[0],
                   .delay = kMilli * minimum.at[1],
                   .loss = minimum.value,
                   .converged = minimum.converged};
}

std::vector<LossPoint> loss_curve(const WaveRun& run, double update_period, double delay) {
  const Loss loss(run);
  std::vector<LossPoint> curve;
  const auto steps =
      static_cast<int>((update_period + kCurveBeyond - kCurveBegin) / kCurveStep + 1e-6);
  for (int i = 0; i <= steps; ++i) {
    const double window = kCurveBegin + i * kCurveStep;
    curve.push_back({window, loss(window, delay)});
  }
  return curve;
}

std::optional<double> lowest(std::span<const LossPoint> curve) {
  const auto found =
      std::min_element(curve.begin(), curve.end(),
                       [](const LossPoint& a, const LossPoint& b) { return a.loss < b.loss; });
  return found == curve.end() ? std::nullopt : std::optional(found->window);
}

std::optional<double> swing_share(std::vector<double> readings, double amplitude_w) {
  if (readings.size() < kFewestForSwing || amplitude_w <= 0.0) return std::nullopt;
  std::sort(readings.begin(), readings.end());
  const auto quantile = [&readings](double share) {
    return readings[static_cast<std::size_t>(share * static_cast<double>(readings.size() - 1))];
  };
  return (quantile(0.95) - quantile(0.05)) / amplitude_w;
}

}  // namespace truewatt::replication::yang
