#include "truewatt/energy/estimate/known_work.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace truewatt::energy {
namespace {

/// Edges of known work that are as near as this are one.
constexpr double kOneEdge = 1e-5;  // s

/// Every first reading is so much older than the capture, which tells of no other work.
constexpr double kOlder = 0.02;  // s

/// Since when somebody looked, who knows what ran: a ring tells of the time before, too. Where
/// nothing but a ring was read, the clocks that were compared tell.
std::optional<HostTime> begin_of_capture(const Recording& recording) {
  std::optional<HostTime> begin;
  const auto note = [&begin](HostTime time) { begin = begin ? std::min(*begin, time) : time; };
  for (const Trace& trace : recording.traces) {
    if (!comes_in_ring(trace.source) && !trace.samples.empty()) note(trace.begin);
  }
  if (begin) return begin;
  for (const ClockPair& pair : recording.clock_pairs) note(pair.host);
  return begin;
}

}  // namespace

void add_known_work(CourseHints& hints, const Recording& recording, HostTime origin) {
  std::map<WorkKind, std::size_t> kinds;
  for (const ActivityInterval& work : recording.activity) {
    const double begin = seconds_between(origin, work.begin);
    const double end = seconds_between(origin, work.end);
    if (!(end > begin)) continue;
    const auto kind = kinds.emplace(work.kind, kinds.size()).first->second;
    const bool follows = !hints.work.empty() && hints.work.back().kind == kind &&
                         begin - hints.work.back().end < kOneEdge;
    if (follows) {
      hints.work.back().end = std::max(hints.work.back().end, end);
    } else {
      hints.work.push_back({begin, end, kind});
    }
  }
  std::stable_sort(hints.work.begin(), hints.work.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  if (hints.work.empty()) return;
  const auto captured = begin_of_capture(recording);
  if (captured) {
    hints.work_from =
        std::min(seconds_between(origin, *captured), hints.work.front().begin) - kOlder;
  }
}

void keep_reachable(CourseHints& hints, const ObservedBoard& board) {
  constexpr double kReach = 10.0;  // s
  const double from = board.read.front().begin - kReach;
  const double to = board.read.back().end + kReach;
  std::erase_if(hints.marks, [&](double mark) { return mark < from || mark > to; });
  const auto is_far = [&](const auto& of) { return of.end < from || of.begin > to; };
  std::erase_if(hints.work, is_far);
  std::erase_if(hints.steps, is_far);
}

}  // namespace truewatt::energy
