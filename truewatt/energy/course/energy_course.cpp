#include "truewatt/energy/course/energy_course.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/energy/course/course_impl.hpp"

namespace truewatt::energy {

double SourceFit::level_sd(double power) const {
  const double off = power - pivot_w;
  return std::sqrt(
      std::max(0.0, gain_variance * off * off + offset_variance + 2 * covariance * off));
}

EnergyCourse::Impl::Impl(ObservedBoard observed, CourseHints known, CourseDetail wanted)
    : detail(wanted), board(std::move(observed)), hints(std::move(known)) {
  for (const CourseHints::Work& work : hints.work) {
    kinds = std::max(kinds, work.kind + 1);
    hints.marks.push_back(work.begin);
    hints.marks.push_back(work.end);
  }
  if (kinds > 0) hints.steps.clear();
  pieces = hints.work;
  lay_out();
  make_cells();
  make_events();
  fits.reserve(board.sources.size());
  for (const ObservedSource& source : board.sources) fits.push_back({.source = source.source});
  range = std::max(board.limit_w - floor_w(), 1.0);
  bound.assign(cells.size(), 0.0);
  across.assign(cells.size(), 0.0);
  cell_variance.assign(cells.size(), 0.0);
  list_nuisances();
  if (detail == CourseDetail::total) {
    passes = 1;
  } else if (kinds > 0) {
    passes = kPassesOfWork;
  }
  fit_all();
  if (detail == CourseDetail::windows) {
    if (kinds > 0) choose_remainder();
    if (!hints.steps.empty()) believe_trains();
  }
  learn_responses();
  for (SourceFit& fit : fits) fit.misfit = 0.0;
  std::size_t read = 0;
  bool has_sums = false;
  for (std::size_t k = 0; k < smoother->readings(); ++k) {
    if (places[k].source == kBoundSource) continue;
    SourceFit& fit = fits[places[k].source];
    fit.misfit += smoother->surprise(k);
    ++fit.readings;
    misfit_of_all += smoother->surprise(k);
    ++read;
    has_sums |= board.sources[places[k].source].readings[places[k].reading].span > 0;
  }
  // Where sums stand in, the course is too coarse for the readings beside them.
  if (read > 0) misfit_of_all = has_sums ? 0.0 : misfit_of_all / static_cast<double>(read);
  for (SourceFit& fit : fits) {
    if (fit.readings > 0) fit.misfit /= static_cast<double>(fit.readings);
  }
  learn_how_levels_are_known();
  for (const Nuisance& nuisance : nuisances) {
    if (nuisance.kind == Nuisance::Kind::gain) {
      fits[nuisance.source].gain += nuisance.value;
      fits[nuisance.source].offset_w -= nuisance.value * board.sources[nuisance.source].pivot_w;
    }
    if (nuisance.kind == Nuisance::Kind::offset) fits[nuisance.source].offset_w += nuisance.value;
    if (nuisance.kind == Nuisance::Kind::age) fits[nuisance.source].later_s = nuisance.value;
  }
  // One source alone that does not fit may be in step with the work.
  const bool no_source_fits = std::all_of(
      fits.begin(), fits.end(), [](const SourceFit& fit) { return fit.misfit > kNothingFits; });
  const bool follows = std::all_of(board.sources.begin(), board.sources.end(),
                                   [](const ObservedSource& one) { return one.follows_work; });
  nothing_fits = (fits.size() > 1 && no_source_fits) ||
                 (kinds == 0 && misfit_of_all > kHardlyFits) || !follows;
  forget_fit();
}

void EnergyCourse::Impl::learn_how_levels_are_known() {
  const auto place_of = [this](std::size_t source, Nuisance::Kind kind) {
    return std::find_if(
               nuisances.begin(), nuisances.end(),
               [&](const Nuisance& one) { return one.source == source && one.kind == kind; }) -
           nuisances.begin();
  };
  const auto count = static_cast<std::ptrdiff_t>(nuisances.size());
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const auto gain = place_of(i, Nuisance::Kind::gain);
    const auto offset = place_of(i, Nuisance::Kind::offset);
    fits[i].pivot_w = board.sources[i].pivot_w;
    if (gain < count) fits[i].gain_variance = nuisance_covariance(gain, gain);
    if (offset < count) fits[i].offset_variance = nuisance_covariance(offset, offset);
    if (gain < count && offset < count) fits[i].covariance = nuisance_covariance(gain, offset);
  }
}

void EnergyCourse::Impl::forget_fit() {
  events = {};
  columns = {};
  slower = {};
  ends = {};
  for (auto* of_cells : {&bound, &across, &cell_variance}) *of_cells = {};
}

void EnergyCourse::Impl::fit_all() {
  for (Nuisance& one : nuisances) set_value(one, 0.0);
  make_events();
  if (kinds > 0) at_rest = jumps_at_rest();
  shape.assign(kinds + decays(), 0.0);
  std::fill(cell_variance.begin(), cell_variance.end(),
            kinds > 0 ? 0.0 : square(kJumpsAtFirst * range));
  noise_terms();
  is_coarse = cells.size() > kManyCells;
  smooth();
  is_coarse = false;
  if (kinds > 0) {
    // What work draws first: until that is known, it seems to be other work.
    learn_nuisances(true);
    smooth();
  }
  for (int pass = 0; pass < passes; ++pass) {
    if (pass + kSettledPasses < passes) {
      for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = work_nuisance(i).value;
    }
    std::vector<double> means = cell_means();
    if (kinds == 0) learn_bounds(means);
    if (kinds > 0 && pass >= kFirstStrays) learn_strays();
    learn_noise();
    learn_nuisances(false);
    learn_jumps(std::move(means));
    smooth();
  }
}

void EnergyCourse::Impl::smooth() {
  ++smoothed;
  StepPlan plan = smoother ? smoother->take_plan() : StepPlan{};
  plan.clear();
  std::size_t most_steps = events.size() + hints.marks.size() + 2 * cells.size() + 2;
  for (std::size_t c = 0; c < cells.size(); ++c) most_steps += knots_of(c);
  plan.steps.reserve(most_steps);
  plan.ends.reserve(events.size());
  places.clear();
  places.reserve(events.size());
  step_times.clear();
  step_times.reserve(most_steps);
  double now = cells.front().begin;
  double jump = 0.0;
  const std::uint64_t looks_at_times = integrals_that_rest();
  std::uint64_t resting = looks_at_times;
  const auto finish_step = [&](double until, const std::optional<StepEnd>& end = {}) {
    step_times.push_back(now);
    const double length = std::max(0.0, until - now);
    end ? plan.add(length, jump, *end) : plan.add(length, jump);
    if (looks_at_times != 0) plan.resting.push_back(resting);
    jump = 0.0;
    now = std::max(now, until);
  };
  std::size_t event = 0;
  const auto play_events = [&](double until) {
    for (; event < events.size() && events[event].time <= until; ++event) {
      const Event& e = events[event];
      const ObservedSource& source = board.sources[e.place.source];
      const ObservedReading& reading = source.readings[e.place.reading];
      const double off = noise[e.place.source][e.place.reading].total();
      const bool is_point = source.look == Look::point && !(reading.span > 0);
      const std::size_t state = is_point ? slots[e.place.source].filter : layout.integral(e.slot);
      if (e.kind == Event::Kind::look || e.kind == Event::Kind::rest) {
        finish_step(e.time);
        const std::uint64_t bit = std::uint64_t{1} << e.slot;
        resting = e.kind == Event::Kind::rest ? resting | bit : resting & ~bit;
        continue;
      }
      StepEnd end{.action = e.action(), .state = static_cast<std::uint16_t>(state)};
      if (e.kind == Event::Kind::open) {
        // A counter's first count has a noise of its own.
        if (source.look == Look::counter) end.variance = off;
      } else {
        const double window = window_of(source, reading);
        if (window > 0) end.scale = 1 / window;
        end.value = reading.value - correction[e.place.source][e.place.reading];
        end.variance = off;
        places.push_back(e.place);
      }
      finish_step(e.time, end);
    }
  };
  const auto of_bound = static_cast<std::uint16_t>(layout.integral(bound_slot));
  std::vector<Knot> knots;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Cell& cell = cells[c];
    find_knots(c, knots);
    const auto marks =
        std::count_if(knots.begin(), knots.end(), [](const Knot& knot) { return knot.is_mark; });
    for (std::size_t k = 0; k < knots.size(); ++k) {
      play_events(knots[k].time);
      if (knots[k].time > now) finish_step(knots[k].time);
      const double end = k + 1 < knots.size() ? knots[k + 1].time : cell.end;
      const double length = end - knots[k].time;
      const double share = length / (cell.end - cell.begin);
      const double spread = marks > 0 ? 1 - kMarkShare : 1.0;
      jump += kinds > 0 ? remainder_variance(knots[k].time, length) : kWander * length;
      if (!at_rest.empty()) jump += at_rest[c] * share;
      if (!is_knot_of_train(knots[k].time)) {
        jump += cell_variance[c] * spread * share;
        if (knots[k].is_mark) {
          jump += cell_variance[c] * kMarkShare / static_cast<double>(marks) + across[c];
        }
      }
      if (k == 0 && bound[c] > 0) {
        finish_step(knots[k].time, StepEnd{.action = StepAction::open, .state = of_bound});
      }
    }
    if (bound[c] > 0) {
      play_events(cell.end);
      finish_step(cell.end, StepEnd{.action = StepAction::read,
                                    .state = of_bound,
                                    .scale = 1 / (cell.end - cell.begin),
                                    .value = bound[c],
                                    .variance = square(kBound * range)});
      places.push_back({kBoundSource, static_cast<std::uint32_t>(c)});
    }
  }
  play_events(last + 1.0);
  if (now < last) finish_step(last);
  index_steps();
  if (!pieces.empty()) share_steps(plan.steps);
  if (!trains.empty()) let_deviate(plan);
  const double first = first_power();
  StateLayout used = layout;
  const bool is_bound = std::any_of(bound.begin(), bound.end(), [](double w) { return w > 0; });
  if (!is_bound) used.integrals.pop_back();
  if (smoother) {
    smoother->smooth_again(std::move(used), std::move(plan), first, square(range));
  } else {
    smoother =
        std::make_unique<PowerSmoother>(std::move(used), std::move(plan), first, square(range));
  }
  sum_up();
}

std::uint64_t EnergyCourse::Impl::integrals_that_rest() const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < board.sources.size(); ++i) {
    if (board.sources[i].looks) bits |= std::uint64_t{1} << slots[i].integrals.front();
  }
  return bits;
}

void EnergyCourse::Impl::index_steps() {
  first_steps.assign(1, 0);
  const double begin = step_times.front();
  // A log whose clock leaps by years has few steps in many periods.
  index_period =
      std::max(period, (step_times.back() - begin) / static_cast<double>(step_times.size()));
  for (std::size_t i = 0; i < step_times.size(); ++i) {
    while (step_times[i] >= begin + static_cast<double>(first_steps.size()) * index_period) {
      first_steps.push_back(i);
    }
  }
  first_steps.push_back(step_times.size());
}

double EnergyCourse::Impl::first_power() const {
  for (const ObservedSource& source : board.sources) {
    if (source.look != Look::counter) return source.readings.front().value;
  }
  return board.lowest_w;
}

void EnergyCourse::Impl::sum_up() {
  work_w.assign(pieces.empty() ? 0 : smoother->steps(), 0.0);
  for (std::size_t i = 0; i < work_w.size(); ++i) {
    for (const Share& share : shares_of(i)) {
      work_w[i] += drawn(share.kind) * share.of_step;
    }
  }
  energy_until.assign(1, 0.0);
  energy_until.reserve(smoother->steps() + 1);
  for (std::size_t i = 0; i < smoother->steps(); ++i) {
    energy_until.push_back(energy_until.back() + power_of(i) * smoother->length(i));
  }
  filter_course();
  see_look_ends();
}

EnergyCourse::EnergyCourse(ObservedBoard board, CourseHints hints, CourseDetail detail)
    : impl_(std::make_unique<Impl>(std::move(board), std::move(hints), detail)) {}
EnergyCourse::~EnergyCourse() = default;
EnergyCourse::EnergyCourse(EnergyCourse&&) noexcept = default;
EnergyCourse& EnergyCourse::operator=(EnergyCourse&&) noexcept = default;

const ObservedBoard& EnergyCourse::board() const { return impl_->board; }
const std::vector<SourceFit>& EnergyCourse::fits() const { return impl_->fits; }
int EnergyCourse::passes() const { return impl_->smoothed; }
bool EnergyCourse::is_impossible(const CourseWindow& window, const CourseEnergy& energy) const {
  constexpr double kSure = 3.0;  // standard uncertainties
  const double length = window.end - window.begin;
  const double least = energy.joules - kSure * energy.standard_uncertainty;
  const double most = energy.joules + kSure * energy.standard_uncertainty;
  return impl_->nothing_fits || least > impl_->board.limit_w * length || most < 0;
}
double EnergyCourse::cell_length() const { return impl_->period; }
double EnergyCourse::longest_cell(const CourseWindow& window) const {
  double longest = 0.0;
  for (std::size_t c = impl_->cell_at(window.begin);
       c < impl_->cells.size() && impl_->cells[c].begin < window.end; ++c) {
    longest = std::max(longest, impl_->cells[c].end - impl_->cells[c].begin);
  }
  return longest;
}
CourseWindow EnergyCourse::span() const { return {impl_->cells.front().begin, impl_->last}; }

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
