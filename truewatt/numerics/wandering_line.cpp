#include "truewatt/numerics/wandering_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace truewatt::numerics {
namespace {

/// Symmetric, of value and slope.
struct Covariance {
  double value = 0.0;
  double cross = 0.0;
  double slope = 0.0;

  /// `dx` further on, where the value has gained that much of the slope.
  void carry(double dx) {
    value += 2 * dx * cross + dx * dx * slope;
    cross += dx * slope;
  }
  /// With a value read and the gains k and m of it: (I - K H) P (I - K H)^T.
  void correct(double k, double m) {
    const double v = value;
    const double c = cross;
    value = (1 - k) * (1 - k) * v;
    cross = (1 - k) * (c - m * v);
    slope += -2 * m * c + m * m * v;
  }
};

Unexpected at_one_place() { return {Errc::ill_conditioned, "two points of a line at one place"}; }

}  // namespace

Increments& Increments::operator+=(const Increments& other) {
  squares += other.squares;
  products += other.products;
  length += other.length;
  count += other.count;
  lines += other.lines;
  return *this;
}

Increments increments_of(std::span<const double> x, std::span<const double> y, double slope) {
  assert(x.size() == y.size());
  Increments all{.lines = 1};
  double before = 0.0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double residual = y[i] - y[i - 1] - slope * (x[i] - x[i - 1]);
    all.squares += residual * residual;
    all.products += residual * before;
    all.length += std::abs(x[i] - x[i - 1]);
    before = residual;
    ++all.count;
  }
  return all;
}

Wandering wandering_of(const Increments& increments, double known_sd) {
  const int degrees = increments.count - increments.lines;
  if (degrees < increments.lines) return {known_sd, 0.0};
  const double variance = increments.squares / degrees;
  const double white = std::max(known_sd * known_sd, -increments.products / degrees);
  const double walk = std::max(0.0, variance - 2 * white) * increments.count / increments.length;
  return {std::sqrt(white), walk};
}

Result<LineEnd> end_of_line(std::span<const double> x, std::span<const double> y, double end,
                            const Wandering& scatter) {
  assert(x.size() == y.size());
  if (x.size() < 2) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("a line needs two points, there are {}", x.size()));
  }
  const double white = scatter.white_sd * scatter.white_sd;
  // The first two points, exactly: what a slope of which nothing is known leaves of them.
  const double first = x[1] - x[0];
  if (first == 0.0) return at_one_place();
  double value = y[1];
  double slope = (y[1] - y[0]) / first;
  Covariance of_white{white, white / first, 2 * white / (first * first)};
  Covariance of_walk{0.0, 0.0, scatter.walk * std::abs(first) / (first * first)};
  const auto carry = [&](double dx) {
    value += slope * dx;
    of_white.carry(dx);
    of_walk.carry(dx);
    of_walk.value += scatter.walk * std::abs(dx);
  };
  for (std::size_t i = 2; i < x.size(); ++i) {
    const double dx = x[i] - x[i - 1];
    if (dx == 0.0) return at_one_place();
    carry(dx);
    const double known = of_white.value + of_walk.value;
    const double all = known + white;
    const double k = all > 0 ? known / all : 0.0;
    const double m = all > 0 ? (of_white.cross + of_walk.cross) / all : 0.0;
    const double surprise = y[i] - value;
    value += k * surprise;
    slope += m * surprise;
    of_white.correct(k, m);
    of_walk.correct(k, m);
    of_white.value += k * k * white;
    of_white.cross += k * m * white;
    of_white.slope += m * m * white;
  }
  carry(end - x.back());
  return LineEnd{value,
                 std::sqrt(of_white.value),
                 std::sqrt(of_walk.value),
                 {slope, std::sqrt(of_white.slope + of_walk.slope)}};
}

}  // namespace truewatt::numerics
