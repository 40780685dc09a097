#include "truewatt/energy/former/edge_waves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace truewatt::energy {
namespace {

using Vector = Eigen::VectorXd;

/// Harmonics of its inner period that a counter turns into an error of every edge.
constexpr int kWaves = 4;

/// Waves smaller than this are left out.
constexpr double kFinestWave = 5e-6;  // s

/// What the lag leaves of a wave of so many radians a second.
double smoothed(const SourceView& view, double turn) {
  const double lag = turn * view.model.time_constant.count();
  return 1 / std::sqrt(1 + lag * lag);
}

/// Standard deviation of the error of an edge by one harmonic of the inner readings, s: what a sum
/// of readings p apart makes of an edge between two of them is a saw of height p, whose harmonics
/// are p/(pi m). `turn`: 2 pi m/p.
double saw_sd(double turn) { return std::numbers::sqrt2 / turn; }

/// The same of a counter with period T one of whose readings, p apart, stands p/2 off: edges
/// within that stretch are wrong by p, which is in every harmonic of T up to p's about alike.
double stray_sd(const SourceView& view) {
  const double off = view.ring_s / 2;
  return std::numbers::sqrt2 * view.ring_s * off / view.model.update_period.count();
}

}  // namespace

std::vector<Wave> waves_of(const SourceView& view) {
  std::vector<Wave> waves;
  if (view.inner_s <= 0) return waves;
  const auto list = [&](double turn, double sd) {
    if (sd < kFinestWave) return;
    for (const bool sine : {false, true}) waves.push_back({turn, sine, sd});
  };
  for (int harmonic = 1; harmonic <= kWaves; ++harmonic) {
    const auto turn = [&](double period) { return 2 * std::numbers::pi * harmonic / period; };
    const double inner = turn(view.inner_s);
    if (view.inner_first) list(inner, saw_sd(inner));
    if (!view.inner_first && !view.sums) list(inner, saw_sd(inner) * smoothed(view, inner));
    if (view.ring_s <= view.inner_s) continue;
    const double ring = turn(view.ring_s);
    list(ring, saw_sd(ring) * smoothed(view, ring));
    const double tick = turn(view.model.update_period.count());
    list(tick, stray_sd(view) * smoothed(view, tick));
  }
  return waves;
}

std::vector<Edge> edges_of(const WorkTimes& work, const std::vector<PowerPart>& parts,
                           const Vector& heights, double step_w) {
  constexpr double kAside = 1e-6;  // s
  std::vector<Edge> edges;
  for (const Stint& stint : work.stints) {
    for (const double time : {stint.begin, stint.end}) edges.push_back({time, step_w});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  for (Edge& edge : edges) {
    if (heights.size() == 0) continue;
    edge.step_w = 0.0;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      const PowerSignal& course = parts[j].course;
      edge.step_w += heights(static_cast<Eigen::Index>(j)) *
                     (course.value(edge.time + kAside) - course.value(edge.time - kAside));
    }
  }
  return edges;
}

Vector edges_seen(const SourceView& view, const Wave& wave, const std::vector<Edge>& edges,
                  double from) {
  const double lag = counts_energy(view.source) ? 0.0 : view.model.time_constant.count();
  Vector seen = Vector::Zero(static_cast<Eigen::Index>(view.ticks.size()));
  double sum = 0.0;
  double at = from;
  const auto forget = [&](double until) {
    if (lag > 0 && until > at) sum *= std::exp(-(until - at) / lag);
    at = std::max(at, until);
  };
  auto edge = edges.begin();
  for (std::size_t k = 0; k < view.ticks.size(); ++k) {
    const double until = view.ticks[k].time - view.model.delay.count();
    for (; edge != edges.end() && edge->time <= until; ++edge) {
      forget(edge->time);
      const double phase = wave.turn * edge->time;
      sum -= edge->step_w * (wave.sine ? std::sin(phase) : std::cos(phase));
    }
    forget(until);
    seen(static_cast<Eigen::Index>(k)) = lag > 0 ? sum / lag : sum;
  }
  return seen;
}

}  // namespace truewatt::energy
