#include "truewatt/energy/former/other_sources.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/trace/naive.hpp"

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

/// Where the work began that ended before a window, and where that ends which begins after it:
/// other windows and work of the recording that a source may still show. The window's own edges
/// where there is none, or where it lies within other work.
Window with_neighbours(const Recording& recording, const Window& window) {
  std::vector<Window> others = recording.windows;
  for (const ActivityInterval& work : recording.activity)
    others.push_back({work.begin, work.end, ""});
  Window all = window;
  std::sort(others.begin(), others.end(),
            [](const Window& a, const Window& b) { return a.end > b.end; });
  for (const Window& other : others) {
    if (other.end <= all.begin && other.end > all.begin - kRemembered) all.begin = other.begin;
  }
  std::sort(others.begin(), others.end(),
            [](const Window& a, const Window& b) { return a.begin < b.begin; });
  for (const Window& other : others) {
    if (other.begin >= all.end && other.begin < all.end + kRemembered) all.end = other.end;
  }
  return all;
}

/// Power that a source held when `at` came; absent where it was not read.
std::optional<Watts> held_at(const Trace& trace, HostTime at) {
  return trace::mean_held_power(trace, at - Nanoseconds(1), at);
}

bool idles_differ(const std::optional<Watts>& shown, const Uncertain& idle_w) {
  if (!shown) return false;
  return std::abs(shown->value() - idle_w.value) >
         kIdleAgreement * shown->value() + kIdleAgreementW;
}

/// Whether a source differs from idle at `edge`, and not only for other work: where there is some,
/// it was read at `beyond` that as well and differs there too.
bool differs_at(const Trace& trace, HostTime edge, HostTime beyond, const Uncertain& idle_w) {
  if (!idles_differ(held_at(trace, edge), idle_w)) return false;
  if (beyond == edge) return true;
  const auto shown = held_at(trace, beyond);
  return !shown || idles_differ(shown, idle_w);
}

/// Not a trailing mean, nor what may be one.
bool looks_at_once(const Trace& trace) {
  return trace.source.kind == SourceKind::power_instant ||
         trace.source.kind == SourceKind::power_samples;
}

bool shows_less(const Trace& trace, HostTime at, const Uncertain& idle_w) {
  const auto shown = held_at(trace, at);
  return shown && shown->value() < idle_w.value;
}

}  // namespace

std::optional<Uncertain> idle_from_power(const Recording& recording, HostTime begin, HostTime end) {
  std::optional<Uncertain> best;
  std::pair<bool, Nanoseconds> longest{false, 0};
  for (const Trace& trace : recording.traces) {
    if (counts_energy(trace.source) || trace.source.scope != Scope::gpu) continue;
    if (trace.source.kind == SourceKind::power_average) continue;
    if (trace.samples.empty()) continue;
    const HostTime from = std::max(begin, trace.samples.front().seen);
    const HostTime to = std::min(end, trace.end);
    const auto mean = trace::mean_held_power(trace, from, to);
    const std::pair look{looks_at_once(trace), to - from};
    if (!mean || look <= longest) continue;
    longest = look;
    const double share = Seconds(look.second).count() < kLongLook ? kShortLook : kBestLook;
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
    const HostTime after = std::min(window.end + padding, trace.end);
    const HostTime beyond = all.end == window.end ? after : all.end + padding;
    const bool before_differs =
        energy.own_idle_before && differs_at(trace, window.begin, all.begin, energy.idle_before_w);
    const bool after_differs =
        energy.own_idle_after && differs_at(trace, after, beyond, energy.idle_after_w);
    if (energy.own_idle_before && energy.own_idle_after) {
      found.at_edge |= before_differs;
      found.persistent |= before_differs && after_differs;
      continue;
    }
    // One side's idle was taken from a power source. Where a source that looks at once shows more,
    // it is of something else than what decided.
    const bool contradicted = !energy.own_idle_before && looks_at_once(trace) &&
                              differs_at(trace, window.begin, all.begin, energy.idle_before_w) &&
                              !shows_less(trace, window.begin, energy.idle_before_w);
    const bool less = (before_differs && shows_less(trace, window.begin, energy.idle_before_w)) ||
                      (after_differs && shows_less(trace, after, energy.idle_after_w));
    found.at_edge |= before_differs || less || contradicted;
    found.persistent |= less || contradicted;
  }
  return found;
}

}  // namespace truewatt::energy
