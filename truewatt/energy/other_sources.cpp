#include "truewatt/energy/other_sources.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/energy/naive.hpp"

namespace truewatt::energy {
namespace {

/// What a short look at a power source is worth as idle power: it may lag behind what came before.
constexpr double kShortLook = 0.05;
/// From this long on, a look is as good as the readings scatter, but not better than half a
/// percent.
constexpr double kLongLook = 0.5;  // s
constexpr double kBestLook = 0.005;

/// Idle powers of two sources of one board differ by no more than their gains and offsets may.
constexpr double kIdleAgreement = 0.10;
constexpr double kIdleAgreementW = 12.0;

/// A source that lags still shows work that ended less than this before.
constexpr Nanoseconds kRemembered = std::chrono::seconds(5);

/// The window with all other work and windows of the recording that no source forgets in between.
Window with_neighbours(const Recording& recording, const Window& window) {
  std::vector<Window> others = recording.windows;
  for (const ActivityInterval& work : recording.activity)
    others.push_back({work.begin, work.end, ""});
  Window all = window;
  std::sort(others.begin(), others.end(),
            [](const Window& a, const Window& b) { return a.end > b.end; });
  for (const Window& other : others) {
    if (other.begin < all.begin && other.end > all.begin - kRemembered) all.begin = other.begin;
  }
  std::sort(others.begin(), others.end(),
            [](const Window& a, const Window& b) { return a.begin < b.begin; });
  for (const Window& other : others) {
    if (other.end > all.end && other.begin < all.end + kRemembered) all.end = other.end;
  }
  return all;
}

bool idles_differ(const std::optional<Watts>& shown, const Uncertain& idle_w) {
  if (!shown) return false;
  return std::abs(shown->value() - idle_w.value) >
         kIdleAgreement * shown->value() + kIdleAgreementW;
}

}  // namespace

std::optional<Uncertain> idle_from_power(const Recording& recording, HostTime begin, HostTime end) {
  std::optional<Uncertain> best;
  Nanoseconds longest{0};
  for (const Trace& trace : recording.traces) {
    if (counts_energy(trace.source) || trace.source.scope != Scope::gpu) continue;
    if (trace.source.kind == SourceKind::power_average) continue;
    if (trace.samples.empty()) continue;
    const HostTime from = std::max(begin, trace.samples.front().seen);
    const HostTime to = std::min(end, trace.end);
    const auto mean = mean_held_power(trace, from, to);
    if (!mean || to - from <= longest) continue;
    longest = to - from;
    const double share = Seconds(longest).count() < kLongLook ? kShortLook : kBestLook;
    best = Uncertain{mean->value(), share * std::abs(mean->value())};
  }
  return best;
}

Disagreement disagreement_of(const Recording& recording, const Window& window, SourceId decided,
                             const PaddedEnergy& energy, Nanoseconds padding) {
  Disagreement found;
  const Window all = with_neighbours(recording, window);
  for (const Trace& trace : recording.traces) {
    if (trace.source == decided || counts_energy(trace.source)) continue;
    if (trace.source.scope != decided.scope) continue;
    const HostTime after = std::min(all.end + padding, trace.end);
    const auto shown = mean_held_power(trace, all.begin - Nanoseconds(1), all.begin);
    if (!idles_differ(shown, energy.idle_before_w)) continue;
    found.at_begin = true;
    const auto later = mean_held_power(trace, after - Nanoseconds(1), after);
    found.persistent = found.persistent || idles_differ(later, energy.idle_after_w);
  }
  return found;
}

}  // namespace truewatt::energy
