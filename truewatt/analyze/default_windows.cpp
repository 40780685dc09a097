#include "truewatt/analyze/default_windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace truewatt::analyze {
namespace {

constexpr Nanoseconds kHole = std::chrono::minutes(1);

bool is_asked(const Trace& trace) { return !trace.samples.empty() && !comes_in_ring(trace.source); }

/// Stretches of a minute or more in which a source was not seen, in order.
std::vector<HostSpan> holes_of(const Trace& trace) {
  std::vector<HostSpan> holes;
  for (const Sample& sample : trace.samples) {
    if (sample.seen - sample.before >= kHole) holes.push_back({sample.before, sample.seen});
  }
  for (const Gap& gap : trace.gaps) {
    if (gap.end - gap.begin >= kHole) holes.push_back({gap.begin, gap.end});
  }
  std::sort(holes.begin(), holes.end(),
            [](const HostSpan& a, const HostSpan& b) { return a.begin < b.begin; });
  return holes;
}

/// Between the holes of a source.
std::vector<HostSpan> stretches_of(const Window& all, const Trace& trace) {
  std::vector<HostSpan> stretches;
  HostTime from = all.begin;
  for (const HostSpan& hole : holes_of(trace)) {
    if (hole.begin > from) stretches.push_back({from, hole.begin});
    from = std::max(from, hole.end);
  }
  if (all.end > from) stretches.push_back({from, all.end});
  return stretches;
}

}  // namespace

std::vector<Window> windows_or_all(const Recording& recording) {
  if (!recording.windows.empty()) return recording.windows;
  const bool any = std::any_of(recording.traces.begin(), recording.traces.end(), is_asked);
  std::optional<Window> all;
  for (const Trace& trace : recording.traces) {
    if (trace.samples.empty() || (any && !is_asked(trace))) continue;
    if (!all) all = Window{trace.begin, trace.end, "recording"};
    all->begin = std::min(all->begin, trace.begin);
    all->end = std::max(all->end, trace.end);
  }
  if (!all || !(all->begin < all->end)) return {};
  return {*all};
}

std::string note_of_default(const Window& all, const Recording& recording, HostTime origin) {
  constexpr std::size_t kShown = 3;
  const auto asked = std::find_if(recording.traces.begin(), recording.traces.end(), is_asked);
  std::vector<HostSpan> stretches;
  if (asked != recording.traces.end()) stretches = stretches_of(all, *asked);
  Nanoseconds seen{0};
  for (const HostSpan& stretch : stretches) seen += stretch.end - stretch.begin;
  if (stretches.size() < 2 || seen > (all.end - all.begin) / 2) {
    return "no windows: the whole recording is taken as one; name them with --windows FILE, and "
           "its idle with --baseline lowest or W";
  }
  std::string where;
  for (std::size_t i = 0; i < std::min(stretches.size(), kShown); ++i) {
    where += fmt::format("{}{:.3f},{:.3f}", i > 0 ? " " : "",
                         seconds_between(origin, stretches[i].begin),
                         seconds_between(origin, stretches[i].end));
  }
  if (stretches.size() > kShown) where += " ...";
  return fmt::format(
      "no windows, and most of the recording is holes: readings stand in {} stretches; name these "
      "with --windows FILE, lines begin_s,end_s: {}",
      stretches.size(), where);
}

}  // namespace truewatt::analyze
