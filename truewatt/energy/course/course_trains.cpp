// Steps of one name that may share the course of their power (docs/method.md, "Trains of steps").

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "truewatt/energy/course/course_impl.hpp"

namespace truewatt::energy {
namespace {

/// So many steps tell how much they deviate.
constexpr std::size_t kEnoughSteps = 300;
constexpr double kFewestParts = 4;
constexpr double kMostParts = 32;
/// From where it begins anew until it does again the deviation walks by this share of its variance.
constexpr double kWithin = 1.0;
constexpr double kFirstDeviation = 0.3;
/// Knots that are nearer than this are one.
constexpr double kOneKnot = 1e-5;  // s

}  // namespace

void EnergyCourse::Impl::believe_trains() {
  std::vector<Train> candidates;
  for (const CourseHints::TrainStep& step : hints.steps) {
    while (candidates.size() <= step.train) candidates.push_back({.name = candidates.size()});
  }
  if (hints.steps.size() > kEnoughSteps) {
    for (const Train& train : candidates) {
      if (const auto told = told_by_sample(train.name)) trains.push_back(*told);
    }
    if (trains.empty()) return;
    add_trains();
    fit_trains(false);
    return;
  }
  for (Train& train : candidates) train.by_rule = log_likelihood_of(train.name);
  const auto by_rule = std::tuple(nuisances, nuisance_covariance, noise, correction, bound);
  while (true) {
    trains = candidates;
    add_trains();
    if (trains.empty()) {
      smooth();
      return;
    }
    fit_trains(true);
    candidates = trains;
    std::erase_if(candidates, [](const Train& train) { return train.evidence <= train.by_rule; });
    if (candidates.size() == trains.size()) return;
    std::tie(nuisances, nuisance_covariance, noise, correction, bound) = by_rule;
  }
}

std::optional<EnergyCourse::Impl::Train> EnergyCourse::Impl::told_by_sample(
    std::size_t name) const {
  constexpr double kBeside = 1.0;  // s
  CourseHints sampled;
  std::copy_if(hints.steps.begin(), hints.steps.end(), std::back_inserter(sampled.steps),
               [&](const auto& step) { return step.train == name; });
  const std::size_t count = std::min(sampled.steps.size(), kEnoughSteps);
  const std::size_t first = (sampled.steps.size() - count) / 2;
  sampled.steps.erase(sampled.steps.begin(),
                      sampled.steps.begin() + static_cast<std::ptrdiff_t>(first));
  sampled.steps.resize(count);
  for (CourseHints::TrainStep& step : sampled.steps) {
    step.train = 0;
    sampled.marks.push_back(step.begin);
    sampled.marks.push_back(step.end);
  }
  const double from = sampled.steps.front().begin - kBeside;
  const double to = sampled.steps.back().end + kBeside;
  ObservedBoard part = board;
  for (ObservedSource& source : part.sources) {
    std::erase_if(source.readings,
                  [&](const auto& reading) { return reading.time < from || reading.time > to; });
    if (!source.readings.empty()) source.readings.front().is_first = true;
  }
  std::erase_if(part.sources, [](const auto& source) { return source.readings.size() < 3; });
  if (part.sources.empty()) return std::nullopt;
  const Impl sample(std::move(part), std::move(sampled), CourseDetail::windows);
  if (sample.trains.empty()) return std::nullopt;
  const Train& told = sample.trains.front();
  return Train{.name = name,
               .deviation = told.deviation,
               .stretches = told.stretches,
               .strays = told.strays};
}

void EnergyCourse::Impl::add_trains() {
  pieces.clear();
  layout.deviates = !trains.empty();
  // What the rule told sources differ by may be what it makes of the steps' rhythm.
  if (!trains.empty()) {
    for (Nuisance& one : nuisances) one.value = 0.0;
    correct_readings();
  }
  for (Train& train : trains) {
    double sum = 0.0;
    double joules = 0.0;
    double count = 0.0;
    for (const CourseHints::TrainStep& step : hints.steps) {
      if (step.train != train.name) continue;
      sum += step.end - step.begin;
      joules += energy_at(step.end) - energy_at(step.begin);
      ++count;
    }
    const double parts =
        std::clamp(std::round(sum / count / base_step()), kFewestParts, kMostParts);
    train.parts = static_cast<std::size_t>(parts);
    train.first_kind = nuisances.size() - first_work;
    train.swing_w.assign(train.parts, std::max(1.0, joules / sum - board.lowest_w));
    for (std::size_t part = 0; part < train.parts; ++part) {
      nuisances.push_back({Nuisance::Kind::work, train.first_kind + part, range});
    }
  }
  for (const CourseHints::TrainStep& step : hints.steps) {
    const Train* train = train_of(step);
    if (train == nullptr) continue;
    const double length = (step.end - step.begin) / static_cast<double>(train->parts);
    for (std::size_t part = 0; part < train->parts; ++part) {
      const double begin = step.begin + static_cast<double>(part) * length;
      pieces.push_back({begin, begin + length, train->first_kind + part});
    }
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double middle = (cells[i].begin + cells[i].end) / 2;
    if (is_in_train({middle, middle})) bound[i] = 0.0;
  }
  quieten();
}

void EnergyCourse::Impl::fit_trains(bool are_free) {
  if (are_free) {
    for (Train& train : trains) {
      train.deviation = kFirstDeviation;
      train.stretches = 1.0;
      train.strays = 1.0;
    }
  }
  smooth();
  learn_nuisances(true);
  smooth();
  learn_swing();
  learn_noise();
  learn_nuisances(false);
  if (are_free) choose_deviations();
  smooth();
  learn_swing();
  learn_noise();
  learn_nuisances(false);
  smooth();
}

std::vector<double> EnergyCourse::Impl::course_repeated() const {
  std::vector<double> course(smoother->steps());
  std::vector<const Train*> of(course.size(), nullptr);
  std::vector<double> rest(trains.size(), 0.0);
  std::vector<double> seconds(trains.size(), 0.0);
  for (std::size_t i = 0; i < course.size(); ++i) {
    course[i] = power_of(i);
    const double length = smoother->length(i);
    const auto* step = step_of_train_at(step_times[i] + std::max(kOneKnot, length / 2));
    of[i] = step != nullptr ? train_of(*step) : nullptr;
    if (of[i] == nullptr) continue;
    const auto t = static_cast<std::size_t>(of[i] - trains.data());
    rest[t] += smoother->power(i) * length;
    seconds[t] += length;
  }
  for (std::size_t i = 0; i < course.size(); ++i) {
    if (of[i] == nullptr) continue;
    const auto t = static_cast<std::size_t>(of[i] - trains.data());
    course[i] = work_of(i) + rest[t] / seconds[t];
  }
  return course;
}

void EnergyCourse::Impl::learn_swing() {
  for (Train& train : trains) {
    std::vector<double> joules(train.parts, 0.0);
    std::vector<double> seconds(train.parts, 0.0);
    for (std::size_t i = 0; i < smoother->steps(); ++i) {
      for (const Share& share : shares_of(i)) {
        const std::size_t part = share.kind - train.first_kind;
        if (part >= train.parts) continue;
        joules[part] += power_of(i) * share.of_step * smoother->length(i);
        seconds[part] += share.of_step * smoother->length(i);
      }
    }
    for (std::size_t part = 0; part < train.parts; ++part) {
      train.swing_w[part] = joules[part] / seconds[part] - board.lowest_w;
    }
  }
}

void EnergyCourse::Impl::choose_deviations() {
  constexpr std::array kStretches = {1.0, 4.0};
  constexpr std::array kStraying = {0.125, 0.25, 0.5, 1.0, 2.0, 4.0};
  constexpr std::array kDeviations = {0.01, 0.02, 0.04, 0.08, 0.16, 0.32};
  constexpr double kAsLikely = 3.0;
  const auto as_known = noise;
  std::vector<std::vector<Train>> tried(trains.size());
  const auto try_all = [&](double stretches, double straying, double deviation) {
    noise = as_known;
    for (Train& train : trains) {
      train.stretches = stretches;
      train.strays = straying;
      train.deviation = deviation;
    }
    add_strays();
    smooth();
    gather_information(false);
    for (std::size_t t = 0; t < trains.size(); ++t) {
      trains[t].evidence = evidence_of(trains[t]);
      tried[t].push_back(trains[t]);
    }
  };
  const bool are_known = std::all_of(board.sources.begin(), board.sources.end(),
                                     [](const auto& one) { return one.is_characterized; });
  for (const double stretches : kStretches) {
    for (const double straying : kStraying) {
      if (are_known && straying < 1) continue;
      for (const double deviation : kDeviations) try_all(stretches, straying, deviation);
    }
  }
  noise = as_known;
  const auto of_step = [](const Train& train) {
    return train.deviation / std::sqrt(train.stretches);
  };
  for (std::size_t t = 0; t < trains.size(); ++t) {
    trains[t] =
        *std::max_element(tried[t].begin(), tried[t].end(),
                          [](const Train& a, const Train& b) { return a.evidence < b.evidence; });
    // Of those that are about as likely the one that leaves a step's energy most open.
    const double least = trains[t].evidence - kAsLikely;
    for (const Train& other : tried[t]) {
      if (other.evidence > least && of_step(other) > of_step(trains[t])) trains[t] = other;
    }
    trains[t].strays = std::max(1.0, trains[t].strays);
  }
}

void EnergyCourse::Impl::quieten() {
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const ObservedSource& source = board.sources[i];
    const double scatter = std::max(source.scatter_at_rest, least_scatter(source));
    for (std::size_t k = 0; k < noise[i].size(); ++k) {
      const double time = source.readings[k].time;
      if (source.readings[k].span > 0 || !is_in_train({time, time})) continue;
      noise[i][k].scatter = square(scatter);
    }
  }
}

void EnergyCourse::Impl::add_strays() {
  for (std::size_t i = 0; i < noise.size(); ++i) {
    for (std::size_t k = 0; k < noise[i].size(); ++k) {
      if (board.sources[i].readings[k].span > 0) continue;
      const auto* step = step_of_train_at(board.sources[i].readings[k].time);
      const Train* train = step != nullptr ? train_of(*step) : nullptr;
      if (train == nullptr || (train->strays < 1 && board.sources[i].is_characterized)) continue;
      Noise& own = noise[i][k];
      for (double* part : {&own.scatter, &own.ticks, &own.model}) *part *= square(train->strays);
    }
  }
}

double EnergyCourse::Impl::log_likelihood_of(std::size_t name) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < smoother->readings(); ++k) {
    if (places[k].source == kBoundSource) continue;
    const double time = board.sources[places[k].source].readings[places[k].reading].time;
    const CourseHints::TrainStep* step = step_of_train_at(time);
    if (step == nullptr || step->train != name) continue;
    sum -= (std::log(smoother->innovation_variance(k)) + smoother->surprise(k)) / 2;
  }
  return sum;
}

double EnergyCourse::Impl::evidence_of(const Train& train) const {
  const auto first = static_cast<Eigen::Index>(first_work + train.first_kind);
  const auto count = static_cast<Eigen::Index>(train.parts);
  const Eigen::LLT<Eigen::MatrixXd> own(information.block(first, first, count, count));
  const Eigen::VectorXd score = weighted_score.segment(first, count);
  double sum = log_likelihood_of(train.name) + score.dot(own.solve(score)) / 2;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Nuisance& level = nuisances[static_cast<std::size_t>(first + i)];
    sum -=
        square(level.value / level.sd) / 2 + std::log(level.sd) + std::log(own.matrixLLT()(i, i));
  }
  return sum;
}

double EnergyCourse::Impl::part_variance(const ObservedSource& source, double time) const {
  const bool is_average = source.look == Look::average;
  const double seconds = source.look == Look::counter ? 1.0
                         : is_average                 ? source.window
                                                      : source.time_constant;
  double variance = square(joules_in_part(time));
  if (is_average) variance += square(joules_in_part(time - source.window));
  return variance / square(std::max(seconds, base_step()));
}

double EnergyCourse::Impl::joules_in_part(double time) const {
  constexpr double kOfEdge = 1.0 / 8;
  const CourseHints::TrainStep* step = step_of_train_at(time);
  const Train* train = step != nullptr ? train_of(*step) : nullptr;
  if (train == nullptr) return 0.0;
  const double part = (step->end - step->begin) / static_cast<double>(train->parts);
  const double before = mean_power(time - 1.5 * part, time - 0.5 * part);
  const double after = mean_power(time + 0.5 * part, time + 1.5 * part);
  return kOfEdge * std::abs(after - before) * part;
}

const CourseHints::TrainStep* EnergyCourse::Impl::step_of_train_at(double time) const {
  const auto after =
      std::upper_bound(hints.steps.begin(), hints.steps.end(), time,
                       [](double t, const CourseHints::TrainStep& step) { return t < step.begin; });
  if (after == hints.steps.begin() || time >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

const EnergyCourse::Impl::Train* EnergyCourse::Impl::train_of(
    const CourseHints::TrainStep& step) const {
  const auto found = std::find_if(trains.begin(), trains.end(),
                                  [&](const Train& train) { return train.name == step.train; });
  return found == trains.end() ? nullptr : &*found;
}

bool EnergyCourse::Impl::is_in_train(const CourseWindow& window) const {
  const CourseHints::TrainStep* first = step_of_train_at(window.begin);
  const CourseHints::TrainStep* end = step_of_train_at(window.end);
  if (first == nullptr || end == nullptr || first->train != end->train) return false;
  return train_of(*first) != nullptr;
}

bool EnergyCourse::Impl::is_knot_of_train(double time) const {
  return !trains.empty() && is_in_train({time - 2 * kOneKnot, time + 2 * kOneKnot});
}

void EnergyCourse::Impl::let_deviate(StepPlan& plan) const {
  const std::vector<Step>& steps = plan.steps;
  plan.swings.assign(steps.size(), Swing{});
  const CourseHints::TrainStep* inside = nullptr;
  double stretch = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double time = step_times[i] + std::max(kOneKnot, steps[i].length / 2);
    const auto* now = step_of_train_at(time);
    const Train* train = now != nullptr ? train_of(*now) : nullptr;
    if (train == nullptr) continue;
    Swing& swing = plan.swings[i];
    const double length = (now->end - now->begin) / train->stretches;
    const double of_step = std::floor((time - now->begin) / length);
    swing.renews = now != inside || of_step != stretch;
    inside = now;
    stretch = of_step;
    swing.variance =
        square(train->deviation) * (swing.renews ? 1.0 : kWithin * steps[i].length / length);
    for (const Share& share : shares_of(i)) {
      const std::size_t part = share.kind - train->first_kind;
      if (part < train->parts) swing.watts += share.of_step * train->swing_w[part];
    }
  }
}

}  // namespace truewatt::energy
