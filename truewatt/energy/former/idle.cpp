#include "truewatt/energy/former/idle.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

constexpr double kAgree = 4.0;  // standard uncertainties
/// A steady run is looked for with at least this length, where so much was recorded: slow lags
/// look steady over less.
constexpr double kSteadyTime = 0.25;  // s

double mean_power(std::span<const Stretch> run) {
  double sum = 0.0;
  for (const Stretch& stretch : run) sum += stretch.power;
  return sum / static_cast<double>(run.size());
}

/// Standard deviation of one stretch. Second differences (first ones of a short run) are free of
/// trends, their median of the one step that the run may hold.
double scatter(std::span<const Stretch> run) {
  std::vector<double> differences;
  const bool is_short = run.size() < kFewestStretches;
  for (std::size_t i = 1; i < run.size(); ++i) {
    const double first = run[i].power - run[i - 1].power;
    if (is_short) {
      differences.push_back(std::abs(first));
    } else if (i + 1 < run.size()) {
      differences.push_back(std::abs(run[i + 1].power - run[i].power - first));
    }
  }
  // Median of |N(0, 1)| = 0.6745; a first difference has variance 2, a second one 6.
  const double unit = 0.67449 * std::sqrt(is_short ? 2.0 : 6.0);
  return numerics::median(std::move(differences)).value_or(0.0) / unit;
}

/// How far the means of the run's halves lie apart, and how far they may by chance.
struct Halves {
  double apart = 0.0;
  double by_chance = 0.0;
};

Halves halves_of(std::span<const Stretch> run, double sd) {
  const std::size_t half = run.size() / 2;
  const double difference =
      mean_power(run.subspan(0, half)) - mean_power(run.subspan(run.size() - half));
  return {std::abs(difference), kAgree * sd * std::sqrt(2.0 / static_cast<double>(half))};
}

double length(std::span<const Stretch> run) {
  double sum = 0.0;
  for (const Stretch& stretch : run) sum += stretch.end - stretch.begin;
  return sum;
}

/// Stretches that do not repeat the one before them.
std::size_t distinct(std::span<const Stretch> run) {
  std::size_t count = run.size();
  for (std::size_t i = 1; i < run.size(); ++i) count -= run[i - 1].repeated_by(run[i]) ? 1 : 0;
  return count;
}

Idle idle_of(std::span<const Stretch> run, std::size_t first, double sd, double reading_sd) {
  const auto mean_of = [](double each, std::size_t n) {
    return each / std::sqrt(static_cast<double>(n));
  };
  const double u = std::max(mean_of(sd, run.size()), mean_of(reading_sd, distinct(run)));
  return {first, run.size(), {mean_power(run), u}};
}

/// The longest steady run that begins with stretch `first` and is no shorter than `fewest`
/// stretches and `wanted` seconds.
std::optional<Idle> steady_from(std::span<const Stretch> stretches, std::size_t first,
                                std::size_t fewest, double wanted, double reading_sd,
                                const IdleBounds& bounds) {
  for (std::size_t count = stretches.size() - first; count >= fewest;
       count -= std::max<std::size_t>(1, count / 4)) {
    const auto run = stretches.subspan(first, count);
    if (length(run) < wanted) break;
    const double sd = std::max(scatter(run), reading_sd);
    const Halves halves = halves_of(run, sd);
    Idle idle = idle_of(run, first, sd, reading_sd);
    if (halves.apart <= std::min(halves.by_chance, bounds.ramp)) return idle;
    if (halves.apart <= bounds.drift) {
      idle.power_w.standard_uncertainty =
          std::max(idle.power_w.standard_uncertainty, halves.apart / std::sqrt(12.0));
      return idle;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Idle> steady_idle_after(std::span<const Stretch> stretches, double reading_sd,
                                      const IdleBounds& bounds) {
  const double wanted = std::min(kSteadyTime, length(stretches) / 2);
  const std::size_t fewest = stretches.size() >= kFewestStretches ? kFewestStretches : kFewestEver;
  for (std::size_t first = 0; first + fewest <= stretches.size(); ++first) {
    if (stretches[first].power > bounds.ceiling) continue;
    const auto idle = steady_from(stretches, first, fewest, wanted, reading_sd, bounds);
    if (idle && idle->power_w.value <= bounds.ceiling) return idle;
  }
  return std::nullopt;
}

std::optional<Idle> steady_idle_before(std::span<const Stretch> stretches, double reading_sd) {
  if (stretches.size() < kFewestEver) return std::nullopt;
  if (auto idle = steady_from(stretches, 0, kFewestStretches, 0.0, reading_sd, {})) return idle;
  const auto nearest = stretches.first(kFewestEver);
  const auto [low, high] =
      std::minmax_element(nearest.begin(), nearest.end(),
                          [](const Stretch& a, const Stretch& b) { return a.power < b.power; });
  return Idle{0,
              nearest.size(),
              {nearest.front().power, std::max(reading_sd, (high->power - low->power) / 2)}};
}

}  // namespace truewatt::energy
