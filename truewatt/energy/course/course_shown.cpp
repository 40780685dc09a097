// What a course makes of readings.

#include <algorithm>
#include <cmath>
#include <map>

#include "truewatt/energy/course/course_impl.hpp"
#include "truewatt/energy/observe/counter_looks.hpp"

namespace truewatt::energy {

double EnergyCourse::Impl::shown_by(std::size_t k) const {
  return smoother->fitted(k) + correction[places[k].source][places[k].reading];
}

EnergyCourse::Impl::Filtered EnergyCourse::Impl::filtered_by(double time_constant) const {
  Filtered behind{.time_constant = time_constant};
  if (!(time_constant > kShortestLag)) {
    behind.time_constant = 0.0;
    return behind;
  }
  double shown = power_of(0);
  double length = 0.0;
  double kept = 1.0;
  behind.at_begin.reserve(smoother->steps());
  for (std::size_t i = 0; i < smoother->steps(); ++i) {
    behind.at_begin.push_back(static_cast<float>(shown));
    if (smoother->length(i) != length) {  // most are alike
      length = smoother->length(i);
      kept = std::exp(-length / time_constant);
    }
    shown = kept * shown + (1 - kept) * power_of(i);
  }
  return behind;
}

double EnergyCourse::Impl::integral_of(const Filtered& behind, double time) const {
  const std::size_t i = step_at(time);
  if (behind.at_begin.empty()) return energy_at(i, time);
  return energy_at(i, time) -
         behind.time_constant * (value_of(behind, i, time) - behind.at_begin.front());
}

double EnergyCourse::Impl::value_of(const Filtered& behind, double time) const {
  return value_of(behind, step_at(time), time);
}

double EnergyCourse::Impl::value_of(const Filtered& behind, std::size_t i, double time) const {
  if (behind.at_begin.empty()) return power_of(i);
  const double kept = std::exp(-std::max(0.0, time - step_times[i]) / behind.time_constant);
  return kept * behind.at_begin[i] + (1 - kept) * power_of(i);
}

double EnergyCourse::Impl::mean_of(const Filtered& behind, double begin, double end) const {
  return (integral_of(behind, end) - integral_of(behind, begin)) / (end - begin);
}

double EnergyCourse::Impl::reading_behind(const Filtered& behind, std::size_t k,
                                          double later) const {
  const ObservedSource& source = board.sources[places[k].source];
  const ObservedReading& reading = source.readings[places[k].reading];
  const double time = reading.time + later;
  const double window = window_of(source, reading);
  if (window > 0) return mean_of(behind, time - window, time);
  if (source.look == Look::point) return value_of(behind, time);
  if (source.looks) return looked(behind, source, places[k].reading, later);
  const double before = source.readings[places[k].reading - 1].time + later;
  return integral_of(behind, time) - integral_of(behind, before);
}

double EnergyCourse::Impl::looked(const Filtered& behind, const ObservedSource& source,
                                  std::size_t reading, double later) const {
  double joules = 0.0;
  for (const TimeSpan& look : looks_of(source, reading)) {
    joules += integral_of(behind, look.end + later) - integral_of(behind, look.begin + later);
  }
  return joules * source.looks->every / source.looks->length;
}

double EnergyCourse::Impl::by_lag(std::size_t k) const {
  const std::size_t i = places[k].source;
  const double longer = slower[i]->time_constant - filtered[i]->time_constant;
  if (!(longer > 0)) return 0.0;
  return (reading_behind(*slower[i], k, longer) - reading_behind(*filtered[i], k, 0.0)) / longer;
}

double EnergyCourse::Impl::window_of(const ObservedSource& source, const ObservedReading& reading) {
  if (reading.span > 0) return reading.span;
  return source.look == Look::average ? source.window : 0.0;
}

double EnergyCourse::Impl::shown_around(const ObservedSource& source, double time) const {
  const double half = std::max(base_step(), source.age_sd);
  const Filtered& behind = *filtered[static_cast<std::size_t>(&source - board.sources.data())];
  return mean_of(behind, time - half, time + half);
}

void EnergyCourse::Impl::see_look_ends() {
  ends.assign(smoother->readings(), LookEnds{});
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (places[k].source == kBoundSource) continue;
    const ObservedSource& source = board.sources[places[k].source];
    const ObservedReading& reading = source.readings[places[k].reading];
    const double window = window_of(source, reading);
    const bool counts = source.look == Look::counter && !source.looks;
    if (!(window > 0) && !counts) continue;
    const double begin =
        window > 0 ? reading.time - window : source.readings[places[k].reading - 1].time;
    ends[k] = {shown_around(source, begin), shown_around(source, reading.time)};
  }
}

double EnergyCourse::Impl::slope_of(std::size_t k) const {
  const ObservedSource& source = board.sources[places[k].source];
  const std::size_t reading = places[k].reading;
  const double time = source.readings[reading].time;
  const double window = window_of(source, source.readings[reading]);
  if (window > 0) return (ends[k].end - ends[k].begin) / window;
  if (source.looks) {
    const Filtered& behind = *filtered[places[k].source];
    const double half = std::max(source.looks->length / 4, source.age_sd);
    return (looked(behind, source, reading, half) - looked(behind, source, reading, -half)) /
           (2 * half);
  }
  if (source.look == Look::counter) return ends[k].end - ends[k].begin;
  const double here = power_of(smoother->step_of(k));
  if (source.time_constant > kShortestLag) return (here - shown_by(k)) / source.time_constant;
  // As far as its age leaves open, a jump beside it may lie on its other side.
  const double half = std::max(base_step(), source.age_sd);
  return (mean_power(time, time + half) - mean_power(time - half, time)) / half;
}

double EnergyCourse::Impl::span_of(std::size_t source, std::size_t reading) const {
  const auto& readings = board.sources[source].readings;
  return reading == 0 ? 0.0 : readings[reading].time - readings[reading - 1].time;
}

void EnergyCourse::Impl::filter_course() {
  std::map<double, std::shared_ptr<const Filtered>> known;  // sources share filters
  const auto behind = [&](double time_constant) {
    auto& one = known[time_constant];
    if (!one) one = std::make_shared<const Filtered>(filtered_by(time_constant));
    return one;
  };
  filtered.clear();
  slower.clear();
  for (const ObservedSource& source : board.sources) {
    filtered.push_back(behind(source.time_constant));
    slower.push_back(behind(source.time_constant + source.lag_sd));
  }
}

std::size_t EnergyCourse::Impl::step_at(double time) const {
  const double slot = (time - step_times.front()) / index_period;
  const auto number =
      static_cast<std::size_t>(std::clamp(slot, 0.0, static_cast<double>(first_steps.size() - 2)));
  const auto from = step_times.begin() + static_cast<std::ptrdiff_t>(first_steps[number]);
  const auto to = step_times.begin() + static_cast<std::ptrdiff_t>(first_steps[number + 1]);
  const auto after = std::upper_bound(from, to, time);
  return after == step_times.begin() ? 0 : static_cast<std::size_t>(after - step_times.begin()) - 1;
}

double EnergyCourse::Impl::energy_at(double time) const { return energy_at(step_at(time), time); }

double EnergyCourse::Impl::energy_at(std::size_t i, double time) const {
  const double into = std::clamp(time - step_times[i], 0.0, smoother->length(i));
  return energy_until[i] + into * power_of(i);
}

double EnergyCourse::Impl::mean_power(double begin, double end) const {
  return (energy_at(end) - energy_at(begin)) / (end - begin);
}

std::size_t EnergyCourse::Impl::cell_at(double time) const {
  const auto after = std::upper_bound(cells.begin(), cells.end(), time,
                                      [](double t, const Cell& cell) { return t < cell.end; });
  return std::min<std::size_t>(static_cast<std::size_t>(after - cells.begin()), cells.size() - 1);
}

std::vector<double> EnergyCourse::Impl::cell_means() const {
  std::vector<double> means;
  means.reserve(cells.size());
  double before = 0.0;
  std::size_t step = 0;
  for (const Cell& cell : cells) {
    while (step + 1 < step_times.size() && step_times[step + 1] <= cell.end) ++step;
    const double until = energy_at(step, cell.end);
    means.push_back((until - before) / (cell.end - cell.begin));
    before = until;
  }
  return means;
}

}  // namespace truewatt::energy
