#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "truewatt/energy/former/edge_waves.hpp"
#include "truewatt/energy/former/kriging.hpp"
#include "truewatt/energy/former/power_parts.hpp"
#include "truewatt/energy/former/source_view.hpp"

namespace truewatt::energy {

/// What of a source's profile is not known well enough: an error common to all of its readings.
struct Nuisance {
  enum class Kind { age, window, lag, gap_begin, gap_length, gain, offset, count, edges };
  std::size_t source = 0;
  Kind kind = Kind::age;
  double sd = 0.0;
  Wave wave;             ///< of edges
  double mean = 0.0;     ///< before any reading
  double pivot_w = 0.0;  ///< of gain: no error at this power
};

/// What a reading's noise is made of, as variances.
struct ReadingNoise {
  double scatter = 0.0;
  double ticks = 0.0;
  double quantum = 0.0;
};

/// A size and a correlation time that the random part of the power may have.
struct RandomPart {
  double sd_w = 0.0;
  double correlation_s = 0.1;
};

/// The linear problem of one window: its readings, columns of the parts of the power and of the
/// profile's nuisances, and what of each column is energy in the window (docs/method.md, eq.
/// 14a-14c). The first view is the source that is believed: gains and offsets are over its.
class JointProblem {
 public:
  /// Seconds on the ticks' axis. `informed`: the work is what is known to have run, else it is the
  /// windows themselves.
  JointProblem(std::vector<SourceView> views, WorkTimes work, Span window, bool informed);

  /// Enough readings to solve and not too many, and some power above idle.
  bool can_be_solved() const;
  /// Learns how high the work is, which the slopes of the readings and the shapes of rises need.
  void learn_heights();
  /// The problem with this random part within the work, beside a small slow one everywhere.
  const KrigingProblem& with(const RandomPart& random);
  /// Random parts that the readings may choose from: for every correlation time, from small to
  /// large.
  std::vector<std::vector<RandomPart>> candidates() const;

  const std::vector<SourceView>& views() const { return views_; }
  const WorkTimes& work() const { return work_; }
  Span window() const { return window_; }
  /// No reading looks at what was before or after it, but for what glows.
  Span reach() const { return {from_, to_}; }
  bool informed() const { return informed_; }
  const std::vector<PowerPart>& parts() const { return parts_; }
  /// In the order of the columns after those of the parts.
  const std::vector<Nuisance>& nuisances() const { return nuisances_; }
  const std::vector<ReadingNoise>& noise() const { return noise_; }
  std::size_t readings() const { return noise_.size(); }

 private:
  /// Of the parts; empty before the first solution.
  struct Heights {
    Eigen::VectorXd value, sd;
  };
  /// What the readings of a source are predicted to be, and do when time, window or lag change.
  struct Slopes {
    Eigen::VectorXd reading, by_time, by_window, by_lag, by_gap_begin, by_gap_length;
    Eigen::VectorXd by_tick;  ///< when one tick alone is another
    Eigen::VectorXd bend;     ///< what by_time, a secant, leaves out
    Eigen::VectorXd doubt;    ///< variance of by_tick, for how high the parts are is not known
  };

  void find_reach();
  void select_readings();
  void find_scales();
  void list_nuisances(const Heights& heights);
  void build(const Heights& heights);
  Slopes fill_parts(const SourceView& view, Eigen::Index first, const Heights& heights);
  void fill_nuisances(std::size_t source, Eigen::Index first, const Slopes& slopes);
  void add_readings(std::size_t source, const Slopes& slopes);
  void learn_kinds(const Heights& heights);
  void find_astray(const KrigingSolution& found);
  void weigh_sources(const KrigingSolution& found);

  std::vector<SourceView> views_;
  WorkTimes work_;
  Span window_;
  Span load_;  ///< window and work
  bool informed_;
  std::vector<Span> busy_;  ///< the load, without known breaks that are long
  double from_ = 0.0;
  double to_ = 0.0;
  PartScales scales_;
  std::vector<PowerPart> parts_;
  std::vector<Nuisance> nuisances_;
  std::vector<ReadingNoise> noise_;
  std::vector<Edge> edges_;        ///< of the work, in order of time
  std::vector<double> predicted_;  ///< readings, by the heights found last
  KrigingProblem problem_;
};

}  // namespace truewatt::energy
