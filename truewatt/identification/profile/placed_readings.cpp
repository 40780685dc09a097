#include "truewatt/identification/profile/placed_readings.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "truewatt/identification/fit/fit_uncertainty.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/grid_agreement.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::identification {
namespace {

/// The latest of an H200's stamps are 10 ms late, and what they stamp anything up to that.
constexpr double kLatestStamp = 4e-3;  // s
/// Where all stamps jitter, later than so many times their median straying (three of their standard
/// deviations).
constexpr double kUsualStrays = 4.5;

/// Puts aside what was read while work below full was seen: how high it was is not known.
void set_levels_aside(CharacterizedSource& source, const std::vector<Work>& work, double memory) {
  const auto is_full = [&work, memory](const ticks::Tick& tick) {
    return std::none_of(work.begin(), work.end(), [&](const Work& one) {
      return one.height != 1.0 && tick.time >= one.begin && tick.time <= one.end + memory;
    });
  };
  const auto aside = std::stable_partition(source.readings.begin(), source.readings.end(), is_full);
  source.level_readings.assign(aside, source.readings.end());
  source.readings.erase(aside, source.readings.end());
}

/// Where the ticks of a source may be. The driver stamps its ring itself: whether the stamps or the
/// readings jitter, and which of the late ones are, the fit tells; readings whose stamps are far
/// off the grid are in none of them.
std::vector<std::vector<ticks::Tick>> placements(const SourceProfile& profile,
                                                 const std::vector<ticks::Tick>& ticks) {
  if (!comes_in_ring(profile.source)) return {ticks};
  const double period = profile.update_period_s->value;
  const auto between = ticks::between_stamp_and_grid(ticks, period);
  std::vector<double> strays;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    strays.push_back(2 * std::abs(ticks[i].time - between[i].time));
  }
  const double usual = numerics::median(strays).value_or(0.0);
  std::vector<ticks::Tick> near;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (strays[i] <= std::max(kLatestStamp, kUsualStrays * usual)) near.push_back(ticks[i]);
  }
  return {near, ticks::on_grid(near, period), ticks::between_stamp_and_grid(near, period)};
}

/// Fits what was read of full work, with what the ticks turn out to stray by.
bool fit_placed(CharacterizedSource& source, const std::vector<Work>& work,
                std::span<const JointFit> known) {
  const double period = source.profile.update_period_s->value;
  auto fit = fit_observation({source.readings, work}, period, known);
  if (!fit) return false;
  source.fit = std::move(*fit);
  const double jitter = likely_tick_jitter(source.fit->joint);
  source.jitter_s = jitter;
  if (jitter == 0.0) return true;
  for (std::vector<ticks::Tick>* ticks : {&source.readings, &source.level_readings}) {
    for (ticks::Tick& tick : *ticks) {
      tick.time_sd = numerics::quadrature({tick.time_sd, jitter});
    }
  }
  auto again = fit_observation({source.readings, work}, period, source.fit->structures);
  if (again) source.fit = std::move(*again);
  return true;
}

}  // namespace

bool fit_readings(CharacterizedSource& source, const std::vector<Work>& work, double memory,
                  std::vector<JointFit> known) {
  const std::vector<ticks::Tick> ticks = std::exchange(source.readings, {});
  for (std::vector<ticks::Tick>& placed : placements(source.profile, ticks)) {
    CharacterizedSource tried{.profile = source.profile, .readings = std::move(placed)};
    set_levels_aside(tried, work, memory);
    if (!fit_placed(tried, work, known)) continue;
    known = tried.fit->structures;
    if (!source.fit || is_likelier(*tried.fit, *source.fit)) {
      source = std::move(tried);
    }
  }
  return source.fit.has_value();
}

}  // namespace truewatt::identification
