#include "truewatt/energy/padded_stream.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/padding.hpp"

namespace truewatt::energy {
namespace {

/// Readings that are kept beside either edge of the window, within it.
constexpr std::size_t kReadingsBeside = 64;
/// Condensed stretches in memory at most, an even number; then neighbours become one.
constexpr std::size_t kMostBlocks = 256;

Condensed condensed(const Stretch& stretch) {
  return stretch.of ? *stretch.of : Condensed{0.0, stretch.power, stretch.power, 1};
}

Stretch joined(const Stretch& a, const Stretch& b) {
  const double joules = a.power * (a.end - a.begin) + b.power * (b.end - b.begin);
  const Condensed first = condensed(a);
  const Condensed second = condensed(b);
  return {a.begin, b.end, joules / (b.end - a.begin),
          Condensed{first.unobserved_j2 + second.unobserved_j2, second.last_w,
                    std::max(first.most_w, second.most_w), first.stretches + second.stretches}};
}

void join_neighbours(std::vector<Stretch>& blocks) {
  for (std::size_t i = 0; 2 * i + 1 < blocks.size(); ++i) {
    blocks[i] = joined(blocks[2 * i], blocks[2 * i + 1]);
  }
  blocks.resize(blocks.size() / 2);
}

}  // namespace

PaddedStream::PaddedStream(const PaddedInput& input, bool is_counter)
    : input_(input), is_counter_(is_counter), reach_s_(reach_of(input_)) {
  early_.reserve(kReadingsBeside);
  middle_.reserve(kMostBlocks);
}

void PaddedStream::push(std::span<const Poll> polls) {
  Poll last = last_;
  for (const Poll& poll : polls) {
    const bool repeats = poll.value == last.value;
    const double asked_last = last.before;
    last = poll;
    if (repeats) continue;
    // What was there at the first look was published at any time before.
    if (!std::exchange(is_first_, false)) {
      const double width = poll.time - asked_last;
      add({asked_last + width / 2, width / std::sqrt(12.0), poll.value});
    }
  }
  last_ = last;
}

Tick* PaddedStream::newest() {
  if (!late_.empty()) return &late_.back();
  if (!early_.empty()) return &early_.back();
  return before_.empty() ? nullptr : &before_.back();
}

void PaddedStream::add(const Tick& tick) {
  Tick* previous = newest();
  // A second value of one refresh, of which the last one stands.
  const double soon = kDoubleShare * input_.update_period;
  if (!is_counter_ && previous && tick.time - previous->time < soon) {
    previous->value = tick.value;
    return;
  }
  if (is_counter_ && previous && tick.value < previous->value) went_back_ = true;
  widest_tick_ = std::max(widest_tick_, tick.time_sd);
  if (tick.time <= input_.begin) {
    before_.push_back(tick);
    while (before_.front().time < tick.time - 2 * reach_s_) before_.pop_front();
    return;
  }
  if (early_.size() < kReadingsBeside) {
    early_.push_back(tick);
    return;
  }
  // A window that has ended needs no more than the idle behind it.
  if (tick.time > input_.end + (kFurthest + 1) * reach_s_) return;
  late_.push_back(tick);
  if (late_.size() > kReadingsBeside && tick.time <= input_.end) {
    condense(late_.front());
    late_.pop_front();
  }
}

/// The stretch up to `tick` will not be looked at again by itself.
void PaddedStream::condense(const Tick& tick) {
  if (is_counter_) return;
  const double begin = middle_.empty() ? early_.back().time : middle_.back().end;
  const double before = middle_.empty() ? early_.back().value : middle_.back().of->last_w;
  const double unseen =
      unobserved_j2(tick.time - begin, input_.averaging_window, tick.value - before);
  const Stretch one{begin, tick.time, tick.value, Condensed{unseen, tick.value, tick.value, 1}};
  if (!middle_.empty() && middle_.back().of->stretches < per_block_) {
    middle_.back() = joined(middle_.back(), one);
    return;
  }
  if (middle_.size() == kMostBlocks) {
    join_neighbours(middle_);
    per_block_ *= 2;
  }
  middle_.push_back(one);
}

Result<PaddedEnergy> PaddedStream::energy() const {
  if (went_back_) return Unexpected(Errc::insufficient_data, "the energy counter went backwards");
  std::vector<Tick> ticks(before_.begin(), before_.end());
  ticks.insert(ticks.end(), early_.begin(), early_.end());
  if (is_counter_) {
    ticks.insert(ticks.end(), late_.begin(), late_.end());
    return counter_difference(ticks, input_);
  }
  std::vector<Stretch> all;
  const auto add_stretches = [&all](const auto& from, double since) {
    for (const Tick& tick : from) {
      if (tick.time > since) all.push_back({since, tick.time, tick.value});
      since = tick.time;
    }
  };
  if (!ticks.empty()) add_stretches(ticks, ticks.front().time);
  // The first of the late readings begins where the middle ends, or the early ones.
  all.insert(all.end(), middle_.begin(), middle_.end());
  if (!late_.empty() && !all.empty()) add_stretches(late_, all.back().end);
  return padded_sum(all, widest_tick_, input_);
}

}  // namespace truewatt::energy
