#include "truewatt/trace/condense.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace truewatt {
namespace {

constexpr Nanoseconds kBlock = std::chrono::seconds(10);
/// So many stretches in a row at most; then neighbours become one.
constexpr std::size_t kMostBlocks = 256;
/// Fewer samples than these are left alone.
constexpr std::ptrdiff_t kFewest = 3;
/// Of what a device said of itself.
constexpr int kHealthRows = 1000;

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

/// As many as there would be of values that go on for ever: the farther apart, the fewer pairs.
std::vector<double> products_of(std::vector<double> values) {
  double mean = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (double& value : values) value -= mean;
  std::vector<double> products;
  for (std::size_t lag = 0; lag <= kFarthestProducts && lag < values.size(); ++lag) {
    double sum = 0.0;
    for (std::size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
    const auto pairs = static_cast<double>(values.size() - lag);
    products.push_back(sum * static_cast<double>(values.size()) / pairs);
  }
  return products;
}

/// An empty stretch behind the sample.
CondensedStretch begun_at(const Sample& sample) {
  const HostTime tick = tick_of(sample);
  return {.begin = sample.seen,
          .end = sample.seen,
          .begin_tick = tick,
          .end_tick = tick,
          .last_w = sample.value};
}

/// A value that came later than `usual` stood in place of the one before until then.
void add(CondensedStretch& block, const Sample& sample, bool has_tick, bool in_ring, double usual) {
  const Nanoseconds silence = sample.seen - (in_ring ? block.end : sample.before);
  if (has_tick) block.longest_silence = std::max(block.longest_silence, silence);
  const double held_s = seconds_between(block.end, sample.seen);
  block.held_j += block.last_w * held_s;
  block.end = sample.seen;
  if (has_tick) {
    const HostTime tick = tick_of(sample);
    const double since = seconds_between(block.end_tick, tick);
    const double looked = std::min(since, usual);
    block.read_j += block.last_w * (since - looked) + sample.value * looked;
    block.end_tick = tick;
  }
  block.squared_steps += (sample.value - block.last_w) * (sample.value - block.last_w);
  block.last_w = sample.value;
  const bool is_first = block.readings++ == 0;
  block.lowest_w = is_first ? sample.value : std::min(block.lowest_w, sample.value);
  block.highest_w = is_first ? sample.value : std::max(block.highest_w, sample.value);
}

CondensedStretch joined(CondensedStretch a, const CondensedStretch& b) {
  a.end = b.end;
  a.end_tick = b.end_tick;
  a.readings += b.readings;
  a.held_j += b.held_j;
  a.read_j += b.read_j;
  a.squared_steps += b.squared_steps;
  a.last_w = b.last_w;
  a.lowest_w = std::min(a.lowest_w, b.lowest_w);
  a.highest_w = std::max(a.highest_w, b.highest_w);
  a.longest_silence = std::max(a.longest_silence, b.longest_silence);
  a.products.resize(std::max(a.products.size(), b.products.size()));
  for (std::size_t lag = 0; lag < b.products.size(); ++lag) a.products[lag] += b.products[lag];
  return a;
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
class Summing {
 public:
  Summing(const Trace& trace, double usual)
      : trace_(trace), in_ring_(comes_in_ring(trace.source)), usual_(usual) {}

  Blocks over(Samples::const_iterator first, Samples::const_iterator last) {
    block_ = begun_at(*first);
    for (auto sample = std::next(first); sample != last; ++sample) {
      // Earlier sums stand behind the sample that they followed.
      for (const CondensedStretch& earlier : condensed_after(trace_, std::prev(sample)->seen)) {
        close();
        blocks_.push_back(earlier);
        begin_behind(earlier);
      }
      add(block_, *sample, !rested(trace_, *sample), in_ring_, usual_);
      if (in_ring_) values_.push_back(sample->value);
      if (block_.end - block_.begin < kBlock) continue;
      close();
      begin_behind(blocks_.back());
    }
    close();
    while (blocks_.size() > kMostBlocks) join_neighbours(blocks_);
    return std::move(blocks_);
  }

 private:
  void close() {
    if (block_.readings == 0) return;
    if (in_ring_) block_.products = products_of(values_);
    values_.clear();
    blocks_.push_back(std::move(block_));
  }

  void begin_behind(const CondensedStretch& before) {
    block_ = {.begin = before.end,
              .end = before.end,
              .begin_tick = before.end_tick,
              .end_tick = before.end_tick,
              .last_w = before.last_w};
  }

  const Trace& trace_;
  bool in_ring_;
  double usual_;  ///< s, between samples
  CondensedStretch block_;
  std::vector<double> values_;  // of the block's samples
  Blocks blocks_;
};

/// Puts stretches in the place of those from `begin` to `end`.
void replace_within(Trace& trace, HostTime begin, HostTime end, const Blocks& blocks) {
  std::erase_if(trace.condensed,
                [&](const CondensedStretch& old) { return old.begin >= begin && old.end <= end; });
  const auto at = std::upper_bound(
      trace.condensed.begin(), trace.condensed.end(), begin,
      [](HostTime time, const CondensedStretch& other) { return time < other.end; });
  trace.condensed.insert(at, blocks.begin(), blocks.end());
}

/// No GPU draws nothing, or so much, in use.
constexpr double kNoGpuDraws = 5000.0;  // W

bool is_impossible(const Sample& sample) {
  return !(sample.value > 0) || sample.value > kNoGpuDraws;
}

Nanoseconds distance(const Trace& trace, std::size_t i) {
  return trace.samples[i].seen - trace.samples[i - 1].seen;
}

bool follows_sums(const Trace& trace, std::size_t i) {
  return !condensed_after(trace, trace.samples[i - 1].seen).empty();
}

/// Of the samples from `first` on; 0 where none follows another.
Nanoseconds usual_distance(const Trace& trace, std::size_t first, std::size_t end) {
  std::vector<Nanoseconds> distances;
  for (std::size_t i = first + 1; i < end; ++i) {
    if (!follows_sums(trace, i)) distances.push_back(distance(trace, i));
  }
  if (distances.empty()) return Nanoseconds(0);
  const auto middle = distances.begin() + std::ssize(distances) / 2;
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// Where samples do not follow one another as usual, each is kept: a value that stood, a hole, and
/// what no GPU draws are told by what is known of them, not by a sum. Parts from the first sample
/// on, each up to where the next begins.
std::vector<std::size_t> parts_of(const Trace& trace, std::size_t first, std::size_t end,
                                  Nanoseconds usual) {
  constexpr int kApart = 5;  // usual distances
  std::vector<std::size_t> parts{first};
  for (std::size_t i = first + 1; i < end; ++i) {
    const bool is_apart = usual.count() > 0 && distance(trace, i) > kApart * usual &&
                          !follows_sums(trace, i) && !rested(trace, trace.samples[i]);
    const bool is_odd = is_impossible(trace.samples[i]) || is_impossible(trace.samples[i - 1]);
    if (is_apart || is_odd) parts.push_back(i);
  }
  parts.push_back(end);
  return parts;
}

void sum_up(Trace& trace, Samples::iterator first, Samples::iterator last, double usual) {
  const Blocks blocks = Summing(trace, usual).over(first, last);
  replace_within(trace, first->seen, std::prev(last)->seen, blocks);
  trace.samples.erase(std::next(first), last);
}

/// Whether a count runs backwards, or leaps by what no GPU draws.
bool is_fault(const Sample& before, const Sample& count) {
  constexpr double kLongestTick = 1.0;  // s
  const double joules = count.value - before.value;
  return joules < 0 ||
         joules > kNoGpuDraws * (seconds_between(before.seen, count.seen) + kLongestTick);
}

/// Leaves few samples of a counter, and says between which there were more.
void thin(Trace& trace, Samples::iterator first, Samples::iterator last) {
  const HostTime begin = first->seen;
  const HostTime end = std::prev(last)->seen;
  const Nanoseconds apart =
      std::max(kBlock, (end - begin) / static_cast<std::int64_t>(kMostBlocks));
  Blocks thinned;
  CondensedStretch dropped;
  auto earlier = std::lower_bound(
      trace.condensed.begin(), trace.condensed.end(), begin,
      [](const CondensedStretch& stretch, HostTime time) { return stretch.begin < time; });
  const auto drop = [&dropped](std::uint64_t readings, Nanoseconds silence) {
    dropped.readings += readings;
    dropped.longest_silence = std::max(dropped.longest_silence, silence);
  };
  auto kept = first;
  for (auto sample = std::next(first); sample != last; ++sample) {
    for (; earlier != trace.condensed.end() && earlier->end <= sample->seen; ++earlier) {
      drop(earlier->readings, earlier->longest_silence);
    }
    const bool is_last = std::next(sample) == last;
    const bool at_fault = is_fault(*std::prev(sample), *sample) ||
                          (!is_last && is_fault(*sample, *std::next(sample)));
    const bool is_rested = rested(trace, *sample);
    const bool is_due = sample->seen - kept->seen >= apart && !is_rested;
    if (!is_due && !is_last && !at_fault) {
      drop(1, is_rested ? Nanoseconds(0) : sample->seen - sample->before);
      continue;
    }
    if (dropped.readings > 0) {
      dropped.begin = kept->seen;
      dropped.end = sample->seen;
      thinned.push_back(std::exchange(dropped, {}));
    }
    *++kept = *sample;
  }
  trace.samples.erase(std::next(kept), last);
  replace_within(trace, begin, end, thinned);
}

}  // namespace

void condense(Trace& trace, HostTime from, HostTime to) {
  const auto earlier = [](const Sample& sample, HostTime time) { return sample.seen < time; };
  const auto first = std::lower_bound(trace.samples.begin(), trace.samples.end(), from, earlier);
  auto end = std::lower_bound(first, trace.samples.end(), to, earlier);
  // What stays behind the sums was published when it was seen.
  while (end - first >= kFewest && rested(trace, *std::prev(end))) --end;
  if (end - first < kFewest) return;
  const HostTime begin_seen = first->seen;
  const HostTime last_asked = std::prev(end)->before;
  if (counts_energy(trace.source)) {
    thin(trace, first, end);
  } else {
    const auto from_sample = static_cast<std::size_t>(first - trace.samples.begin());
    const auto to_sample = static_cast<std::size_t>(end - trace.samples.begin());
    const Nanoseconds usual = usual_distance(trace, from_sample, to_sample);
    const auto parts = parts_of(trace, from_sample, to_sample, usual);
    for (std::size_t i = parts.size() - 1; i > 0; --i) {
      const auto begin = trace.samples.begin() + static_cast<std::ptrdiff_t>(parts[i - 1]);
      const auto until = trace.samples.begin() + static_cast<std::ptrdiff_t>(parts[i]);
      if (until - begin < kFewest) continue;
      sum_up(trace, begin, std::prev(until), Seconds(usual).count());
    }
  }
  std::erase_if(trace.gaps, [&](const Gap& gap) {
    return gap.cause == kNotAsked && gap.begin >= begin_seen && gap.end <= last_asked;
  });
}

void far_from(std::span<const std::pair<HostTime, HostTime>> spans, HostTime oldest,
              HostTime newest, const std::function<void(HostTime, HostTime)>& forget) {
  constexpr Nanoseconds kBeside = std::chrono::seconds(15);
  HostTime from = oldest;
  for (const auto& [begin, end] : spans) {
    forget(from, std::min(begin, newest) - kBeside);
    from = std::max(from, end < newest ? end + kBeside : newest);
  }
  forget(from, newest - kBeside);
}

bool condense_far_from(std::span<const Window> windows, Recording& recording, std::size_t most) {
  std::vector<std::pair<HostTime, HostTime>> edges;
  for (const Window& window : windows) {
    edges.emplace_back(window.begin, window.begin);
    edges.emplace_back(window.end, window.end);
  }
  std::sort(edges.begin(), edges.end());
  bool any = false;
  for (Trace& trace : recording.traces) {
    if (!comes_in_ring(trace.source) || trace.samples.size() <= most) continue;
    far_from(edges, trace.samples.front().seen, trace.samples.back().seen,
             [&](HostTime from, HostTime to) { condense(trace, from, to); });
    trace.samples.shrink_to_fit();
    any = true;
  }
  return any;
}

std::size_t samples_of(const Trace& trace) {
  std::size_t samples = trace.samples.size();
  for (const CondensedStretch& sums : trace.condensed) samples += sums.readings;
  return samples;
}

void thin_out(std::vector<HealthSample>& health, HostTime from, HostTime to) {
  const Nanoseconds apart = (to - from) / kHealthRows;
  std::vector<HealthSample> left;
  for (const HealthSample& one : health) {
    const bool is_within = one.time > from && one.time < to;
    const bool is_another = left.empty() || one.time - left.back().time >= apart ||
                            one.clocks_event_reasons != left.back().clocks_event_reasons;
    if (!is_within || is_another) left.push_back(one);
  }
  health = std::move(left);
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

std::span<const CondensedStretch> condensed_within(const Trace& trace, HostTime from, HostTime to) {
  const auto before = [](const CondensedStretch& stretch, HostTime time) {
    return stretch.begin < time;
  };
  const auto first = std::lower_bound(trace.condensed.begin(), trace.condensed.end(), from, before);
  auto last = first;
  while (last != trace.condensed.end() && last->end <= to) ++last;
  return {first, last};
}

bool is_condensed_at(const Trace& trace, HostTime time) {
  const auto later =
      std::upper_bound(trace.condensed.begin(), trace.condensed.end(), time,
                       [](HostTime t, const CondensedStretch& stretch) { return t < stretch.end; });
  return later != trace.condensed.end() && later->begin < time;
}

}  // namespace truewatt
