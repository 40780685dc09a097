#include "truewatt/energy/estimate/hidden_bursts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

std::optional<HiddenBursts> shown_by(const ObservedSource& source) {
  constexpr double kSlow = 0.5;     // s
  constexpr double kOfRange = 0.1;  // an excursion
  constexpr double kScatters = 5.0;
  const auto& readings = source.readings;
  std::vector<double> distances;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    distances.push_back(readings[i].time - readings[i - 1].time);
  }
  const double distance = numerics::median(std::move(distances)).value_or(0.0);
  const double unseen = 1 - source.window / distance;
  if (distance < kSlow || !(unseen > 0)) return std::nullopt;
  const auto [low, high] =
      std::minmax_element(readings.begin(), readings.end(),
                          [](const auto& a, const auto& b) { return a.value < b.value; });
  const double least =
      std::max(kOfRange * (high->value - low->value), kScatters * source.scatter_at_rest);
  HiddenBursts bursts;
  double count = 0.0;
  double squares = 0.0;
  for (std::size_t i = 1; i + 1 < readings.size(); ++i) {
    const double before = readings[i].value - readings[i - 1].value;
    const double after = readings[i].value - readings[i + 1].value;
    const double height = std::min(std::abs(before), std::abs(after));
    if (before * after <= 0 || height < least) continue;
    ++count;
    squares += height * height;
  }
  if (count == 0.0) return bursts;
  bursts.per_second = count / (readings.back().time - readings.front().time);
  bursts.joules = unseen * distance * std::sqrt(squares / count);
  return bursts;
}

}  // namespace

double HiddenBursts::sd_within(double seconds) const {
  return joules * std::sqrt(per_second * seconds);
}

std::optional<HiddenBursts> hidden_bursts(const ObservedBoard& board) {
  std::optional<HiddenBursts> least;
  for (const ObservedSource& source : board.sources) {
    if (source.look == Look::counter || source.readings.size() < 3) return std::nullopt;
    const auto bursts = shown_by(source);
    if (!bursts) return std::nullopt;
    if (!least || bursts->sd_within(1.0) < least->sd_within(1.0)) least = bursts;
  }
  return least;
}

}  // namespace truewatt::energy
