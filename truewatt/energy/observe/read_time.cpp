#include "truewatt/energy/observe/read_time.hpp"

#include <algorithm>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// A reading tells of the time of its look, and of so many periods beside it; the first and the
/// last, beside which none says otherwise, of so many seconds at most.
constexpr double kTellsBeside = 1.5;
constexpr double kTellsAtEnds = 1.0;

/// Leaves of the spans what is not in the hole.
void cut_out(std::vector<TimeSpan>& spans, const TimeSpan& hole) {
  std::vector<TimeSpan> left;
  for (const TimeSpan& span : spans) {
    const TimeSpan before{span.begin, std::min(span.end, hole.begin)};
    const TimeSpan behind{std::max(span.begin, hole.end), span.end};
    if (before.end > before.begin) left.push_back(before);
    if (behind.end > behind.begin) left.push_back(behind);
  }
  spans = std::move(left);
}

/// In order and apart from each other.
std::vector<TimeSpan> united(std::vector<TimeSpan> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const TimeSpan& a, const TimeSpan& b) { return a.begin < b.begin; });
  std::vector<TimeSpan> apart;
  for (const TimeSpan& span : spans) {
    if (apart.empty() || span.begin > apart.back().end) {
      apart.push_back(span);
    } else {
      apart.back().end = std::max(apart.back().end, span.end);
    }
  }
  return apart;
}

/// The usual time between the readings about reading `i` and the one before, without these two, s:
/// a logger may be slower in one part of a log than in another.
double usual_about(const std::vector<ObservedReading>& readings, std::size_t i) {
  constexpr std::size_t kBeside = 8;
  const auto median_from = [&](std::size_t from, std::size_t to) {
    std::vector<double> apart;
    for (std::size_t k = from; k < to; ++k) {
      apart.push_back(readings[k].time - readings[k - 1].time);
    }
    return numerics::median(std::move(apart)).value_or(0.0);
  };
  const std::size_t before = i > kBeside ? i - kBeside : 1;
  return std::max(median_from(before, i),
                  median_from(i + 1, std::min(i + 1 + kBeside, readings.size())));
}

/// How far readings about reading `i` and the one before are usually apart, s.
double period_about(const ObservedSource& source, std::size_t i) {
  const double apart = source.readings[i].time - source.readings[i - 1].time;
  if (apart <= 2 * kTellsBeside * source.period) return source.period;
  return std::max(source.period, usual_about(source.readings, i));
}

std::vector<TimeSpan> looked_at(const ObservedBoard& board) {
  std::vector<TimeSpan> spans;
  for (const ObservedSource& source : board.sources) {
    const std::vector<ObservedReading>& readings = source.readings;
    if (readings.empty()) continue;
    const double at_ends = std::min(kTellsBeside * source.period, kTellsAtEnds);
    const auto begin_of = [&](const ObservedReading& reading) {
      return reading.time - std::max(source.window, reading.span);
    };
    const double first = begin_of(readings.front()) - at_ends;
    const double last = readings.back().time + at_ends;
    double before = at_ends;
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const bool is_last = i + 1 == readings.size();
      const double behind = is_last ? at_ends : kTellsBeside * period_about(source, i + 1);
      const bool counts = source.look == Look::counter && !readings[i].is_first;
      const double begin = counts ? readings[i - 1].time : begin_of(readings[i]) - before;
      spans.push_back({std::max(begin, first), std::min(readings[i].time + behind, last)});
      before = behind;
    }
  }
  return united(std::move(spans));
}

/// Whether a source tells of a part of the span that is not at its ends.
bool tells_parts(const ObservedSource& source, const TimeSpan& span) {
  const double beside = kTellsBeside * source.period;
  const auto next =
      std::upper_bound(source.readings.begin(), source.readings.end(), span.begin + beside,
                       [](double t, const ObservedReading& one) { return t < one.time; });
  return next != source.readings.end() && next->time < span.end - beside;
}

std::vector<TimeSpan> summed_up(const ObservedBoard& board) {
  constexpr double kLonger = 2.5;  // than usual
  std::vector<TimeSpan> spans;
  for (const ObservedSource& counter : board.sources) {
    if (counter.look != Look::counter) continue;
    for (std::size_t i = 1; i < counter.readings.size(); ++i) {
      const TimeSpan span{counter.readings[i - 1].time, counter.readings[i].time};
      if (counter.readings[i].is_first || counter.readings[i].span > 0) continue;
      if (span.end - span.begin <= kLonger * period_about(counter, i)) continue;
      const bool is_one = std::none_of(board.sources.begin(), board.sources.end(),
                                       [&span](const auto& s) { return tells_parts(s, span); });
      if (is_one) spans.push_back(span);
    }
  }
  return united(std::move(spans));
}

}  // namespace

void note_read_time(ObservedBoard& board) {
  board.read = looked_at(board);
  for (const ObservedSource& source : board.sources) {
    for (const TimeSpan& leap : source.leaps) cut_out(board.read, leap);
  }
  board.summed = summed_up(board);
}

}  // namespace truewatt::energy
