#include "truewatt/trace/condense.hpp"

#include <algorithm>
#include <utility>

namespace truewatt {
namespace {

constexpr Nanoseconds kBlock = std::chrono::seconds(10);
/// So many stretches in a row at most; then neighbours become one.
constexpr std::size_t kMostBlocks = 256;

using Samples = std::vector<Sample>;
using Blocks = std::vector<CondensedStretch>;

HostTime tick_of(const Sample& sample) { return sample.before + (sample.seen - sample.before) / 2; }

/// A source that was left alone on purpose tells nothing of when its next value was published.
bool rested(const Trace& trace, const Sample& sample) {
  const auto ends_later =
      std::upper_bound(trace.gaps.begin(), trace.gaps.end(), sample.before,
                       [](HostTime time, const Gap& gap) { return time < gap.end; });
  for (auto gap = ends_later; gap != trace.gaps.end() && gap->begin < sample.seen; ++gap) {
    if (gap->cause == kNotAsked) return true;
  }
  return false;
}

/// An empty stretch behind the sample.
CondensedStretch begun_at(const Sample& sample) {
  const HostTime tick = tick_of(sample);
  return {.begin = sample.seen,
          .end = sample.seen,
          .begin_tick = tick,
          .end_tick = tick,
          .last_w = sample.value,
          .highest_w = sample.value};
}

void add(CondensedStretch& block, const Sample& sample, bool has_tick) {
  const double held_s = seconds_between(block.end, sample.seen);
  block.held_j += block.last_w * held_s;
  block.end = sample.seen;
  if (has_tick) {
    const HostTime tick = tick_of(sample);
    block.read_j += sample.value * seconds_between(block.end_tick, tick);
    block.end_tick = tick;
  }
  block.squared_steps += (sample.value - block.last_w) * (sample.value - block.last_w);
  block.last_w = sample.value;
  block.highest_w = block.readings == 0 ? sample.value : std::max(block.highest_w, sample.value);
  ++block.readings;
}

CondensedStretch joined(const CondensedStretch& a, const CondensedStretch& b) {
  return {.begin = a.begin,
          .end = b.end,
          .begin_tick = a.begin_tick,
          .end_tick = b.end_tick,
          .readings = a.readings + b.readings,
          .held_j = a.held_j + b.held_j,
          .read_j = a.read_j + b.read_j,
          .squared_steps = a.squared_steps + b.squared_steps,
          .last_w = b.last_w,
          .highest_w = std::max(a.highest_w, b.highest_w)};
}

/// Of stretches in a row half as many.
void join_neighbours(Blocks& blocks) {
  Blocks halved;
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    halved.push_back(i + 1 < blocks.size() ? joined(blocks[i], blocks[i + 1]) : blocks[i]);
  }
  blocks = std::move(halved);
}

/// Sums of the samples after the first.
Blocks blocks_of(const Trace& trace, Samples::const_iterator first, Samples::const_iterator last) {
  Blocks blocks;
  CondensedStretch block = begun_at(*first);
  for (auto sample = std::next(first); sample != last; ++sample) {
    // Earlier sums stand behind the sample that they followed.
    for (const CondensedStretch& earlier : condensed_after(trace, std::prev(sample)->seen)) {
      if (block.readings > 0) blocks.push_back(block);
      blocks.push_back(earlier);
      block = {.begin = earlier.end,
               .end = earlier.end,
               .begin_tick = earlier.end_tick,
               .end_tick = earlier.end_tick,
               .last_w = earlier.last_w};
    }
    add(block, *sample, !rested(trace, *sample));
    if (block.end - block.begin < kBlock) continue;
    blocks.push_back(block);
    block = begun_at(*sample);
    block.begin_tick = block.end_tick = blocks.back().end_tick;
  }
  if (block.readings > 0) blocks.push_back(block);
  while (blocks.size() > kMostBlocks) join_neighbours(blocks);
  return blocks;
}

void sum_up(Trace& trace, Samples::iterator first, Samples::iterator last) {
  Blocks blocks = blocks_of(trace, first, last);
  const HostTime begin = first->seen;
  const HostTime end = std::prev(last)->seen;
  std::erase_if(trace.condensed,
                [&](const CondensedStretch& old) { return old.begin >= begin && old.end <= end; });
  const auto at = std::upper_bound(
      trace.condensed.begin(), trace.condensed.end(), begin,
      [](HostTime time, const CondensedStretch& other) { return time < other.end; });
  trace.condensed.insert(at, blocks.begin(), blocks.end());
  trace.samples.erase(std::next(first), last);
}

/// Leaves few samples of a counter, and says between which there were more.
void thin(Trace& trace, Samples::iterator first, Samples::iterator last) {
  const HostTime begin = first->seen;
  const HostTime end = std::prev(last)->seen;
  const Nanoseconds apart =
      std::max(kBlock, (end - begin) / static_cast<std::int64_t>(kMostBlocks));
  std::erase_if(trace.condensed,
                [&](const CondensedStretch& old) { return old.begin >= begin && old.end <= end; });
  auto at = std::upper_bound(
      trace.condensed.begin(), trace.condensed.end(), begin,
      [](HostTime time, const CondensedStretch& other) { return time < other.end; });
  auto kept = first;
  for (auto sample = std::next(first); sample != last; ++sample) {
    const bool is_last = std::next(sample) == last;
    const bool at_reset = sample->value < std::prev(sample)->value ||
                          (!is_last && std::next(sample)->value < sample->value);
    if (sample->seen - kept->seen < apart && !is_last && !at_reset) continue;
    at = std::next(trace.condensed.insert(at, {.begin = kept->seen, .end = sample->before}));
    *++kept = *sample;
  }
  trace.samples.erase(std::next(kept), last);
}

}  // namespace

void condense(Trace& trace, HostTime from, HostTime to) {
  const auto earlier = [](const Sample& sample, HostTime time) { return sample.seen < time; };
  const auto first = std::lower_bound(trace.samples.begin(), trace.samples.end(), from, earlier);
  const auto end = std::lower_bound(first, trace.samples.end(), to, earlier);
  if (end - first < 3) return;
  const HostTime begin_seen = first->seen;
  const HostTime end_seen = std::prev(end)->seen;
  if (counts_energy(trace.source)) {
    thin(trace, first, end);
  } else {
    sum_up(trace, first, std::prev(end));
  }
  std::erase_if(trace.gaps, [&](const Gap& gap) {
    return gap.cause == kNotAsked && gap.begin >= begin_seen && gap.end <= end_seen;
  });
}

std::span<const CondensedStretch> condensed_after(const Trace& trace, HostTime seen) {
  const auto first = std::lower_bound(
      trace.condensed.begin(), trace.condensed.end(), seen,
      [](const CondensedStretch& stretch, HostTime time) { return stretch.begin < time; });
  auto last = first;
  for (HostTime end = seen; last != trace.condensed.end() && last->begin == end; ++last) {
    end = last->end;
  }
  return {first, last};
}

bool is_condensed_at(const Trace& trace, HostTime time) {
  const auto later =
      std::upper_bound(trace.condensed.begin(), trace.condensed.end(), time,
                       [](HostTime t, const CondensedStretch& stretch) { return t < stretch.end; });
  return later != trace.condensed.end() && later->begin < time;
}

}  // namespace truewatt
