// What readings are off by, and where the power may jump.

#include <algorithm>
#include <cmath>

#include "truewatt/energy/course/course_impl.hpp"

namespace truewatt::energy {

namespace {

/// Of the range, what readings of known work are off by before the course is known.
constexpr double kAtFirst = 0.05;
/// What a reading is off by beyond its scatter, another one each time: of what it shows above the
/// lowest power ...
constexpr double kOfReading = 0.003;
/// ... and of what a counter of means counts beside its ticks, times periods that a mean is long.
constexpr double kOfBlur = 0.15;
/// Seconds of which readings share what times that nobody knows make them err by.
constexpr double kTickReach = 2.0;
/// Squares of innovations that are so much more than expected are a model's misfit.
constexpr double kStrays = 10.0;
constexpr double kMostStrays = 1e4;
/// Work of one kind scatters by less than this, of the range.
constexpr double kScatterOfWork = 0.2;

/// Root mean square of what is open of the times of a source's readings, s.
double rms_time_sd(const ObservedSource& source) {
  double sum = 0.0;
  for (const ObservedReading& reading : source.readings) sum += reading.time_sd * reading.time_sd;
  return source.readings.empty() ? 0.0
                                 : std::sqrt(sum / static_cast<double>(source.readings.size()));
}

}  // namespace

double EnergyCourse::Impl::least_scatter(const ObservedSource& source) const {
  return source.look == Look::counter ? 1e-4 * board.limit_w * std::min(1.0, 10 * source.period)
                                      : 4e-4 * board.limit_w;
}

void EnergyCourse::Impl::noise_terms() {
  noise.resize(board.sources.size());
  correction.resize(board.sources.size());
  beside.resize(board.sources.size());
  strays.assign(board.sources.size(), 1.0);
  for (std::size_t i = 0; i < board.sources.size(); ++i) {
    const ObservedSource& source = board.sources[i];
    const bool counter = source.look == Look::counter;
    noise[i].assign(source.readings.size(), Noise{});
    correction[i].assign(source.readings.size(), 0.0);
    beside[i].assign(source.readings.size(), 0.0);
    const double scatter = std::max(source.scatter, least_scatter(source));
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

void EnergyCourse::Impl::learn_noise() {
  for (std::size_t k = 0; k < smoother->readings(); ++k) {
    if (places[k].source == kBoundSource) continue;
    const ObservedSource& source = board.sources[places[k].source];
    const ObservedReading& reading = source.readings[places[k].reading];
    Noise& of = noise[places[k].source][places[k].reading];
    if (reading.span > 0) continue;
    const bool counts = source.look == Look::counter;
    // Of a counter each count's own, the one before has its own.
    const bool ends_there = counts && !source.looks;
    const double slope = ends_there ? ends[k].end : slope_of(k);
    const double off = counts ? 0.0 : kOfReading * std::max(0.0, shown_by(k) - board.lowest_w);
    of.ticks = is_far_off(source, reading) ? far_off_variance(k) : square(slope * reading.time_sd);
    of.model = square(off) + (strays[places[k].source] - 1) * (of.scatter + of.ticks + square(off));
    if (source.blur > 0) {
      const double periods = std::max(1.0, source.blur / source.period);
      of.model += square(kOfBlur * periods * beside[places[k].source][places[k].reading]);
    }
    if (!trains.empty()) of.model += part_variance(source, reading.time);
  }
  if (!trains.empty()) add_strays();
  if (kinds == 0) {
    for (std::size_t i = 0; i < board.sources.size(); ++i) share_tick_noise(i);
  }
}

/// Whether it is open between which edges of known work a reading looked: its slope says nothing.
bool EnergyCourse::Impl::is_far_off(const ObservedSource& source,
                                    const ObservedReading& reading) const {
  return kinds > 0 && source.look != Look::counter &&
         reading.time_sd > std::max(base_step(), source.age_sd);
}

/// By what it would show at other times of its bracket, evenly.
double EnergyCourse::Impl::far_off_variance(std::size_t k) const {
  constexpr int kEachSide = 4;
  const Place& place = places[k];
  const Filtered& behind = *filtered[place.source];
  const double half = std::sqrt(3.0) * board.sources[place.source].readings[place.reading].time_sd;
  const double here = reading_behind(behind, k, 0.0);
  double sum = 0.0;
  for (int i = -kEachSide; i <= kEachSide; ++i) {
    sum += square(reading_behind(behind, k, half * i / kEachSide) - here);
  }
  return sum / (2 * kEachSide);
}

/// Of steps that recur, readings within two seconds share what their times make them err by: where
/// those at steps have less weight than those between, energy goes to the power that lasts. Beside
/// a step alone what is steady stays known.
void EnergyCourse::Impl::share_tick_noise(std::size_t source) {
  constexpr double kRecur = 4.0;  // as many readings as are at steps, at least
  const auto& readings = board.sources[source].readings;
  if (board.sources[source].look == Look::counter) return;
  auto& of = noise[source];
  std::vector<double> until(readings.size() + 1, 0.0);
  std::vector<double> squares_until(readings.size() + 1, 0.0);
  for (std::size_t k = 0; k < readings.size(); ++k) {
    until[k + 1] = until[k] + of[k].ticks;
    squares_until[k + 1] = squares_until[k] + square(of[k].ticks);
  }
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t k = 0; k < readings.size(); ++k) {
    while (readings[from].time < readings[k].time - kTickReach) ++from;
    while (to < readings.size() && readings[to].time <= readings[k].time + kTickReach) ++to;
    const double sum = until[to] - until[from];
    if (square(sum) < kRecur * (squares_until[to] - squares_until[from])) continue;
    of[k].ticks = std::max(0.0, sum) / static_cast<double>(to - from);
  }
}

void EnergyCourse::Impl::learn_strays() {
  std::vector<double> surprise(board.sources.size(), 0.0);
  std::vector<double> count(board.sources.size(), 0.0);
  for (std::size_t k = 0; k < smoother->readings(); ++k) {
    if (places[k].source == kBoundSource) continue;
    surprise[places[k].source] += smoother->surprise(k);
    count[places[k].source] += 1;
  }
  for (std::size_t i = 0; i < strays.size(); ++i) {
    if (!(count[i] > 0) || board.sources[i].integrates) continue;
    const double misfit = surprise[i] / count[i];
    if (misfit > 1.0 && misfit < kStrays) continue;
    strays[i] = std::clamp(strays[i] * misfit, 1.0, kMostStrays);
  }
}

/// Where nobody knows what ran, the lowest power read may be work: boards idle at less than a fifth
/// of their limit, and what a sensor spreads over its memory shows no quiet between.
double EnergyCourse::Impl::floor_w() const {
  constexpr double kIdles = 0.2;
  return kinds > 0 ? board.lowest_w : std::min(board.lowest_w, kIdles * board.limit_w);
}

/// Of a cell, by the source that cells go by; a count tells nothing of when in it.
Unseen EnergyCourse::Impl::unseen() const {
  const ObservedSource& source = board.sources[fastest_source];
  const double scatter = std::max(source.scatter, least_scatter(source));
  if (source.look == Look::counter) {
    // Counts in a row share a tick: their difference is off by three, two of them of one.
    const double ticks = source.is_characterized ? std::sqrt(3.0) * rms_time_sd(source) : 0.0;
    return {.noise_w = scatter / source.period, .noise = ticks / source.period, .share = 1.0};
  }
  if (!source.is_characterized) return {.noise_w = scatter, .share = 1.0};
  const double seen = (source.window + 2 * source.time_constant) / source.period;
  return {.noise_w = scatter, .share = std::max(0.0, 1.0 - seen)};
}

void EnergyCourse::Impl::learn_jumps(std::vector<double> means) {
  amplitudes = amplitudes_of(cells, means, floor_w(), range);
  if (kinds > 0) {
    // What known work explains is no evidence of other work, nor is what its kinds scatter by.
    double before = 0.0;
    double energy = 0.0;
    std::vector<double> known(cells.size());
    std::size_t step = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (; step < smoother->steps() && step_times[step] < cells[i].end - 1e-9; ++step) {
        energy += work_w[step] * smoother->length(step);
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
    cell_variance = remainder_variances(means, left, board.lowest_w, range);
    return;
  }
  cell_variance = jump_variances(means, amplitudes, floor_w(), range, unseen());
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    across[i] = square(means[i + 1] - means[i - 1]);
  }
}

void EnergyCourse::Impl::learn_bounds(const std::vector<double>& means) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (means[i] < floor_w() - kBound * range) bound[i] = std::max(floor_w(), 1e-3);
    if (means[i] > board.limit_w + kBound * range) bound[i] = board.limit_w;
  }
}

}  // namespace truewatt::energy
