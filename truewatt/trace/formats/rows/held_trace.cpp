#include "truewatt/trace/formats/rows/held_trace.hpp"

#include <algorithm>
#include <set>

namespace truewatt::trace {
namespace {

/// Polls that lie further apart than so many usual intervals, and so long, are a pause.
constexpr int kPauseIntervals = 5;
constexpr Nanoseconds kShortestPause = std::chrono::milliseconds(300);

}  // namespace

void HeldTraceBuilder::show(HostTime time, std::optional<DriverTime> stamp, double value) {
  const bool first = trace_.samples.empty();
  if (first) trace_.begin = first_silence_.value_or(time);
  if (silence_ && !first) trace_.gaps.push_back({trace_.end, time, *silence_});
  silence_.reset();
  if (first || trace_.samples.back().value != value) {
    trace_.samples.push_back({first ? time : trace_.end, time, stamp, value});
  }
  trace_.end = time;
  ++trace_.polls;
  polls_.push_back(time);
}

void HeldTraceBuilder::stay_silent(HostTime time, std::string_view cause) {
  if (!first_silence_ && trace_.samples.empty()) first_silence_ = time;
  if (!silence_) silence_ = std::string(cause);
}

void HeldTraceBuilder::add_pauses() {
  if (polls_.size() < 3) return;
  std::vector<Nanoseconds> intervals;
  for (std::size_t i = 1; i < polls_.size(); ++i) intervals.push_back(polls_[i] - polls_[i - 1]);
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  const Nanoseconds usual = *middle;
  std::set<HostTime> silences;
  for (const Gap& gap : trace_.gaps) silences.insert(gap.begin);
  for (std::size_t i = 1; i < polls_.size(); ++i) {
    const Nanoseconds interval = polls_[i] - polls_[i - 1];
    // Divided, not multiplied: rows may lie decades apart.
    if (interval <= kShortestPause || interval / kPauseIntervals <= usual) continue;
    if (!silences.contains(polls_[i - 1]))
      trace_.gaps.push_back({polls_[i - 1], polls_[i], std::string(kNoRows)});
  }
  std::sort(trace_.gaps.begin(), trace_.gaps.end(),
            [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
}

Trace HeldTraceBuilder::finish() && {
  add_pauses();
  return std::move(trace_);
}

}  // namespace truewatt::trace
