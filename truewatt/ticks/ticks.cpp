#include "truewatt/ticks/ticks.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/ticks/tick_numbers.hpp"

namespace truewatt::ticks {
namespace {

constexpr int kGridTicks = 32;

/// The rests of a trace, asked for in order of time.
class RestFinder {
 public:
  explicit RestFinder(const Trace& trace) : gaps_(trace.gaps) {}
  bool any_within(HostTime begin, HostTime end) {
    while (next_ < gaps_.size() && gaps_[next_].end <= begin) ++next_;
    for (std::size_t i = next_; i < gaps_.size() && gaps_[i].begin < end; ++i) {
      if (gaps_[i].cause == kNotAsked) return true;
    }
    return false;
  }

 private:
  const std::vector<Gap>& gaps_;
  std::size_t next_ = 0;
};

std::vector<Tick> brackets_to_ticks(const Trace& trace, HostTime origin) {
  std::vector<Tick> ticks;
  ticks.reserve(trace.samples.size());
  bool follows = true;
  RestFinder rests(trace);
  auto sums = trace.condensed.begin();
  HostTime last = trace.begin;
  for (const Sample& sample : trace.samples) {
    follows = !rests.any_within(last, sample.before) && follows;
    for (; sums != trace.condensed.end() && sums->end <= sample.seen; ++sums) follows = false;
    last = sample.seen;
    // Never the first: its bracket is open anyway.
    if (!ticks.empty() && rests.any_within(sample.before, sample.seen)) {
      follows = false;
      continue;
    }
    const double lower = seconds_between(origin, sample.before);
    const double upper = seconds_between(origin, sample.seen);
    ticks.push_back(
        {(lower + upper) / 2, (upper - lower) / std::sqrt(12.0), sample.value, follows});
    follows = true;
  }
  return ticks;
}

/// Folds the second value of a refresh into the first's tick.
std::vector<Tick> fold_doubles(const std::vector<Tick>& ticks, double period) {
  std::vector<Tick> folded;
  for (const Tick& tick : ticks) {
    if (!folded.empty() && tick.time - folded.back().time < kDoubleShare * period) {
      folded.back().value = tick.value;
    } else {
      folded.push_back(tick);
    }
  }
  return folded;
}

/// Time of the tick before `ticks[0]`, from the grid of the first few of them.
std::optional<Tick> tick_before(const std::vector<Tick>& ticks, double period) {
  const auto count = std::min<std::size_t>(ticks.size(), kGridTicks);
  const Numbered numbered =
      number_ticks({ticks.begin(), ticks.begin() + static_cast<std::ptrdiff_t>(count)}, period);
  if (numbered.time.size() < 3 || numbered.time.front() != ticks.front().time) return std::nullopt;
  const auto line = numerics::fit_line(numbered.number, numbered.time, ticks.front().time_sd);
  if (!line) return std::nullopt;
  const Uncertain time = line->at(-1.0);
  return Tick{time.value, numerics::quadrature({time.standard_uncertainty, line->residual_sd}),
              0.0};
}

}  // namespace

std::vector<Tick> publications(const Trace& trace, HostTime origin) {
  if (trace.samples.empty()) return {};
  std::vector<Tick> ticks = brackets_to_ticks(trace, origin);
  // The stamps of the driver's ring say when even its first entry was published, and it lists no
  // reading twice.
  if (comes_in_ring(trace.source)) return ticks;
  const Tick first = ticks.front();
  ticks.erase(ticks.begin());
  const auto usual = usual_interval(ticks);
  if (usual) ticks = fold_doubles(ticks, *usual);
  if (!usual || ticks.empty()) return ticks;
  auto before = tick_before(ticks, *usual);
  // The first value was there when polling began; a grid tick later than that is a missed one.
  const double polled = seconds_between(origin, trace.samples.front().seen);
  if (before) {
    const double missed = std::ceil((before->time - polled) / *usual);
    before->time -= std::max(missed, 0.0) * *usual;
    before->value = first.value;
    ticks.insert(ticks.begin(), *before);
  }
  return ticks;
}

std::vector<Tick> polls_as_ticks(const Trace& trace, HostTime origin) {
  if (counts_energy(trace.source) || trace.polls < kFewestPolls || trace.samples.empty()) return {};
  const double begin = seconds_between(origin, trace.begin);
  const double interval =
      seconds_between(trace.begin, trace.end) / static_cast<double>(trace.polls - 1);
  std::vector<Tick> ticks;
  std::size_t shown = 0;
  for (std::uint64_t i = 0; i < trace.polls; ++i) {
    const double time = begin + interval * static_cast<double>(i);
    while (shown + 1 < trace.samples.size() &&
           seconds_between(origin, trace.samples[shown + 1].seen) <= time + interval / 2) {
      ++shown;
    }
    ticks.push_back({time, interval / std::sqrt(12.0), trace.samples[shown].value});
  }
  return ticks;
}

}  // namespace truewatt::ticks
