// Cells, knots and events of a course, and its state.

#include <algorithm>
#include <cmath>

#include "truewatt/energy/course/course_impl.hpp"

namespace truewatt::energy {

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
    for (std::size_t k = 0; k < open; ++k) {
      slots[i].integrals.push_back(layout.integrals.size());
      layout.integrals.push_back({slots[i].filter});
    }
    const bool has_spans = std::any_of(source.readings.begin(), source.readings.end(),
                                       [](const auto& r) { return r.span > 0; });
    if (!has_spans) continue;
    slots[i].span = layout.integrals.size();
    layout.integrals.push_back({slots[i].filter});
  }
  bound_slot = layout.integrals.size();
  layout.integrals.push_back({0});
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
    bool ends_sum = false;  ///< of a stretch that is kept as a sum
  };
  std::vector<Edge> edges{{begin}};
  const auto go_to = [&](double time) {
    const double from = edges.back().time;
    const double length = time - from;
    if (length < 1e-5) return;
    // Of the total it does not matter where between two counts power jumped.
    const bool is_one = detail == CourseDetail::total && fastest->look == Look::counter;
    const double n = is_one ? 1.0 : std::clamp(std::round(length / period), 1.0, kMostCells);
    for (double k = 1; k <= n; ++k) edges.push_back({from + length * k / n});
  };
  for (const ObservedReading& reading : fastest->readings) {
    if (reading.span > 0) {
      go_to(reading.time - reading.span);
      edges.push_back({reading.time, true});
    } else {
      go_to(reading.time);
    }
  }
  go_to(end);
  std::vector<double> marks = hints.marks;
  std::sort(marks.begin(), marks.end());
  std::size_t mark = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    Cell cell{.begin = edges[i].time, .end = edges[i + 1].time, .first_knot = knots.size()};
    const double length = cell.end - cell.begin;
    // A cell of a stretch that was not read is longer, and has as many knots as any.
    const double fine = edges[i + 1].ends_sum ? length : std::min(length, 1.5 * period);
    const double most = detail == CourseDetail::total ? kKnotsAtFirst : kMostKnots;
    const auto n = std::clamp(std::round(fine / base_step(period)), 1.0, most);
    std::vector<Knot> inside;
    for (double k = 0; k < n; ++k) inside.push_back({cell.begin + length * k / n, false});
    while (mark < marks.size() && marks[mark] < cell.begin) ++mark;
    for (; mark < marks.size() && marks[mark] < cell.end; ++mark) {
      inside.push_back({marks[mark], true});
    }
    std::sort(inside.begin(), inside.end(),
              [](const Knot& a, const Knot& b) { return a.time < b.time; });
    for (const Knot& knot : inside) {
      if (knots.size() > cell.first_knot && knot.time - knots.back().time < 1e-5) {
        knots.back().is_mark |= knot.is_mark;
      } else {
        knots.push_back(knot);
      }
    }
    cell.end_knot = knots.size();
    cells.push_back(cell);
  }
  last = end;
}

void EnergyCourse::Impl::make_events() {
  for (std::size_t i = 0; i < board.sources.size(); ++i) {
    const ObservedSource& source = board.sources[i];
    for (std::size_t k = 0; k < source.readings.size(); ++k) {
      const double time = source.readings[k].time;
      if (source.readings[k].span > 0) {
        const double begin = time - source.readings[k].span;
        events.push_back({begin, StepAction::open, i, k, slots[i].span});
        events.push_back({time, StepAction::read, i, k, slots[i].span});
      } else if (source.look == Look::point) {
        events.push_back({time, StepAction::read, i, k, 0});
      } else if (source.look == Look::counter) {
        if (source.readings[k].is_first) {
          events.push_back({time, StepAction::open, i, k, slots[i].integrals[0]});
        } else {
          events.push_back({time, StepAction::count, i, k, slots[i].integrals[0]});
        }
      } else {
        const std::size_t slot = slots[i].integrals[k % slots[i].integrals.size()];
        events.push_back({time - source.window, StepAction::open, i, k, slot});
        events.push_back({time, StepAction::read, i, k, slot});
      }
    }
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.time < b.time; });
}

}  // namespace truewatt::energy
