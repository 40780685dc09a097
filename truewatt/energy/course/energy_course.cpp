#include "truewatt/energy/course/energy_course.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "truewatt/energy/course/jump_variance.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

constexpr int kPasses = 4;
/// ... with known work, whose levels come first; strays are told from the rest after so many.
constexpr int kPassesOfWork = 6;
constexpr int kFirstStrays = 3;
/// What a reading is off by beyond its scatter, of what it shows above the lowest power: half of
/// it another one each time, half the same in all of a window.
constexpr double kOfReading = 0.003;
constexpr double kOfModel = 0.0005;
/// A row "the mean of this cell is the lowest power" (or the limit) is as good as this, W.
constexpr double kBound = 3.0;
/// Time constants until a filter has forgotten.
constexpr double kForgotten = 5.0;

/// Of a cell; a stretch that is kept as a sum is one cell.
constexpr double kMostKnots = 400;

/// What known work may draw of which the readings show nothing.
constexpr double kMayDraw = 500.0;  // W

double base_step(double period) { return period < 0.05 ? 2.5e-3 : period < 0.5 ? 5e-3 : 25e-3; }

/// How a source is laid out in the smoother's state.
struct Slots {
  std::size_t filter = 0;  ///< state that a point reading shows: 0 the power, else a filter
  std::vector<std::size_t> integrals;
  std::size_t span = 0;  ///< integral of readings that are means of many
};

/// A reading's place in the smoother.
struct Place {
  std::size_t source = 0;
  std::size_t reading = 0;
};

/// Something that happens at a time.
struct Event {
  double time = 0.0;
  StepAction action = StepAction::none;
  std::size_t source = 0;
  std::size_t reading = 0;
  std::size_t slot = 0;
};

}  // namespace

class EnergyCourse::Impl {
 public:
  Impl(ObservedBoard observed, CourseHints known)
      : board(std::move(observed)), hints(std::move(known)) {
    for (const CourseHints::Work& work : hints.work) {
      kinds = std::max(kinds, work.kind + 1);
      hints.marks.push_back(work.begin);
      hints.marks.push_back(work.end);
    }
    lay_out();
    make_cells();
    make_events();
    fits.reserve(board.sources.size());
    for (const ObservedSource& source : board.sources) fits.push_back({.source = source.source});
    range = std::max(board.limit_w - board.lowest_w, 1.0);
    bound.assign(cells.size(), 0.0);
    across.assign(cells.size(), 0.0);
    cell_variance.assign(cells.size(), 0.0);
    list_nuisances();
    fit_all();
    if (kinds > 0) choose_remainder();
    fill_columns();
    for (SourceFit& fit : fits) fit.misfit = 0.0;
    for (std::size_t k = 0; k < smoother->readings(); ++k) {
      if (places[k].source == kBoundSource) continue;
      SourceFit& fit = fits[places[k].source];
      fit.misfit += smoother->surprise(k);
      ++fit.readings;
    }
    for (SourceFit& fit : fits) {
      if (fit.readings > 0) fit.misfit /= static_cast<double>(fit.readings);
    }
    for (const Nuisance& nuisance : nuisances) {
      if (nuisance.kind == Nuisance::Kind::gain) fits[nuisance.source].gain += nuisance.value;
      if (nuisance.kind == Nuisance::Kind::offset) fits[nuisance.source].offset_w = nuisance.value;
      if (nuisance.kind == Nuisance::Kind::age) fits[nuisance.source].later_s = nuisance.value;
    }
  }

  /// Fits the course to the readings, from nothing.
  void fit_all() {
    for (Nuisance& one : nuisances) one.value = 0.0;
    std::fill(cell_variance.begin(), cell_variance.end(),
              kinds > 0 ? 0.0 : square(kJumpsAtFirst * range));
    noise_terms();
    smooth();
    if (kinds > 0) {
      // What work draws first: until that is known, it seems to be other work.
      learn_nuisances(true);
      smooth();
    }
    for (int pass = 0; pass < (kinds > 0 ? kPassesOfWork : kPasses); ++pass) {
      if (kinds == 0) learn_bounds();
      if (kinds > 0 && pass >= kFirstStrays) learn_strays();
      learn_noise();
      learn_nuisances(false);
      learn_jumps();
      smooth();
    }
  }

  /// The scale of what known work leaves open, by the readings' likelihood.
  void choose_remainder() {
    constexpr std::array kScales = {0.3, 3.0, 10.0};
    double best = smoother->log_likelihood();
    double best_scale = remainder_scale;
    for (const double scale : kScales) {
      remainder_scale = scale;
      fit_all();
      if (smoother->log_likelihood() <= best) continue;
      best = smoother->log_likelihood();
      best_scale = scale;
    }
    if (remainder_scale == best_scale) return;
    remainder_scale = best_scale;
    fit_all();
  }

  void lay_out() {
    slots.resize(board.sources.size());
    for (std::size_t i = 0; i < board.sources.size(); ++i) {
      const ObservedSource& source = board.sources[i];
      if (!(source.time_constant > kShortestLag)) continue;
      const auto found = std::find_if(
          layout.time_constants.begin(), layout.time_constants.end(),
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

  /// The most windows of an average that are open at a time.
  static std::size_t most_open(const ObservedSource& source) {
    std::size_t most = 1;
    std::size_t first = 0;
    for (std::size_t i = 0; i < source.readings.size(); ++i) {
      const double begin = source.readings[i].time - source.window;
      while (source.readings[first].time <= begin) ++first;
      most = std::max(most, i - first + 1);
    }
    return most + 1;
  }

  void make_cells() {
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
    std::vector<double> edges{begin};
    const auto go_to = [&](double time) {
      const double length = time - edges.back();
      if (length < 1e-5) return;
      const double from = edges.back();
      const auto n = std::max(1.0, std::round(length / period));
      for (double k = 1; k <= n; ++k) edges.push_back(from + length * k / n);
    };
    for (const ObservedReading& reading : fastest->readings) {
      if (reading.span > 0) {
        go_to(reading.time - reading.span);
        edges.push_back(reading.time);
      } else {
        go_to(reading.time);
      }
    }
    go_to(end);
    std::vector<double> marks = hints.marks;
    std::sort(marks.begin(), marks.end());
    std::size_t mark = 0;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      Cell cell{.begin = edges[i], .end = edges[i + 1], .first_knot = knots.size()};
      const double length = cell.end - cell.begin;
      const double most = kMostKnots;
      const auto n = std::clamp(std::round(length / base_step(period)), 1.0, most);
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

  void make_events() {
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

  /// Variances of readings by what they are of.
  struct Noise {
    double scatter = 0.0;  ///< at steady power
    double ticks = 0.0;    ///< when it looked
    double model = 0.0;    ///< what it is off by beyond
    double total() const { return scatter + ticks + model; }
  };

  void noise_terms() {
    noise.resize(board.sources.size());
    correction.resize(board.sources.size());
    strays.assign(board.sources.size(), 1.0);
    for (std::size_t i = 0; i < board.sources.size(); ++i) {
      const ObservedSource& source = board.sources[i];
      const bool counter = source.look == Look::counter;
      noise[i].assign(source.readings.size(), Noise{});
      correction[i].assign(source.readings.size(), 0.0);
      const double floor = counter ? 0.05 : std::max(0.2, 2e-4 * board.limit_w);
      const double scatter = std::max(source.scatter, floor);
      for (std::size_t k = 0; k < source.readings.size(); ++k) {
        noise[i][k].scatter = scatter * scatter;
        if (source.readings[k].span > 0)
          noise[i][k].scatter = square(source.readings[k].span_sd) + 1e-6;
        if (counter) noise[i][k].ticks = square(board.limit_w / 3 * source.readings[k].time_sd);
        // Until it is known how steep the power is where a reading looks.
        const double unknown = kinds > 0 ? kAtFirst * range : 0.0;
        noise[i][k].model = square(counter ? unknown * source.period : unknown);
      }
    }
  }

  static double square(double x) { return x * x; }

  void learn_noise() {
    for (std::size_t k = 0; k < smoother->readings(); ++k) {
      if (places[k].source == kBoundSource) continue;
      const ObservedSource& source = board.sources[places[k].source];
      const ObservedReading& reading = source.readings[places[k].reading];
      Noise& of = noise[places[k].source][places[k].reading];
      if (reading.span > 0) continue;
      const bool counts = source.look == Look::counter;
      // Of a counter each count's own, the one before has its own.
      const double slope = counts ? shown_around(source, reading.time) : slope_of(k);
      const double off = counts ? 0.0 : kOfReading * std::max(0.0, shown_by(k) - board.lowest_w);
      of.ticks = square(slope * reading.time_sd);
      of.model =
          square(off) + (strays[places[k].source] - 1) * (of.scatter + of.ticks + square(off));
    }
  }

  /// Readings that stray from their source's model by more than they should count for less.
  void learn_strays() {
    std::vector<double> surprise(board.sources.size(), 0.0);
    std::vector<double> count(board.sources.size(), 0.0);
    for (std::size_t k = 0; k < smoother->readings(); ++k) {
      if (places[k].source == kBoundSource) continue;
      surprise[places[k].source] += smoother->surprise(k);
      count[places[k].source] += 1;
    }
    for (std::size_t i = 0; i < strays.size(); ++i) {
      if (!(count[i] > 0)) continue;
      const double misfit = surprise[i] / count[i];
      if (misfit > 1.0 && misfit < kStrays) continue;
      strays[i] = std::clamp(strays[i] * misfit, 1.0, kMostStrays);
    }
  }

  /// Where and by how much the power may jump, by what the last pass found.
  void learn_jumps() {
    std::vector<double> means = cell_means();
    amplitudes = amplitudes_of(cells, means, board.lowest_w, range);
    if (kinds > 0) {
      // What known work explains is no evidence of other work, nor is what its kinds scatter by.
      double before = 0.0;
      double energy = 0.0;
      std::vector<double> known(cells.size());
      std::size_t step = 0;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (; step < smoother->steps() && step_times[step] < cells[i].end - 1e-9; ++step) {
          energy += work_w[step] * smoother->step(step).length;
        }
        known[i] = (energy - before) / (cells[i].end - cells[i].begin);
        before = energy;
      }
      const double dead = kScatterOfWork * range;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const double left = means[i] - known[i] - board.lowest_w;
        means[i] = board.lowest_w + std::copysign(std::max(0.0, std::abs(left) - dead), left);
      }
      const auto left = amplitudes_of(cells, means, board.lowest_w, range);
      cell_variance = jump_variances(means, left, board.lowest_w, range);
      return;
    }
    cell_variance = jump_variances(means, amplitudes, board.lowest_w, range);
    for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
      across[i] = square(means[i + 1] - means[i - 1]);
    }
  }

  /// What known work leaves open on a knot, W^2 of jumps: drift, a little at its edges, and what a
  /// board does in the first milliseconds.
  double remainder_variance(double time, double length) const {
    constexpr double kDrift = 0.001;      // of the range, every kDriftStep
    constexpr double kDriftStep = 0.02;   // s
    constexpr double kAtEdge = 0.02;      // of the range
    constexpr double kAfterBegin = 0.05;  // of the range, every kTransient
    constexpr double kTransient = 0.03;   // s
    double share = square(kDrift) * length / kDriftStep;
    const auto after =
        std::upper_bound(hints.work.begin(), hints.work.end(), time + 1e-6,
                         [](double t, const CourseHints::Work& work) { return t < work.begin; });
    if (after != hints.work.begin()) {
      const CourseHints::Work& last_begun = *std::prev(after);
      const double since = time - last_begun.begin;
      if (std::abs(since) < 1e-6 || std::abs(time - last_begun.end) < 1e-6)
        share += square(kAtEdge);
      share += square(kAfterBegin) * std::exp(-since / kTransient) * length / kTransient;
    }
    return share * square(remainder_scale * range);
  }

  /// Where the course left what a board can draw, its cells' means are held to that.
  void learn_bounds() {
    const std::vector<double> means = cell_means();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (means[i] < board.lowest_w - kBound) bound[i] = std::max(board.lowest_w, 1e-3);
      if (means[i] > board.limit_w + kBound) bound[i] = board.limit_w;
    }
  }

  /// An error that all readings of a source share: so many times `sd` a priori.
  struct Nuisance {
    enum class Kind { gain, offset, age, window, lag, work } kind;
    std::size_t source;
    double sd;
    double value = 0.0;            ///< in the kind's unit
    std::vector<double> column{};  ///< what one unit adds to each reading of the smoother
  };

  void list_nuisances() {
    for (std::size_t i = 0; i < board.sources.size(); ++i) {
      const ObservedSource& source = board.sources[i];
      // The first source has the scale.
      if (i > 0) {
        nuisances.push_back({Nuisance::Kind::gain, i, source.gain_sd});
        nuisances.push_back({Nuisance::Kind::offset, i, source.offset_sd});
      }
      if (source.age_sd > 0) nuisances.push_back({Nuisance::Kind::age, i, source.age_sd});
      if (source.window_sd > 0) nuisances.push_back({Nuisance::Kind::window, i, source.window_sd});
      if (source.lag_sd > 0) nuisances.push_back({Nuisance::Kind::lag, i, source.lag_sd});
    }
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      nuisances.push_back({Nuisance::Kind::work, kind, std::max(range, kMayDraw)});
    }
  }

  static Cause cause_of(Nuisance::Kind kind) {
    switch (kind) {
      case Nuisance::Kind::age:
        return Cause::age;
      case Nuisance::Kind::window:
      case Nuisance::Kind::lag:
        return Cause::lag;
      case Nuisance::Kind::work:
        return Cause::work;
      case Nuisance::Kind::gain:
      case Nuisance::Kind::offset:
        break;
    }
    return Cause::relative_gain;
  }

  double derivative(const Nuisance& nuisance, std::size_t k) const {
    const ObservedSource& source = board.sources[nuisance.source];
    const std::size_t reading = places[k].reading;
    switch (nuisance.kind) {
      case Nuisance::Kind::gain:
        return shown_by(k);
      case Nuisance::Kind::offset:
        return source.look == Look::counter ? span_of(nuisance.source, reading) : 1.0;
      case Nuisance::Kind::age:
        return -slope_of(k);
      case Nuisance::Kind::window:
        // At the same age it reaches as much further ahead as back.
        return ((shown_around(source, source.readings[reading].time) +
                 shown_around(source, source.readings[reading].time - source.window)) /
                    2 -
                shown_by(k)) /
               source.window;
      case Nuisance::Kind::lag:
        return by_lag(k) + source.age_by_lag * -slope_of(k);
      case Nuisance::Kind::work:
        break;
    }
    return 0.0;
  }

  /// What the course makes of the smoother's reading k.
  double shown_by(std::size_t k) const {
    return smoother->fitted(k) + correction[places[k].source][places[k].reading];
  }

  /// The course of power behind a filter, by step.
  struct Filtered {
    double time_constant = 0.0;  ///< s; 0: the power itself
    std::vector<double> at_begin;
  };

  Filtered filtered_by(double time_constant) const {
    Filtered behind{.time_constant = time_constant};
    if (!(time_constant > kShortestLag)) {
      behind.time_constant = 0.0;
      return behind;
    }
    double shown = power_of(0);
    behind.at_begin.reserve(smoother->steps());
    for (std::size_t i = 0; i < smoother->steps(); ++i) {
      behind.at_begin.push_back(shown);
      const double kept = std::exp(-smoother->step(i).length / time_constant);
      shown = kept * shown + (1 - kept) * power_of(i);
    }
    return behind;
  }

  /// Integral of the power behind a filter from the first step to `time`, J.
  double integral_of(const Filtered& behind, double time) const {
    if (behind.at_begin.empty()) return energy_at(time);
    return energy_at(time) -
           behind.time_constant * (value_of(behind, time) - behind.at_begin.front());
  }

  double value_of(const Filtered& behind, double time) const {
    const std::size_t i = step_at(time);
    if (behind.at_begin.empty()) return power_of(i);
    const double kept = std::exp(-std::max(0.0, time - step_times[i]) / behind.time_constant);
    return kept * behind.at_begin[i] + (1 - kept) * power_of(i);
  }

  double mean_of(const Filtered& behind, double begin, double end) const {
    return (integral_of(behind, end) - integral_of(behind, begin)) / (end - begin);
  }

  /// What the course makes of a reading behind another filter that looks `later` seconds later.
  double reading_behind(const Filtered& behind, std::size_t k, double later) const {
    const ObservedSource& source = board.sources[places[k].source];
    const ObservedReading& reading = source.readings[places[k].reading];
    const double time = reading.time + later;
    const double window = window_of(source, reading);
    if (window > 0) return mean_of(behind, time - window, time);
    if (source.look == Look::point) return value_of(behind, time);
    const double before = source.readings[places[k].reading - 1].time + later;
    return integral_of(behind, time) - integral_of(behind, before);
  }

  /// By how much a reading would be more per second of the time constant, at the same age.
  double by_lag(std::size_t k) const {
    const std::size_t i = places[k].source;
    const double longer = slower[i].time_constant - filtered[i].time_constant;
    if (!(longer > 0)) return 0.0;
    return (reading_behind(slower[i], k, longer) - reading_behind(filtered[i], k, 0.0)) / longer;
  }

  static double window_of(const ObservedSource& source, const ObservedReading& reading) {
    if (reading.span > 0) return reading.span;
    return source.look == Look::average ? source.window : 0.0;
  }

  /// What the source sees about a time, W: a mean over what its age leaves open.
  double shown_around(const ObservedSource& source, double time) const {
    const double half = std::max(base_step(period), source.age_sd);
    const Filtered& behind = filtered[static_cast<std::size_t>(&source - board.sources.data())];
    return mean_of(behind, time - half, time + half);
  }

  /// By how much a reading would be more if it had looked later, W/s; W of a counter.
  double slope_of(std::size_t k) const {
    const ObservedSource& source = board.sources[places[k].source];
    const std::size_t reading = places[k].reading;
    const double time = source.readings[reading].time;
    const double window = window_of(source, source.readings[reading]);
    if (window > 0) {
      return (shown_around(source, time) - shown_around(source, time - window)) / window;
    }
    if (source.look == Look::counter) {
      return shown_around(source, time) - shown_around(source, source.readings[reading - 1].time);
    }
    const double here = power_of(smoother->step_of(k));
    if (source.time_constant > kShortestLag) return (here - shown_by(k)) / source.time_constant;
    // As far as its age leaves open, a jump beside it may lie on its other side.
    const double half = std::max(base_step(period), source.age_sd);
    return (mean_power(time, time + half) - mean_power(time - half, time)) / half;
  }

  /// What one unit of each nuisance adds to each of the smoother's readings.
  void fill_columns() {
    for (Nuisance& nuisance : nuisances) {
      if (nuisance.kind == Nuisance::Kind::work) {
        nuisance.column = smoother->readings_of(activity_by_step(nuisance.source));
        continue;
      }
      nuisance.column.assign(smoother->readings(), 0.0);
      for (std::size_t k = 0; k < smoother->readings(); ++k) {
        if (places[k].source == nuisance.source) nuisance.column[k] = derivative(nuisance, k);
      }
    }
  }

  /// The nuisances that explain the innovations best, with their covariance (generalized least
  /// squares; de Jong 1991).
  void learn_nuisances(bool work_alone) {
    const std::size_t count = nuisances.size();
    if (count == 0) return;
    fill_columns();
    if (work_alone) {
      for (Nuisance& one : nuisances) {
        if (one.kind != Nuisance::Kind::work) std::fill(one.column.begin(), one.column.end(), 0.0);
      }
    }
    std::vector<std::vector<double>> innovations;
    for (const Nuisance& nuisance : nuisances) {
      innovations.push_back(smoother->innovations_of(nuisance.column));
    }
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(count, count);
    Eigen::VectorXd weighted = Eigen::VectorXd::Zero(count);
    for (std::size_t i = 0; i < count; ++i) {
      information(i, i) = 1 / square(nuisances[i].sd);
      weighted(i) = -nuisances[i].value / square(nuisances[i].sd);
      for (std::size_t k = 0; k < smoother->readings(); ++k) {
        const double w = innovations[i][k] / smoother->innovation_variance(k);
        weighted(i) += w * smoother->innovation(k);
        for (std::size_t j = 0; j <= i; ++j) information(i, j) += w * innovations[j][k];
      }
      for (std::size_t j = 0; j < i; ++j) information(j, i) = information(i, j);
    }
    solve_nuisances(information, weighted);
    // A derivative holds for steps that are not too far.
    for (std::size_t i = 0; i < count; ++i) {
      Nuisance& one = nuisances[i];
      const bool is_linear = one.kind == Nuisance::Kind::work;
      const double change = nuisance_change(static_cast<Eigen::Index>(i));
      const double step = is_linear ? change : std::clamp(change, -one.sd, one.sd);
      one.value += step;
      if (is_linear) continue;
      const bool is_lag = one.kind == Nuisance::Kind::lag;
      const double least = is_lag ? -board.sources[one.source].time_constant : -kMostSds * one.sd;
      one.value = std::clamp(one.value, std::max(least, -kMostSds * one.sd), kMostSds * one.sd);
    }
    for (auto& of_source : correction) std::fill(of_source.begin(), of_source.end(), 0.0);
    add_gaps();
    for (const Nuisance& nuisance : nuisances) {
      const bool of_all = nuisance.kind == Nuisance::Kind::work;
      for (std::size_t k = 0; k < smoother->readings(); ++k) {
        if (places[k].source == kBoundSource) continue;
        if (!of_all && places[k].source != nuisance.source) continue;
        correction[places[k].source][places[k].reading] += nuisance.value * nuisance.column[k];
      }
    }
  }

  /// What counters with a gap count otherwise than the integral, as the course has it: the stretch
  /// after every tick that they do not look at is charged by the power at its end.
  void add_gaps() {
    for (std::size_t i = 0; i < board.sources.size(); ++i) {
      const ObservedSource& source = board.sources[i];
      if (!source.gap) continue;
      for (std::size_t k = 1; k < source.readings.size(); ++k) {
        if (source.readings[k].is_first) continue;
        const double end = source.readings[k].time - source.period / 2;
        for (double tick = source.readings[k - 1].time; tick < end; tick += source.period) {
          const double begin = tick + source.gap->begin;
          const double until = begin + source.gap->length;
          correction[i][k] += source.gap->length * value_of(filtered[i], until) -
                              (integral_of(filtered[i], until) - integral_of(filtered[i], begin));
        }
      }
    }
  }

  /// Without knowing when what ran, readings tell how sources differ, not when or how slowly all of
  /// them see: what would be learnt of that is what the jumps' variances assume.
  bool is_learnt(const Nuisance& one) const {
    const bool is_shape = one.kind == Nuisance::Kind::lag || one.kind == Nuisance::Kind::window;
    if (kinds > 0) return !is_shape || board.sources[one.source].is_characterized;
    if (one.kind == Nuisance::Kind::age) return one.source != fastest_source;
    return !is_shape;
  }

  /// Those that are not learnt keep what is known of them, and the others' estimates vary with them
  /// (consider parameters; Schmidt 1966).
  void solve_nuisances(const Eigen::MatrixXd& information, const Eigen::VectorXd& weighted) {
    std::vector<Eigen::Index> learnt;
    std::vector<Eigen::Index> kept;
    for (std::size_t i = 0; i < nuisances.size(); ++i) {
      (is_learnt(nuisances[i]) ? learnt : kept).push_back(static_cast<Eigen::Index>(i));
    }
    const auto part = [&information](const std::vector<Eigen::Index>& rows,
                                     const std::vector<Eigen::Index>& columns) {
      Eigen::MatrixXd block(rows.size(), columns.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < columns.size(); ++j)
          block(i, j) = information(rows[i], columns[j]);
      }
      return block;
    };
    Eigen::VectorXd prior(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      prior(i) = square(nuisances[static_cast<std::size_t>(kept[i])].sd);
    }
    Eigen::VectorXd score(learnt.size());
    for (std::size_t i = 0; i < learnt.size(); ++i) score(i) = weighted(learnt[i]);
    const Eigen::MatrixXd own = part(learnt, learnt).inverse();
    const Eigen::VectorXd change = own * score;
    const Eigen::MatrixXd follows = own * part(learnt, kept);
    const Eigen::MatrixXd both = follows * prior.asDiagonal();
    const Eigen::MatrixXd of_learnt = own + both * follows.transpose();
    const auto count = static_cast<Eigen::Index>(nuisances.size());
    nuisance_change = Eigen::VectorXd::Zero(count);
    nuisance_covariance = Eigen::MatrixXd::Zero(count, count);
    for (std::size_t i = 0; i < kept.size(); ++i) nuisance_covariance(kept[i], kept[i]) = prior(i);
    for (std::size_t i = 0; i < learnt.size(); ++i) {
      nuisance_change(learnt[i]) = change(i);
      for (std::size_t j = 0; j < learnt.size(); ++j) {
        nuisance_covariance(learnt[i], learnt[j]) = of_learnt(i, j);
      }
      for (std::size_t j = 0; j < kept.size(); ++j) {
        nuisance_covariance(learnt[i], kept[j]) = -both(i, j);
        nuisance_covariance(kept[j], learnt[i]) = -both(i, j);
      }
    }
  }

  double span_of(std::size_t source, std::size_t reading) const {
    const auto& readings = board.sources[source].readings;
    return reading == 0 ? 0.0 : readings[reading].time - readings[reading - 1].time;
  }

  void smooth() {
    std::vector<Step> steps;
    steps.reserve(knots.size() + events.size() + 2);
    places.clear();
    step_times.clear();
    double now = knots.front().time;
    double jump = 0.0;
    const auto finish_step = [&](double until, StepAction action, std::size_t state) -> Step& {
      step_times.push_back(now);
      steps.push_back({.length = std::max(0.0, until - now),
                       .jump_variance = jump,
                       .action = action,
                       .state = static_cast<std::uint16_t>(state)});
      jump = 0.0;
      now = std::max(now, until);
      return steps.back();
    };
    std::size_t event = 0;
    const auto play_events = [&](double until) {
      for (; event < events.size() && events[event].time <= until; ++event) {
        const Event& e = events[event];
        const ObservedSource& source = board.sources[e.source];
        const double span = source.readings[e.reading].span;
        const bool is_point = source.look == Look::point && !(span > 0);
        const std::size_t state = is_point ? slots[e.source].filter : layout.integral(e.slot);
        Step& step = finish_step(e.time, e.action, state);
        if (e.action == StepAction::open) {
          // A counter's first count has a noise of its own.
          if (source.look == Look::counter) step.variance = noise[e.source][e.reading].total();
          continue;
        }
        const ObservedReading& reading = source.readings[e.reading];
        step.scale = span > 0 ? 1 / span : source.look == Look::average ? 1 / source.window : 1.0;
        step.value = reading.value - correction[e.source][e.reading];
        step.variance = noise[e.source][e.reading].total();
        places.push_back({e.source, e.reading});
      }
    };
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Cell& cell = cells[c];
      std::size_t marks = 0;
      for (std::size_t k = cell.first_knot; k < cell.end_knot; ++k) marks += knots[k].is_mark;
      for (std::size_t k = cell.first_knot; k < cell.end_knot; ++k) {
        play_events(knots[k].time);
        if (knots[k].time > now) finish_step(knots[k].time, StepAction::none, 0);
        const double end = k + 1 < knots.size() ? knots[k + 1].time : last;
        const double length = end - knots[k].time;
        const double share = length / (cell.end - cell.begin);
        const double spread = marks > 0 ? 1 - kMarkShare : 1.0;
        jump += cell_variance[c] * spread * share;
        jump += kinds > 0 ? remainder_variance(knots[k].time, length) : kWander * length;
        if (knots[k].is_mark) {
          jump += cell_variance[c] * kMarkShare / static_cast<double>(marks) + across[c];
        }
        if (k == cell.first_knot && bound[c] > 0) {
          finish_step(knots[k].time, StepAction::open, layout.integral(bound_slot));
        }
      }
      if (bound[c] > 0) {
        play_events(cell.end);
        Step& step = finish_step(cell.end, StepAction::read, layout.integral(bound_slot));
        step.scale = 1 / (cell.end - cell.begin);
        step.value = bound[c];
        step.variance = square(kBound);
        places.push_back({kBoundSource, c});
      }
    }
    play_events(last + 1.0);
    if (now < last) finish_step(last, StepAction::none, 0);
    const double first = first_power();
    smoother = std::make_unique<PowerSmoother>(layout, std::move(steps), first, square(range));
    sum_up();
  }

  double first_power() const {
    for (const ObservedSource& source : board.sources) {
      if (source.look != Look::counter) return source.readings.front().value;
    }
    return board.lowest_w;
  }

  void sum_up() {
    work_w.assign(smoother->steps(), 0.0);
    for (const Nuisance& nuisance : nuisances) {
      if (nuisance.kind != Nuisance::Kind::work) continue;
      const std::vector<double> activity = activity_by_step(nuisance.source);
      for (std::size_t i = 0; i < work_w.size(); ++i) work_w[i] += nuisance.value * activity[i];
    }
    energy_until.assign(1, 0.0);
    energy_until.reserve(smoother->steps() + 1);
    for (std::size_t i = 0; i < smoother->steps(); ++i) {
      energy_until.push_back(energy_until.back() + power_of(i) * smoother->step(i).length);
    }
    filter_course();
  }

  void filter_course() {
    filtered.clear();
    slower.clear();
    for (const ObservedSource& source : board.sources) {
      filtered.push_back(filtered_by(source.time_constant));
      const bool may_be_slower = source.lag_sd > 0;
      slower.push_back(may_be_slower ? filtered_by(source.time_constant + source.lag_sd)
                                     : Filtered{});
    }
  }

  /// Power on a step: that of the known work and what remains.
  double power_of(std::size_t step) const { return work_w[step] + smoother->power(step); }

  /// By step, the share of it in which known work of this kind ran.
  std::vector<double> activity_by_step(std::size_t kind) const {
    std::vector<double> activity(smoother->steps(), 0.0);
    for (const CourseHints::Work& work : hints.work) {
      if (work.kind != kind) continue;
      for (std::size_t i = step_at(work.begin); i < activity.size() && step_times[i] < work.end;
           ++i) {
        const double length = smoother->step(i).length;
        if (!(length > 0)) {
          activity[i] = 1.0;
          continue;
        }
        const double inside =
            std::min(work.end, step_times[i] + length) - std::max(work.begin, step_times[i]);
        activity[i] += std::clamp(inside / length, 0.0, 1.0);
      }
    }
    return activity;
  }

  std::size_t step_at(double time) const {
    const auto after = std::upper_bound(step_times.begin(), step_times.end(), time);
    return after == step_times.begin() ? 0
                                       : static_cast<std::size_t>(after - step_times.begin()) - 1;
  }

  double energy_at(double time) const {
    const std::size_t i = step_at(time);
    const double into = std::clamp(time - step_times[i], 0.0, smoother->step(i).length);
    return energy_until[i] + into * power_of(i);
  }

  double mean_power(double begin, double end) const {
    return (energy_at(end) - energy_at(begin)) / (end - begin);
  }

  std::size_t cell_at(double time) const {
    const auto after = std::upper_bound(cells.begin(), cells.end(), time,
                                        [](double t, const Cell& cell) { return t < cell.end; });
    return std::min<std::size_t>(static_cast<std::size_t>(after - cells.begin()), cells.size() - 1);
  }

  std::vector<double> cell_means() const {
    std::vector<double> means;
    means.reserve(cells.size());
    double before = 0.0;
    for (const Cell& cell : cells) {
      const double until = energy_at(cell.end);
      means.push_back((until - before) / (cell.end - cell.begin));
      before = until;
    }
    return means;
  }

  CourseEnergy weighted(std::span<const CourseWindow> windows,
                        std::span<const double> weights) const;
  double place_variance(const CourseWindow& window, CourseEnergy& energy) const;

  static constexpr std::size_t kBoundSource = static_cast<std::size_t>(-1);
  /// The share of a cell's jumps that lies on the marks in it, and what the power wanders by.
  static constexpr double kMarkShare = 0.8;
  static constexpr double kWander = 4.0;  // W^2/s
  /// Of the range, what the power may jump by in a cell before anything is known of it.
  static constexpr double kJumpsAtFirst = 0.4;
  /// No nuisance is further from what is known of it, in standard uncertainties.
  static constexpr double kMostSds = 3.0;
  static constexpr double kMostStrays = 1e4;
  /// Squares of innovations that are so much more than expected are a model's misfit.
  static constexpr double kStrays = 10.0;
  /// Of the range, what readings of known work are off by before the course is known.
  static constexpr double kAtFirst = 0.05;
  /// A filter that is faster shows the power itself.
  static constexpr double kShortestLag = 1e-4;  // s
  /// Work of one kind scatters by less than this, of the range.
  static constexpr double kScatterOfWork = 0.2;

  struct Knot {
    double time = 0.0;
    bool is_mark = false;
  };

  ObservedBoard board;
  StateLayout layout;
  std::vector<Slots> slots;
  std::size_t bound_slot = 0;
  double period = 0.1;
  double range = 0.0;
  double last = 0.0;
  std::vector<Cell> cells;
  std::vector<Knot> knots;
  std::vector<Event> events;
  std::vector<double> bound;  ///< by cell: W; 0: none
  std::vector<double> cell_variance;
  std::vector<double> amplitudes;  ///< by cell: what jumps there may be as high as, W
  std::vector<double> across;      ///< by cell: squared difference of its neighbours, W^2
  std::vector<std::vector<Noise>> noise;
  std::vector<double> strays;  ///< by source: so much more do its readings vary than they should
  std::vector<SourceFit> fits;
  std::vector<Nuisance> nuisances;
  Eigen::MatrixXd nuisance_covariance;
  Eigen::VectorXd nuisance_change;  ///< of the last solution
  std::size_t fastest_source = 0;
  std::vector<std::vector<double>> correction;  ///< by source and reading: what nuisances add
  std::unique_ptr<PowerSmoother> smoother;
  std::vector<Place> places;  ///< of the smoother's readings
  std::vector<double> step_times;
  std::vector<double> work_w;      ///< by step
  std::vector<Filtered> filtered;  ///< by source: the course behind its filter ...
  std::vector<Filtered> slower;    ///< ... and behind one as much slower as may be
  std::vector<double> energy_until;
  CourseHints hints;
  std::size_t kinds = 0;         ///< of known work
  double remainder_scale = 1.0;  ///< of what known work leaves open
};

CourseEnergy EnergyCourse::Impl::weighted(std::span<const CourseWindow> windows,
                                          std::span<const double> weights) const {
  CourseEnergy result;
  Functional functional;
  double begin = windows.front().begin;
  double end = windows.front().end;
  for (const CourseWindow& window : windows) {
    begin = std::min(begin, window.begin);
    end = std::max(end, window.end);
  }
  functional.first = step_at(begin);
  functional.weights.assign(step_at(end) - functional.first + 1, 0.0);
  double dynamic_j = 0.0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const CourseWindow& window = windows[w];
    const double joules = energy_at(window.end) - energy_at(window.begin);
    result.joules += weights[w] * joules;
    dynamic_j += weights[w] * (joules - board.lowest_w * (window.end - window.begin));
    for (std::size_t i = step_at(window.begin); i <= step_at(window.end); ++i) {
      const double length = smoother->step(i).length;
      if (!(length > 0)) continue;
      const double from = std::max(window.begin, step_times[i]);
      const double to = std::min(window.end, step_times[i] + length);
      if (to > from) functional.weights[i - functional.first] += weights[w] * (to - from) / length;
    }
  }
  const FunctionalError error = smoother->error_of(functional);
  Eigen::VectorXd by_nuisance = Eigen::VectorXd::Zero(nuisances.size());
  Noise shares;
  std::vector<double> next_weight(board.sources.size(), 0.0);
  for (std::size_t n = error.weights.size(); n-- > 0;) {
    const Place& place = places[error.first_reading + n];
    if (place.source == kBoundSource) continue;
    double weight = error.weights[n];
    const ObservedSource& source = board.sources[place.source];
    for (std::size_t i = 0; i < nuisances.size(); ++i) {
      by_nuisance(i) -= weight * nuisances[i].column[error.first_reading + n];
    }
    if (source.look == Look::counter) {
      // A count's noise is in what was counted up to it and from it on.
      const double own = weight;
      weight -= next_weight[place.source];
      next_weight[place.source] = own;
    }
    const Noise& of = noise[place.source][place.reading];
    shares.scatter += square(weight) * of.scatter;
    shares.ticks += square(weight) * of.ticks;
    shares.model += square(weight) * of.model;
  }
  for (std::size_t i = 0; i < nuisances.size(); ++i) {
    if (nuisances[i].kind != Nuisance::Kind::work) continue;
    const std::vector<double> activity = activity_by_step(nuisances[i].source);
    for (std::size_t k = 0; k < functional.weights.size(); ++k) {
      const std::size_t step = functional.first + k;
      by_nuisance(i) += functional.weights[k] * activity[step] * smoother->step(step).length;
    }
  }
  std::map<Cause, double> by_cause;
  if (!nuisances.empty()) {
    const Eigen::VectorXd with = nuisance_covariance * by_nuisance;
    for (std::size_t i = 0; i < nuisances.size(); ++i) {
      by_cause[cause_of(nuisances[i].kind)] += by_nuisance(i) * with(i);
    }
  }
  const auto add = [&result](Cause cause, double variance) {
    if (variance > 0) result.budget.push_back({cause, std::sqrt(variance)});
  };
  add(Cause::repeatability, shares.scatter);
  add(Cause::tick_brackets, shares.ticks);
  double unobserved = std::max(0.0, error.variance - shares.scatter - shares.ticks - shares.model);
  if (windows.size() == 1) unobserved += place_variance(windows.front(), result);
  add(Cause::unobserved, unobserved);
  for (const auto& [cause, variance] : by_cause) add(cause, variance);
  add(Cause::model, shares.model + square(kOfModel * dynamic_j));
  double variance = 0.0;
  for (const auto& term : result.budget) variance += square(term.u);
  result.standard_uncertainty = std::sqrt(variance);
  return result;
}

/// Of a window of little more than a period: the energy of its cells is known, not where in them
/// it was drawn; uniform between the least and the most of it that the window can hold.
double EnergyCourse::Impl::place_variance(const CourseWindow& window, CourseEnergy& energy) const {
  constexpr double kShort = 1.5;     // periods
  constexpr double kContrast = 8.0;  // W
  const double length = window.end - window.begin;
  if (length > kShort * period) return 0.0;
  const std::size_t from = cell_at(window.begin);
  const std::size_t to = cell_at(window.end);
  const double whole = cells[to].end - cells[from].begin;
  const double above = mean_power(cells[from].begin, cells[to].end) - board.lowest_w;
  double amplitude = 0.0;
  for (std::size_t i = from; i <= to; ++i) amplitude = std::max(amplitude, amplitudes[i]);
  if (amplitude < kContrast || !(above > 0)) return 0.0;
  const double most = std::min(above * whole, amplitude * length);
  const double least = std::max(0.0, above * whole - amplitude * (whole - length));
  energy.below_resolution = most - least > 0.1 * energy.joules;
  return square(std::max(0.0, most - least)) / 12;
}

EnergyCourse::EnergyCourse(ObservedBoard board, CourseHints hints)
    : impl_(std::make_unique<Impl>(std::move(board), std::move(hints))) {}
EnergyCourse::~EnergyCourse() = default;
EnergyCourse::EnergyCourse(EnergyCourse&&) noexcept = default;
EnergyCourse& EnergyCourse::operator=(EnergyCourse&&) noexcept = default;

const ObservedBoard& EnergyCourse::board() const { return impl_->board; }
const std::vector<SourceFit>& EnergyCourse::fits() const { return impl_->fits; }
double EnergyCourse::cell_length() const { return impl_->period; }
CourseWindow EnergyCourse::span() const { return {impl_->knots.front().time, impl_->last}; }

CourseEnergy EnergyCourse::energy(const CourseWindow& window) const {
  const double one = 1.0;
  return impl_->weighted({&window, 1}, {&one, 1});
}

CourseEnergy EnergyCourse::weighted_sum(std::span<const CourseWindow> windows,
                                        std::span<const double> weights) const {
  return impl_->weighted(windows, weights);
}

double EnergyCourse::mean_power(double begin, double end) const {
  return impl_->mean_power(begin, end);
}

}  // namespace truewatt::energy
