#include "truewatt/energy/former/power_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace truewatt::energy {
namespace {

using Role = PowerPart::Role;

/// Breaks shorter than this are no breaks.
constexpr double kNoBreak = 0.2e-3;  // s
/// What ran longer before the window or after it is forgotten by every sensor.
constexpr double kNear = 10.0;  // s
/// More kinds of work than these are one.
constexpr std::size_t kMostKinds = 24;

/// Boards rise or overshoot with times between these: 4, 20, 110 ms on an H200, up to 308 ms on
/// GeForce boards (docs/method.md, section 5).
constexpr std::array<double, 4> kRiseTimes{0.005, 0.020, 0.080, 0.300};  // s
/// Of an upward step, so much rises slowly (all of it on some boards) or shoots over (0.71 was
/// measured).
constexpr double kRiseShare = 1.0;
/// Active idle lies up to a fifth of the step above idle (Yang et al.'s records).
constexpr double kAfterGlow = 0.1;
/// Idle that a load keeps on either side with its context, s (load/load.hpp).
constexpr double kMargin = 1.0;
/// Kinds of work on one board differ by as much as this share of idle and step.
constexpr double kKinds = 0.5;
/// So many times what was read: wider than any board's power, and what was not seen may be more.
constexpr double kUnknown = 5.0;

PowerSignal constant_from(double begin, double before, double after) {
  PowerSignal signal(before, {1.0, 1.0, 1.0});
  signal.append({begin, after, {}});
  return signal;
}

/// 1 while any of the stints runs that are chosen.
template <class Chosen>
PowerSignal running(const WorkTimes& work, Chosen chosen) {
  PowerSignal signal(0.0, {1.0, 1.0, 1.0});
  // Stints of several kinds may overlap: their powers add.
  std::vector<std::pair<double, int>> edges;
  for (const Stint& stint : work.stints) {
    if (!chosen(stint)) continue;
    edges.emplace_back(stint.begin, 1);
    edges.emplace_back(stint.end, -1);
  }
  std::sort(edges.begin(), edges.end());
  int now = 0;
  for (const auto& [time, change] : edges) {
    now += change;
    signal.append({time, static_cast<double>(now), {}});
  }
  return signal;
}

/// 1 from the end of the first work on, while none runs: work draws what it draws, whatever the
/// board idles at before and after it.
PowerSignal glowing(const WorkTimes& work) {
  PowerSignal signal(0.0, {1.0, 1.0, 1.0});
  double until = work.stints.front().begin;
  for (const Stint& stint : work.stints) {
    if (stint.begin > until) {
      signal.append({until, 1.0, {}});
      signal.append({stint.begin, 0.0, {}});
    }
    until = std::max(until, stint.end);
  }
  signal.append({until, 1.0, {}});
  return signal;
}

/// Watts above idle from each edge of the work on.
std::vector<std::pair<double, double>> levels_of(const WorkTimes& work, const PartScales& scales) {
  std::vector<std::pair<double, double>> edges;
  for (const Stint& stint : work.stints) {
    const double height = scales.heights_w.empty() ? scales.step_w : scales.heights_w[stint.kind];
    edges.emplace_back(stint.begin, height);
    edges.emplace_back(stint.end, -height);
  }
  std::sort(edges.begin(), edges.end());
  double level = 0.0;
  std::vector<std::pair<double, double>> levels;
  for (const auto& [time, change] : edges) {
    level += change;
    if (!levels.empty() && time - levels.back().first < kNoBreak) levels.pop_back();
    levels.emplace_back(time, level);
  }
  return levels;
}

/// Each upward step decays; a downward step clears what is left: boards fall at once.
PowerSignal rising(const std::vector<std::pair<double, double>>& levels, double time_constant) {
  PowerSignal signal(0.0, {time_constant, 1.0, 1.0});
  double level = 0.0;
  double left = 0.0;
  double since = 0.0;
  for (const auto& [time, next] : levels) {
    const double still = left * std::exp(-(time - since) / time_constant);
    left = next > level ? still + next - level : 0.0;
    signal.append({time, 0.0, {left, 0.0, 0.0}});
    level = next;
    since = time;
  }
  return signal;
}

/// Kinds by how long they worked, the most worked first; the rest share the last.
void merge_rare_kinds(WorkTimes& work) {
  if (work.kinds <= kMostKinds) return;
  std::vector<std::pair<double, std::size_t>> worked(work.kinds);
  for (std::size_t kind = 0; kind < work.kinds; ++kind) worked[kind].second = kind;
  for (const Stint& stint : work.stints) worked[stint.kind].first += stint.end - stint.begin;
  std::sort(worked.rbegin(), worked.rend());
  std::vector<std::size_t> renamed(work.kinds);
  for (std::size_t rank = 0; rank < worked.size(); ++rank) {
    renamed[worked[rank].second] = std::min(rank, kMostKinds - 1);
  }
  for (Stint& stint : work.stints) stint.kind = renamed[stint.kind];
  work.kinds = kMostKinds;
}

}  // namespace

double WorkTimes::end() const {
  double end = stints.front().end;
  for (const Stint& stint : stints) end = std::max(end, stint.end);
  return end;
}

double WorkTimes::first_end() const {
  double end = stints.front().end;
  for (const Stint& stint : stints) end = std::min(end, stint.end);
  return end;
}

WorkTimes work_times(const Recording& recording, const Window& window, HostTime origin) {
  WorkTimes work;
  const double from = seconds_between(origin, window.begin) - kNear;
  const double to = seconds_between(origin, window.end) + kNear;
  std::map<std::string, std::size_t> kinds;
  std::map<std::size_t, std::size_t> latest;  // stint by kind
  const auto add = [&](HostTime begin_at, HostTime end_at, std::size_t kind) {
    const double begin = std::max(0.0, seconds_between(origin, begin_at));
    const double end = seconds_between(origin, end_at);
    if (!(begin < end)) return;
    if (end < from) work.since = std::max(work.since, end);
    if (begin > to) work.until = std::min(work.until, begin);
    if (end < from || begin > to) return;
    const auto last = latest.find(kind);
    if (last != latest.end() && begin - work.stints[last->second].end < kNoBreak) {
      Stint& stint = work.stints[last->second];
      stint.end = std::max(stint.end, end);
      return;
    }
    latest[kind] = work.stints.size();
    work.stints.push_back({begin, end, kind});
  };
  for (const ActivityInterval& activity : recording.activity) {
    const auto [kind, fresh] = kinds.try_emplace(activity.level, kinds.size());
    add(activity.begin, activity.end, kind->second);
  }
  if (recording.activity.empty()) {
    // Windows within one another, as of nested scopes, are one stretch of work.
    std::vector<Window> windows = recording.windows;
    windows.push_back(window);
    std::sort(windows.begin(), windows.end(),
              [](const Window& a, const Window& b) { return a.begin < b.begin; });
    std::size_t kind = 0;
    HostTime end = HostTime::min();
    for (const Window& one : windows) {
      if (one.end <= end) continue;
      add(std::max(one.begin, end), one.end, kind++);
      end = one.end;
    }
  }
  work.kinds = 0;
  for (const Stint& stint : work.stints) work.kinds = std::max(work.kinds, stint.kind + 1);
  merge_rare_kinds(work);
  std::sort(work.stints.begin(), work.stints.end(),
            [](const Stint& a, const Stint& b) { return a.begin < b.begin; });
  return work;
}

std::vector<PowerPart> power_parts(const WorkTimes& work, const PartScales& scales) {
  std::vector<PowerPart> parts;
  parts.push_back(
      {Role::idle, PowerSignal(1.0, {1.0, 1.0, 1.0}), kUnknown * (scales.idle_w + scales.step_w)});
  parts.push_back(
      {Role::before, constant_from(scales.from, 1.0, 0.0), scales.idle_w + scales.step_w});
  const double sleep = scales.idle_w + scales.step_w;
  const double margin = scales.begin - kMargin;
  if (margin > scales.from && !scales.steady_before) {
    parts.push_back({Role::context, constant_from(margin, 1.0, 0.0), sleep});
    for (const double time_constant : kRiseTimes) {
      parts.push_back({Role::context, rising({{margin, 1.0}}, time_constant), kRiseShare * sleep});
    }
  }
  if (scales.end + kMargin < scales.to && !scales.steady_after) {
    parts.push_back({Role::context, constant_from(scales.end + kMargin, 0.0, 1.0), sleep});
  }
  parts.push_back(
      {Role::after_load, constant_from(scales.end, 0.0, 1.0), kAfterGlow * scales.step_w});
  parts.push_back({Role::after_glow, glowing(work), kAfterGlow * scales.step_w});
  parts.push_back({Role::work, running(work, [](const Stint&) { return true; }),
                   kUnknown * (scales.idle_w + scales.step_w)});
  for (std::size_t kind = 0; work.kinds > 1 && kind < work.kinds; ++kind) {
    parts.push_back({Role::kind,
                     running(work, [kind](const Stint& stint) { return stint.kind == kind; }),
                     kKinds * (scales.idle_w + scales.step_w)});
  }
  const auto levels = levels_of(work, scales);
  for (const double time_constant : kRiseTimes) {
    parts.push_back({Role::rise, rising(levels, time_constant), kRiseShare});
  }
  return parts;
}

}  // namespace truewatt::energy
