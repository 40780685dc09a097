#include "truewatt/energy/former/kriging.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "truewatt/energy/former/kriging_tape.hpp"
#include "truewatt/energy/former/least_squares.hpp"

namespace truewatt::energy {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Seen = SeenState;

enum class EventKind {
  fluctuation_begins,
  window_begins,
  window_ends,
  look,
  fluctuation_ends,
  view
};

/// Something that happens to the state at one time.
struct Event {
  double time = 0.0;
  EventKind kind = EventKind::look;
  std::size_t index = 0;  ///< of the fluctuation, the reading or the view
  std::size_t look = 0;   ///< of the reading's looks
};

std::vector<Event> events_of(const KrigingProblem& problem, std::span<const double> views) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < views.size(); ++i) events.push_back({views[i], EventKind::view, i});
  for (std::size_t i = 0; i < problem.fluctuations.size(); ++i) {
    for (const Span& span : problem.fluctuations[i].alive) {
      events.push_back({span.begin, EventKind::fluctuation_begins, i});
      events.push_back({span.end, EventKind::fluctuation_ends, i});
    }
  }
  events.push_back({problem.begin, EventKind::window_begins});
  events.push_back({problem.end, EventKind::window_ends});
  for (std::size_t k = 0; k < problem.readings.size(); ++k) {
    const auto& looks = problem.readings[k].looks;
    for (std::size_t j = 0; j < looks.size(); ++j) {
      events.push_back({looks[j].time, EventKind::look, k, j});
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.kind < b.kind;
  });
  return events;
}

/// Where partly seen readings keep what they have seen: a slot from the first look to the last, or
/// one for good of a source that adds up.
class Slots {
 public:
  Slots(const KrigingProblem& problem, const std::vector<Event>& events)
      : of_reading_(problem.readings.size()), of_source_(problem.sources.size()) {
    std::vector<Index> free;
    const auto take = [&] {
      if (free.empty()) return count_++;
      const Index slot = free.back();
      free.pop_back();
      return slot;
    };
    for (std::size_t s = 0; s < problem.sources.size(); ++s) {
      if (problem.sources[s].adds_up) of_source_[s] = take();
    }
    for (const Event& event : events) {
      if (event.kind != EventKind::look) continue;
      const ObservedReading& reading = problem.readings[event.index];
      if (of_source_[reading.source]) {
        of_reading_[event.index] = of_source_[reading.source];
        continue;
      }
      if (reading.looks.size() == 1) continue;
      if (event.look == 0) of_reading_[event.index] = take();
      if (event.look + 1 == reading.looks.size()) free.push_back(*of_reading_[event.index]);
    }
  }

  Index count() const { return count_; }
  /// Absent: the reading is one look and needs none.
  std::optional<Index> of(std::size_t reading) const { return of_reading_[reading]; }

 private:
  std::vector<std::optional<Index>> of_reading_;
  std::vector<std::optional<Index>> of_source_;
  Index count_ = 0;
};

/// The random part (dynamic part, window's two copies of J, slots), filtered from the readings and
/// from every column of coefficients as if it were readings: the estimate is linear in them, so
/// that with coefficients b it is that of the readings less b times those of the columns.
class Filter {
 public:
  Filter(const KrigingProblem& problem, bool record, std::span<const double> views = {})
      : problem_(problem),
        events_(events_of(problem, views)),
        slots_(problem, events_),
        lags_(distinct_lags(problem)),
        dynamics_(problem.fluctuations, lags_),
        record_(record),
        dynamic_(dynamics_.size()),
        copies_(dynamic_),
        first_slot_(copies_ + 2),
        size_(first_slot_ + slots_.count()),
        data_(problem.prior.size()),
        means_(Matrix::Zero(data_ + 1, size_)),
        covariance_(Matrix::Zero(size_, size_)),
        coefficients_(problem.prior, problem.prior_sd),
        tape_(dynamic_, dynamics_.integral(), first_slot_) {}

  const KrigingTape& tape() const { return tape_; }

  KrigingSolution run() {
    KrigingSolution solution;
    solution.innovations.resize(problem_.readings.size());
    double now = events_.front().time;
    for (const Event& event : events_) {
      if (event.time > now) step(now, event.time - now);
      now = event.time;
      switch (event.kind) {
        case EventKind::fluctuation_begins:
          begin(static_cast<Index>(event.index));
          break;
        case EventKind::fluctuation_ends:
          end(static_cast<Index>(event.index));
          break;
        case EventKind::window_begins:
          copy(copies_);
          break;
        case EventKind::window_ends:
          copy(copies_ + 1);
          break;
        case EventKind::look:
          look(event, solution);
          break;
        case EventKind::view:
          view(event.index);
          break;
      }
    }
    finish(solution);
    return solution;
  }

 private:
  static std::vector<double> distinct_lags(const KrigingProblem& problem) {
    std::vector<double> lags;
    for (const ObservedSource& source : problem.sources) {
      if (source.time_constant_s > 0) lags.push_back(source.time_constant_s);
    }
    std::sort(lags.begin(), lags.end());
    lags.erase(std::unique(lags.begin(), lags.end()), lags.end());
    return lags;
  }

  /// Steps the columns of the dynamic part. Nothing depends on J or a lag but itself.
  void advance(Matrix& columns, const FluctuationDynamics::Matrix& transition) const {
    const Index fluctuations = dynamics_.integral();
    for (Index to = fluctuations; to < dynamic_; ++to) {
      columns.col(to) *= transition(to, to);
      for (Index i = 0; i < fluctuations; ++i)
        columns.col(to) += transition(to, i) * columns.col(i);
    }
    for (Index i = 0; i < fluctuations; ++i) columns.col(i) *= transition(i, i);
  }

  /// Adds the columns of the dynamic part, each as often as it is seen.
  void add_seen(Vector& sum, const Matrix& columns, const Seen& seen) const {
    for (Index i = 0; i < dynamic_; ++i) {
      if (seen(i) != 0.0) sum += seen(i) * columns.col(i);
    }
  }

  void step(double t, double dt) {
    const FluctuationDynamics::Matrix transition = dynamics_.transition(dt);
    const FluctuationDynamics::Matrix noise = dynamics_.noise(t, dt);
    advance(means_, transition);
    advance(covariance_, transition);
    covariance_.transposeInPlace();
    advance(covariance_, transition);
    covariance_.topLeftCorner(dynamic_, dynamic_) += noise;
    if (!record_) return;
    tape_.push({.kind = Operation::Kind::step, .transition = transition, .noise = noise});
  }

  void begin(Index i) {
    const double sd = problem_.fluctuations[static_cast<std::size_t>(i)].sd_w;
    covariance_(i, i) += sd * sd;
    if (record_) {
      tape_.push({.kind = Operation::Kind::begin, .row = i, .variance = sd * sd});
    }
  }

  void end(Index i) {
    clear(i);
    if (record_) tape_.push({.kind = Operation::Kind::end, .row = i});
  }

  void clear(Index row) {
    means_.col(row).setZero();
    covariance_.row(row).setZero();
    covariance_.col(row).setZero();
  }

  void copy(Index to) {
    const Index j = dynamics_.integral();
    means_.col(to) = means_.col(j);
    covariance_.row(to) = covariance_.row(j);
    covariance_.col(to) = covariance_.col(j);
    covariance_(to, to) = covariance_(j, j);
    if (record_) tape_.push({.kind = Operation::Kind::copy, .row = to});
  }

  /// What a look sees of the dynamic part.
  Seen seen_by(const Look& look, std::size_t source) const {
    Seen seen = Seen::Zero(dynamic_);
    const double lag = problem_.sources[source].time_constant_s;
    const Index j = dynamics_.integral();
    if (lag > 0) {
      const auto found = std::lower_bound(lags_.begin(), lags_.end(), lag);
      seen(j + 1 + (found - lags_.begin())) = look.value - lag * look.integral;
    } else {
      seen.head(j).setConstant(look.value);
    }
    seen(j) = look.integral;
    return seen;
  }

  void look(const Event& event, KrigingSolution& solution) {
    const ObservedReading& reading = problem_.readings[event.index];
    const bool last = event.look + 1 == reading.looks.size();
    const Seen seen = seen_by(reading.looks[event.look], reading.source);
    const auto slot = slots_.of(event.index);
    const bool adds_up = problem_.sources[reading.source].adds_up;
    if (slot && (adds_up || !last)) {
      const bool fresh = !adds_up && event.look == 0;
      add(first_slot_ + *slot, seen, fresh);
    }
    if (!last) return;
    update(event.index, adds_up ? Seen(Seen::Zero(dynamic_)) : seen, slot);
    solution.innovations[event.index] = coefficients_.learn(innovation_, likelihood_);
  }

  void add(Index row, const Seen& seen, bool fresh) {
    if (fresh) {
      clear(row);
      if (record_) tape_.push({.kind = Operation::Kind::clear, .row = row});
    }
    for (Index i = 0; i < dynamic_; ++i) {
      if (seen(i) != 0.0) means_.col(row) += seen(i) * means_.col(i);
    }
    joint_.setZero(size_);
    add_seen(joint_, covariance_, seen);
    covariance_.col(row) += joint_;
    covariance_.row(row) = covariance_.col(row).transpose();
    covariance_(row, row) += seen.dot(covariance_.col(row).head(dynamic_));
    if (record_) tape_.push({.kind = Operation::Kind::add, .row = row, .look = seen});
  }

  void update(std::size_t k, const Seen& seen, std::optional<Index> slot) {
    const ObservedReading& reading = problem_.readings[k];
    expected_.setZero(data_ + 1);
    add_seen(expected_, means_, seen);
    joint_.setZero(size_);
    add_seen(joint_, covariance_, seen);
    if (slot) {
      expected_ += means_.col(first_slot_ + *slot);
      joint_ += covariance_.col(first_slot_ + *slot);
    }
    double variance = reading.variance + seen.dot(joint_.head(dynamic_));
    if (slot) variance += joint_(first_slot_ + *slot);
    innovation_.variance = std::max(variance, reading.variance);
    innovation_.columns = problem_.columns.row(static_cast<Index>(k)).transpose();
    innovation_.columns -= expected_.head(data_);
    innovation_.value = reading.value - expected_(data_);
    for (Index i = 0; i < size_; ++i) {
      const double gain = joint_(i) / innovation_.variance;
      if (gain == 0.0) continue;
      means_.col(i).head(data_) += gain * innovation_.columns;
      means_(data_, i) += gain * innovation_.value;
      covariance_.col(i) -= gain * joint_;
    }
    if (!record_) return;
    Vector beyond(data_ + 1);
    beyond << innovation_.columns, innovation_.value;
    tape_.push({.kind = Operation::Kind::update,
                .variance = reading.variance,
                .look = seen,
                .slot = slot,
                .reading = k,
                .gain = joint_ / innovation_.variance,
                .innovations = beyond / innovation_.variance,
                .precision = 1 / innovation_.variance});
  }

  /// Keeps what a later pass backward needs of the sum of the fluctuations here.
  void view(std::size_t index) {
    const Index fluctuations = dynamics_.integral();
    const Vector joint = covariance_.leftCols(fluctuations).rowwise().sum();
    tape_.push({.kind = Operation::Kind::view,
                .variance = joint.head(fluctuations).sum(),
                .reading = index,
                .gain = joint,
                .innovations = means_.leftCols(fluctuations).rowwise().sum()});
  }

  void finish(KrigingSolution& solution) const {
    Vector window = Vector::Zero(size_);
    window(copies_) = -1.0;
    window(copies_ + 1) = 1.0;
    // What a coefficient explains is taken from the random part.
    const Vector energy = problem_.energy - means_.topRows(data_) * window;
    solution.coefficients = coefficients_.mean();
    solution.covariance = coefficients_.covariance();
    solution.energy_j = means_.row(data_).dot(window) + energy.dot(solution.coefficients);
    const Vector by_coefficient = solution.covariance * energy;
    solution.variance =
        std::max(0.0, window.dot(covariance_ * window) + energy.dot(by_coefficient));
    solution.log_likelihood = likelihood_.logarithm;
    solution.chi_squared = likelihood_.squares;
    if (record_) decompose(tape_, problem_, window, by_coefficient, solution);
  }

  const KrigingProblem& problem_;
  std::vector<Event> events_;
  Slots slots_;
  std::vector<double> lags_;
  FluctuationDynamics dynamics_;
  bool record_;
  Index dynamic_;
  Index copies_;
  Index first_slot_;
  Index size_;
  Index data_;         // number of coefficients; the readings' row of means_
  Matrix means_;       // (coefficients and readings) x state
  Matrix covariance_;  // of the state
  // Of the look at hand:
  Vector expected_;        // by coefficients and readings
  Vector joint_;           // covariance with the state
  Innovation innovation_;  // of the reading
  LeastSquares coefficients_;
  Likelihood likelihood_;
  KrigingTape tape_;
};

}  // namespace

KrigingSolution solve(const KrigingProblem& problem, bool decompose) {
  assert(problem.columns.rows() == static_cast<Index>(problem.readings.size()));
  return Filter(problem, decompose).run();
}

KrigingProfile smooth(const KrigingProblem& problem, std::span<const double> times) {
  Filter filter(problem, true, times);
  KrigingProfile profile;
  profile.solution = filter.run();
  profile.at = smoothed(filter.tape(), times.size(), problem.prior.size());
  return profile;
}

}  // namespace truewatt::energy
