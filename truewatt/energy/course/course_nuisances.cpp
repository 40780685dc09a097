// What all readings of a source share.

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/course/course_impl.hpp"
#include "truewatt/energy/observe/counter_looks.hpp"

namespace truewatt::energy {

using uncertainty::Cause;

namespace {

/// What known work may draw of which the readings show nothing.
constexpr double kMayDraw = 500.0;  // W
/// No nuisance is further from what is known of it, in standard uncertainties.
constexpr double kMostSds = 3.0;

}  // namespace

void EnergyCourse::Impl::list_nuisances() {
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
    if (kinds > 0 && source.sampled_every > 0) {
      nuisances.push_back({Nuisance::Kind::sampling, i, std::sqrt(0.5)});
    }
  }
  first_work = nuisances.size();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    nuisances.push_back({Nuisance::Kind::work, kind, std::max(range, kMayDraw)});
  }
  for (std::size_t d = 0; d < decays(); ++d) {
    nuisances.push_back({Nuisance::Kind::work, kinds + d, board.rise[d].share_sd});
  }
}

Cause EnergyCourse::Impl::cause_of(Nuisance::Kind kind) {
  switch (kind) {
    case Nuisance::Kind::age:
      return Cause::age;
    case Nuisance::Kind::window:
    case Nuisance::Kind::lag:
      return Cause::lag;
    case Nuisance::Kind::sampling:
      return Cause::phase_lock;
    case Nuisance::Kind::work:
      return Cause::work;
    case Nuisance::Kind::gain:
    case Nuisance::Kind::offset:
      break;
  }
  return Cause::relative_gain;
}

double EnergyCourse::Impl::derivative(const Nuisance& nuisance, std::size_t k) const {
  const ObservedSource& source = board.sources[nuisance.source];
  const std::size_t reading = places[k].reading;
  switch (nuisance.kind) {
    case Nuisance::Kind::gain:
      return (repeated.empty() ? shown_by(k) : repeated[k]) - source.pivot_w;
    case Nuisance::Kind::offset:
      return source.look == Look::counter ? span_of(nuisance.source, reading) : 1.0;
    case Nuisance::Kind::age:
      return -slope_of(k);
    case Nuisance::Kind::window: {
      const ObservedReading& of = source.readings[reading];
      const double begin =
          of.span > 0 ? shown_around(source, of.time - source.window) : ends[k].begin;
      // At the same age it reaches as much further ahead as back.
      return ((ends[k].end + begin) / 2 - shown_by(k)) / source.window;
    }
    case Nuisance::Kind::lag:
      return by_lag(k) - (source.age_by_lag != 0.0 ? source.age_by_lag * slope_of(k) : 0.0);
    case Nuisance::Kind::sampling:
    case Nuisance::Kind::work:
      break;
  }
  return 0.0;
}

void EnergyCourse::Impl::fill_columns() {
  repeated = trains.empty() ? std::vector<double>{} : smoother->readings_of(course_repeated());
  const std::size_t count = nuisances.size();
  const std::size_t readings = smoother->readings();
  columns.assign(readings * count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    if (nuisances[i].kind == Nuisance::Kind::work) {
      const auto of_work = smoother->readings_of(activity_by_step(nuisances[i].source));
      for (std::size_t k = 0; k < readings; ++k) columns[k * count + i] = of_work[k];
      continue;
    }
    if (nuisances[i].kind == Nuisance::Kind::sampling) {
      const std::vector<double> joules = sampling_errors(nuisances[i].source);
      for (std::size_t k = 0; k < readings; ++k) {
        if (places[k].source != nuisances[i].source) continue;
        columns[k * count + i] = joules[places[k].reading];
      }
      continue;
    }
    for (std::size_t k = 0; k < readings; ++k) {
      const bool is_of_it = places[k].source == nuisances[i].source;
      if (is_of_it) columns[k * count + i] = derivative(nuisances[i], k);
    }
  }
}

void EnergyCourse::Impl::learn_responses() {
  fill_columns();
  const std::size_t count = nuisances.size();
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (places[k].source != kBoundSource) continue;
    std::fill_n(columns.begin() + static_cast<std::ptrdiff_t>(k * count), count, 0.0);
  }
  responses = smoother->responses_to(columns, count);
}

void EnergyCourse::Impl::gather_information(bool work_alone) {
  const std::size_t count = nuisances.size();
  fill_columns();
  const std::size_t readings = smoother->readings();
  std::vector<double> innovations = smoother->innovations_of(columns, count);
  information = Eigen::MatrixXd::Zero(count, count);
  weighted_score = Eigen::VectorXd::Zero(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_level =
        nuisances[i].kind == Nuisance::Kind::work && !is_decay(nuisances[i].source);
    const bool is_held = work_alone && !is_level;
    information(i, i) = 1 / square(nuisances[i].sd);
    weighted_score(i) = is_held ? 0.0 : -nuisances[i].value / square(nuisances[i].sd);
    if (!is_held) continue;
    for (std::size_t k = 0; k < readings; ++k) innovations[k * count + i] = 0.0;
  }
  for (std::size_t k = 0; k < readings; ++k) {
    const double* of_reading = innovations.data() + k * count;
    for (std::size_t i = 0; i < count; ++i) {
      if (of_reading[i] == 0.0) continue;
      const double w = of_reading[i] / smoother->innovation_variance(k);
      weighted_score(i) += w * smoother->innovation(k);
      for (std::size_t j = 0; j <= i; ++j) information(i, j) += w * of_reading[j];
    }
  }
  information.triangularView<Eigen::StrictlyUpper>() = information.transpose();
}

void EnergyCourse::Impl::learn_nuisances(bool work_alone) {
  const std::size_t count = nuisances.size();
  if (count == 0) return;
  gather_information(work_alone);
  solve_nuisances();
  // A derivative holds for steps that are not too far.
  for (std::size_t i = 0; i < count; ++i) {
    Nuisance& one = nuisances[i];
    const bool is_linear = one.kind == Nuisance::Kind::work;
    const double change = nuisance_change(static_cast<Eigen::Index>(i));
    const double step = is_linear ? change : std::clamp(change, -one.sd, one.sd);
    if (is_linear) {
      one.value += step;
      if (kinds > 0 && one.source >= kinds) one.value = possible(one);
      continue;
    }
    const bool is_lag = one.kind == Nuisance::Kind::lag;
    const double least = is_lag ? -board.sources[one.source].time_constant : -kMostSds * one.sd;
    set_value(one,
              std::clamp(one.value + step, std::max(least, -kMostSds * one.sd), kMostSds * one.sd));
  }
  correct_readings();
  if (kinds > 0) make_events();
}

double EnergyCourse::Impl::possible(const Nuisance& of_decay) const {
  const double share = board.rise[of_decay.source - kinds].share;
  if (share < 0) return of_decay.value;
  return std::clamp(of_decay.value, std::min(0.0, share - 1), share);
}

bool EnergyCourse::Impl::moves_readings(const Nuisance& nuisance) const {
  constexpr double kShortLook = 10.0;  // standard uncertainties of its age
  if (kinds == 0 || nuisance.kind != Nuisance::Kind::age) return false;
  const ObservedSource& source = board.sources[nuisance.source];
  return (source.look != Look::counter || source.looks) &&
         look_length(source) + source.time_constant < kShortLook * source.age_sd;
}

void EnergyCourse::Impl::set_value(Nuisance& nuisance, double value) {
  if (moves_readings(nuisance)) {
    for (ObservedReading& reading : board.sources[nuisance.source].readings) {
      reading.time -= value - nuisance.value;
    }
  }
  nuisance.value = value;
}

void EnergyCourse::Impl::correct_readings() {
  for (auto& of_source : correction) std::fill(of_source.begin(), of_source.end(), 0.0);
  correct_counters();
  const std::size_t count = nuisances.size();
  for (std::size_t i = 0; i < count; ++i) {
    // Before any is learnt, columns are those of another smoother.
    const Nuisance& one = nuisances[i];
    const double value = one.kind == Nuisance::Kind::work ? drawn(one.source) : one.value;
    if (value == 0.0 || moves_readings(one)) continue;
    for (std::size_t k = 0; k < smoother->readings(); ++k) {
      if (places[k].source == kBoundSource) continue;
      correction[places[k].source][places[k].reading] += value * columns[k * count + i];
    }
  }
}

void EnergyCourse::Impl::correct_counters() {
  for (std::size_t i = 0; i < board.sources.size(); ++i) {
    const ObservedSource& source = board.sources[i];
    if (!source.gap && !(source.blur > 0)) continue;
    double blurred = source.blur > 0 ? blur_of(i, source.readings.front().time) : 0.0;
    for (std::size_t k = 1; k < source.readings.size(); ++k) {
      const double before =
          std::exchange(blurred, source.blur > 0 ? blur_of(i, source.readings[k].time) : 0.0);
      if (source.readings[k].is_first) continue;
      correction[i][k] += blurred - before;
      beside[i][k] = std::abs(blurred) + std::abs(before);
      if (source.gap) correction[i][k] += gap_of(i, k);
    }
  }
}

double EnergyCourse::Impl::gap_of(std::size_t source, std::size_t reading) const {
  const ObservedSource& counter = board.sources[source];
  const Filtered& behind = *filtered[source];
  double joules = 0.0;
  const double end = counter.readings[reading].time - counter.period / 2;
  for (double tick = counter.readings[reading - 1].time; tick < end; tick += counter.period) {
    const double begin = tick + counter.gap->begin;
    const double until = begin + counter.gap->length;
    joules += counter.gap->length * value_of(behind, until) -
              (integral_of(behind, until) - integral_of(behind, begin));
  }
  return joules;
}

double EnergyCourse::Impl::blur_of(std::size_t source, double time) const {
  constexpr int kParts = 16;
  const double part = board.sources[source].blur / kParts;
  const Filtered& behind = *filtered[source];
  double sum = 0.0;
  for (int i = 0; i < kParts; ++i) {
    sum += integral_of(behind, time + part * (i + 0.5 - kParts / 2.0));
  }
  return sum / kParts - integral_of(behind, time);
}

bool EnergyCourse::Impl::is_learnt(const Nuisance& one) const {
  const bool is_shape = one.kind == Nuisance::Kind::lag || one.kind == Nuisance::Kind::window;
  if (kinds > 0) return !is_shape || board.sources[one.source].is_characterized;
  if (one.kind == Nuisance::Kind::age) return one.source != fastest_source;
  return !is_shape;
}

void EnergyCourse::Impl::solve_nuisances() {
  std::vector<Eigen::Index> learnt;
  std::vector<Eigen::Index> kept;
  for (std::size_t i = 0; i < nuisances.size(); ++i) {
    (is_learnt(nuisances[i]) ? learnt : kept).push_back(static_cast<Eigen::Index>(i));
  }
  const auto part = [this](const std::vector<Eigen::Index>& rows,
                           const std::vector<Eigen::Index>& of) {
    Eigen::MatrixXd block(rows.size(), of.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < of.size(); ++j) block(i, j) = information(rows[i], of[j]);
    }
    return block;
  };
  Eigen::VectorXd prior(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    prior(i) = square(nuisances[static_cast<std::size_t>(kept[i])].sd);
  }
  Eigen::VectorXd score(learnt.size());
  for (std::size_t i = 0; i < learnt.size(); ++i) score(i) = weighted_score(learnt[i]);
  const Eigen::MatrixXd own = part(learnt, learnt).inverse();
  const Eigen::VectorXd change = own * score;
  Eigen::MatrixXd follows = own * part(learnt, kept);
  // Of blind readings the fastest source says when; the others' ages are told beside its.
  const auto is_age = [this](Eigen::Index one) {
    return nuisances[static_cast<std::size_t>(one)].kind == Nuisance::Kind::age;
  };
  for (std::size_t i = 0; i < learnt.size(); ++i) {
    for (std::size_t j = 0; j < kept.size(); ++j) {
      if (is_age(learnt[i]) && is_age(kept[j])) follows(i, j) = -1.0;
    }
  }
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

}  // namespace truewatt::energy
