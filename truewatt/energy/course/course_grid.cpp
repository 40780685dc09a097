// Cells, knots and events of a course, and its state.

#include <algorithm>
#include <cmath>

#include "truewatt/energy/course/course_impl.hpp"
#include "truewatt/energy/observe/counter_looks.hpp"

namespace truewatt::energy {

namespace {

/// Of all cells together: more take memory by the gigabyte, and each cell has fewer, two at least,
/// of which windows cut anywhere are told as well (docs/method.md).
constexpr double kMostKnotsInAll = 3.5e6;
constexpr double kFewestKnots = 2.0;
/// Of a cell; a stretch that is kept as a sum is one cell.
constexpr double kMostKnots = 400;
/// Of a stretch that the fastest source left unread.
constexpr double kMostCells = 50;
/// Of the range: where the power jumps by less, it does not matter where.
constexpr double kFlat = 0.01;

}  // namespace

void EnergyCourse::Impl::lay_out() {
  slots.resize(board.sources.size());
  for (std::size_t i = 0; i < board.sources.size(); ++i) {
    const ObservedSource& source = board.sources[i];
    if (!(source.time_constant > kShortestLag)) continue;
    const auto found =
        std::find_if(layout.time_constants.begin(), layout.time_constants.end(),
                     [&](double tau) { return std::abs(tau - source.time_constant) < 0.02 * tau; });
    slots[i].filter = 1 + static_cast<std::size_t>(found - layout.time_constants.begin());
    if (found == layout.time_constants.end()) {
      layout.time_constants.push_back(source.time_constant);
    }
  }
  for (std::size_t i = 0; i < board.sources.size(); ++i) {
    const ObservedSource& source = board.sources[i];
    std::size_t open = 0;
    if (source.look == Look::counter) open = 1;
    if (source.look == Look::average) open = most_open(source);
    // What rests between its looks has a bit.
    constexpr std::size_t kBits = 64;
    if (layout.integrals.size() >= kBits) board.sources[i].looks.reset();
    for (std::size_t k = 0; k < open; ++k) {
      slots[i].integrals.push_back(layout.integrals.size());
      const double scale = source.looks ? source.looks->every / source.looks->length : 1.0;
      layout.integrals.push_back({slots[i].filter, scale});
    }
    const bool has_spans = std::any_of(source.readings.begin(), source.readings.end(),
                                       [](const auto& r) { return r.span > 0; });
    if (!has_spans) continue;
    slots[i].span = layout.integrals.size();
    layout.integrals.push_back({slots[i].filter});
  }
  bound_slot = layout.integrals.size();
  layout.integrals.push_back({});
}

std::size_t EnergyCourse::Impl::most_open(const ObservedSource& source) {
  std::size_t most = 1;
  std::size_t first = 0;
  for (std::size_t i = 0; i < source.readings.size(); ++i) {
    const double begin = source.readings[i].time - source.window;
    while (source.readings[first].time <= begin) ++first;
    most = std::max(most, i - first + 1);
  }
  return most + 1;
}

/// Whether nothing but a counter's sum tells of most of the span.
bool EnergyCourse::Impl::is_summed(const TimeSpan& span) const {
  const double middle = (span.begin + span.end) / 2;
  const auto sum = std::lower_bound(board.summed.begin(), board.summed.end(), middle,
                                    [](const TimeSpan& one, double t) { return one.end < t; });
  return sum != board.summed.end() && sum->begin < middle &&
         span.end - span.begin > (sum->end - sum->begin) / 2;
}

/// When the source that looked most often within a stretch of sums did so, its ends aside.
std::vector<double> EnergyCourse::Impl::looks_within_sum(const TimeSpan& span) const {
  std::vector<double> most;
  for (const ObservedSource& source : board.sources) {
    std::vector<double> looks;
    auto reading =
        std::upper_bound(source.readings.begin(), source.readings.end(), span.begin,
                         [](double time, const ObservedReading& one) { return time < one.time; });
    for (; reading != source.readings.end() && reading->time < span.end; ++reading) {
      const double since = looks.empty() ? span.begin : looks.back();
      if (!(reading->span > 0) && reading->time - since > kShortestStep) {
        looks.push_back(reading->time);
      }
    }
    if (looks.size() > most.size()) most = std::move(looks);
  }
  return most;
}

void EnergyCourse::Impl::make_cells() {
  const auto fastest =
      std::min_element(board.sources.begin(), board.sources.end(),
                       [](const auto& a, const auto& b) { return a.period < b.period; });
  period = fastest->period;
  fastest_source = static_cast<std::size_t>(fastest - board.sources.begin());
  double begin = fastest->readings.front().time;
  double end = begin;
  double memory = 0.0;
  for (const ObservedSource& source : board.sources) {
    begin = std::min(begin, source.readings.front().time - source.window);
    end = std::max(end, source.readings.back().time);
    memory = std::max(memory, kForgotten * source.time_constant);
  }
  for (const double mark : hints.marks) {
    begin = std::min(begin, mark);
    end = std::max(end, mark);
  }
  begin -= memory + period;
  end += period;
  struct Edge {
    double time = 0.0;
    double knots = 0.0;  ///< of the cell that ends here; 0: by its length
  };
  std::vector<Edge> edges{{begin}};
  const auto go_to = [&](double time) {
    const double from = edges.back().time;
    const double length = time - from;
    if (length < 1e-5) return;
    // Of the total it does not matter where between two counts power jumped.
    const bool is_one = (detail == CourseDetail::total && fastest->look == Look::counter) ||
                        is_summed({from, time});
    const double n = is_one ? 1.0 : std::clamp(std::round(length / period), 1.0, kMostCells);
    for (double k = 1; k <= n; ++k) edges.push_back({from + length * k / n});
  };
  for (const ObservedReading& reading : fastest->readings) {
    if (!(reading.span > 0)) {
      go_to(reading.time);
      continue;
    }
    const std::vector<double> looks = looks_within_sum({edges.back().time, reading.time});
    for (const double time : looks) edges.push_back({time, kKnots});
    if (!looks.empty()) continue;
    go_to(reading.time - reading.span);
    edges.push_back({reading.time, kMostKnots});
  }
  go_to(end);
  std::sort(hints.marks.begin(), hints.marks.end());
  std::uint32_t mark = 0;
  const auto marks_until = [&](double time) {
    while (mark < hints.marks.size() && hints.marks[mark] < time) ++mark;
    return mark;
  };
  double step = base_step();
  if (kinds == 0) {
    const double affordable = kMostKnotsInAll / static_cast<double>(edges.size());
    step = std::max(step, period / std::max(kFewestKnots, affordable));
  }
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    Cell cell{.begin = edges[i].time, .end = edges[i + 1].time};
    // A cell of a stretch that was not read is longer, and has as many knots as any.
    const double fine = std::min(cell.end - cell.begin, 1.5 * period);
    double knots = edges[i + 1].knots > 0 ? edges[i + 1].knots : std::round(fine / step);
    if (detail == CourseDetail::total) knots = std::min(knots, kKnots);
    if (is_summed({cell.begin, cell.end})) knots = 1.0;
    cell.knots = static_cast<std::uint32_t>(std::clamp(knots, 1.0, kMostKnots));
    cell.first_mark = marks_until(cell.begin);
    cell.end_mark = marks_until(cell.end);
    cells.push_back(cell);
  }
  last = end;
}

std::uint32_t EnergyCourse::Impl::knots_of(std::size_t cell) const {
  const bool is_flat = cell_variance[cell] < square(kFlat * range);
  return kinds == 0 && (is_flat || is_coarse) ? 1 : cells[cell].knots;
}

void EnergyCourse::Impl::find_knots(std::size_t cell, std::vector<Knot>& knots) const {
  constexpr double kSame = 1e-5;  // s
  const Cell& of = cells[cell];
  const std::uint32_t count = knots_of(cell);
  const double apart = (of.end - of.begin) / count;
  knots.clear();
  const auto add = [&](double time, bool is_mark) {
    if (!knots.empty() && time - knots.back().time < kSame) {
      knots.back().is_mark |= is_mark;
    } else {
      knots.push_back({time, is_mark});
    }
  };
  std::uint32_t mark = of.first_mark;
  for (std::uint32_t k = 0; k <= count; ++k) {
    const double time = of.begin + apart * k;
    for (; mark < of.end_mark && (k == count || hints.marks[mark] < time); ++mark) {
      add(hints.marks[mark], true);
    }
    if (k < count) add(time, false);
  }
}

void EnergyCourse::Impl::make_events() {
  events.clear();
  for (std::uint32_t i = 0; i < board.sources.size(); ++i) {
    const ObservedSource& source = board.sources[i];
    for (std::uint32_t k = 0; k < source.readings.size(); ++k) {
      const ObservedReading& reading = source.readings[k];
      const auto add = [&](double time, Event::Kind kind, std::size_t slot) {
        events.push_back({time, kind, static_cast<std::uint16_t>(slot), {i, k}});
      };
      if (reading.span > 0) {
        // Of sums in a row each begins where the one before ends, whatever the rounding.
        double begin = reading.time - reading.span;
        if (k > 0 && source.readings[k - 1].span > 0) {
          begin = std::max(begin, source.readings[k - 1].time);
        }
        add(begin, Event::Kind::open, slots[i].span);
        add(reading.time, Event::Kind::read, slots[i].span);
      } else if (source.look == Look::point) {
        add(reading.time, Event::Kind::read, 0);
      } else if (source.look == Look::counter) {
        const std::size_t slot = slots[i].integrals[0];
        for (const TimeSpan& look : looks_of(source, k)) {
          add(look.begin, Event::Kind::look, slot);
          add(look.end, Event::Kind::rest, slot);
        }
        add(reading.time, reading.is_first ? Event::Kind::open : Event::Kind::count, slot);
      } else {
        const std::size_t slot = slots[i].integrals[k % slots[i].integrals.size()];
        add(reading.time - source.window, Event::Kind::open, slot);
        add(reading.time, Event::Kind::read, slot);
      }
    }
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
}

}  // namespace truewatt::energy
