#include "truewatt/measure/phase_spread.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::measure {
namespace {

/// Periods nearer to each other than this are known no better, or are one.
constexpr double kSamePeriod = 0.005;
/// Multiples of it fill the unit interval more evenly than those of any other number.
constexpr double kGolden = 0.6180339887498949;
/// Phases are filled as evenly as those of multiples of the golden section are at least: gaps of at
/// most this over their number.
constexpr double kEvenly = 2.7;
/// So few phases are filled evenly: two lie half a period apart.
constexpr int kFewPhases = 16;
/// Of several periods at once, widest gaps so much wider than the least that there are will do for
/// a shorter pause.
constexpr double kNearlyLeast = 1.15;
/// A pause is sought in steps of the longest period over so many times their number: of few finely,
/// of more not.
constexpr int kFineSteps = 40;
constexpr int kSteps = 8;
/// ... and a begin in steps of the longest period over this.
constexpr int kBegins = 960;
/// Evenness is compared to this.
constexpr double kRounding = 1e-9;

double fraction_of(double x) { return x - std::floor(x); }

Seconds longest_of(const std::vector<Seconds>& periods) {
  return *std::max_element(periods.begin(), periods.end());
}

/// Widest gap between `count` phases, each `advance` after the one before, times their number: 1
/// where they lie evenly.
double unevenness(double advance, int count) {
  std::vector<double> phases;
  for (int i = 0; i < count; ++i) phases.push_back(fraction_of(i * advance));
  std::sort(phases.begin(), phases.end());
  double widest = phases.front() + 1 - phases.back();
  for (std::size_t i = 1; i < phases.size(); ++i) {
    widest = std::max(widest, phases[i] - phases[i - 1]);
  }
  return widest * count;
}

double worst_unevenness(Seconds advance, int count, const std::vector<Seconds>& periods) {
  double worst = 0.0;
  for (const Seconds period : periods) {
    worst = std::max(worst, unevenness(advance / period, count));
  }
  return worst;
}

/// Pauses from 0 on with which a group begins a multiple of 1/steps of the period after the one
/// before.
std::vector<Seconds> pauses_by_phase(Seconds group, Seconds period, int steps) {
  std::vector<Seconds> pauses;
  for (int k = 0; k < steps; ++k) {
    pauses.push_back(fraction_of(static_cast<double>(k) / steps - group / period) * period);
  }
  std::sort(pauses.begin(), pauses.end());
  return pauses;
}

Seconds pause_of_few(Seconds group, int count, const std::vector<Seconds>& periods) {
  const auto pauses = pauses_by_phase(group, longest_of(periods), kFineSteps * count);
  std::vector<double> uneven;
  for (const Seconds pause : pauses) {
    uneven.push_back(worst_unevenness(group + pause, count, periods));
  }
  const double least = *std::min_element(uneven.begin(), uneven.end());
  const double good = periods.size() > 1 ? kNearlyLeast * least : least + kRounding;
  const auto first =
      std::find_if(uneven.begin(), uneven.end(), [good](double one) { return one <= good; });
  return pauses[static_cast<std::size_t>(first - uneven.begin())];
}

double apart(double a, double b) {
  const double ahead = fraction_of(a - b);
  return std::min(ahead, 1 - ahead);
}

}  // namespace

std::vector<Seconds> merged(std::vector<Seconds> periods, const std::vector<Seconds>& more) {
  for (const Seconds one : more) {
    const bool known = std::any_of(periods.begin(), periods.end(), [one](Seconds other) {
      return std::abs(one / other - 1) < kSamePeriod;
    });
    if (!known) periods.push_back(one);
  }
  return periods;
}

std::vector<Seconds> periods_of(const Profile* profile) {
  std::vector<Seconds> periods;
  if (profile == nullptr) return periods;
  for (const SourceProfile& source : profile->sources) {
    const bool counts =
        source.source.scope == Scope::gpu && source.verdict != SourceVerdict::unusable;
    if (!counts || !source.update_period_s) continue;
    periods = merged(std::move(periods), {Seconds(source.update_period_s->value)});
  }
  return periods;
}

std::vector<Seconds> periods_of(const Recording& recording) {
  std::vector<Seconds> periods;
  for (const Trace& trace : recording.traces) {
    if (trace.source.scope != Scope::gpu) continue;
    const auto period = ticks::update_period(ticks::publications(trace, trace.begin));
    if (period) periods = merged(std::move(periods), {Seconds(period->value)});
  }
  return periods;
}

std::vector<Seconds> periods_known(const devices::DeviceSet& set) {
  std::vector<Seconds> periods;
  for (const devices::Device& device : set.devices) {
    periods = merged(std::move(periods), periods_of(device.known.any()));
  }
  return periods;
}

std::vector<Seconds> periods_shown(const devices::DeviceSet& set,
                                   const std::vector<Recording>& recordings) {
  std::vector<Seconds> periods;
  for (std::size_t i = 0; i < set.devices.size(); ++i) {
    const auto& profile = set.devices[i].known.profile;
    periods =
        merged(std::move(periods), profile ? periods_of(&*profile) : periods_of(recordings[i]));
  }
  return periods;
}

Seconds shortest_even_pause(Seconds group, int count, const std::vector<Seconds>& periods) {
  if (count <= kFewPhases) return pause_of_few(group, count, periods);
  const Seconds longest = longest_of(periods);
  const int most = kSteps * count;
  for (int i = 0; i < most; ++i) {
    const Seconds pause = static_cast<double>(i) / most * longest;
    if (worst_unevenness(group + pause, count, periods) <= kEvenly) return pause;
  }
  return fraction_of(kGolden - group / longest) * longest;
}

PhaseSpread::PhaseSpread(std::vector<Seconds> periods) { set_periods(std::move(periods)); }

void PhaseSpread::set_periods(std::vector<Seconds> periods) {
  periods_ = std::move(periods);
  if (periods_.empty()) periods_.push_back(kUsualPeriod);
}

Seconds PhaseSpread::next(Seconds later) {
  const auto nearest = [this](Seconds begin) {
    double least = 1.0;
    for (const Seconds period : periods_) {
      for (const Seconds other : begins_) {
        least = std::min(least, apart(begin / period, other / period));
      }
    }
    return least;
  };
  const Seconds step = longest_of(periods_) / kBegins;
  Seconds best{0};
  double farthest = begins_.empty() ? 1.0 : nearest(later);
  for (int i = 1; i < kBegins && !begins_.empty(); ++i) {
    const double distance = nearest(later + i * step);
    if (distance <= farthest + kRounding) continue;
    farthest = distance;
    best = i * step;
  }
  begins_.push_back(later + best);
  return best;
}

}  // namespace truewatt::measure
