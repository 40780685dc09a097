#pragma once

#include <Eigen/Dense>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "truewatt/energy/course/course_parts.hpp"
#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/course/jump_variance.hpp"

namespace truewatt::energy {

/// A course and how it is fitted, pass by pass. Its parts stand by what they are about:
/// course_grid.cpp (cells, knots, events), course_noise.cpp (noise and jumps),
/// course_nuisances.cpp (what all readings of a source share), course_work.cpp (known work),
/// course_trains.cpp (steps that share their shape), course_sampling.cpp (a counter's samples),
/// course_shown.cpp (what the course makes of readings), course_window.cpp (windows and budgets).
class EnergyCourse::Impl {
 public:
  Impl(ObservedBoard observed, CourseHints known, CourseDetail wanted);

  using Slots = course::Slots;
  using Place = course::Place;
  using Event = course::Event;
  using Knot = course::Knot;
  using Noise = course::Noise;
  using Nuisance = course::Nuisance;
  using Filtered = course::Filtered;
  using LookEnds = course::LookEnds;
  using Train = course::Train;
  using Share = course::Share;
  using Jump = course::Jump;
  using WeightedWindow = course::WeightedWindow;
  using Errors = course::Errors;

  // course_grid.cpp
  void lay_out();
  /// The most windows of an average that are open at a time.
  static std::size_t most_open(const ObservedSource& source);
  std::vector<double> looks_within_sum(const TimeSpan& span) const;
  void make_cells();
  bool is_summed(const TimeSpan& span) const;
  /// Evenly, and marks: those of a cell in which nothing happens are its begin and marks.
  std::uint32_t knots_of(std::size_t cell) const;
  /// Those of a cell, in order.
  void find_knots(std::size_t cell, std::vector<Knot>& knots) const;
  void make_events();

  // course_noise.cpp
  double least_scatter(const ObservedSource& source) const;
  void noise_terms();
  double floor_w() const;
  Unseen unseen() const;
  void learn_noise();
  void share_tick_noise(std::size_t source);
  /// Readings that stray from their source's model by more than they should count for less.
  void learn_strays();
  /// Where and by how much the power may jump, by the cells' means that the last pass found.
  void learn_jumps(std::vector<double> means);
  /// Holds cells' means to what a board can draw.
  void learn_bounds(const std::vector<double>& means);

  // course_nuisances.cpp
  void list_nuisances();
  /// The level of a kind of work; these stand last.
  const Nuisance& work_nuisance(std::size_t kind) const { return nuisances[first_work + kind]; }
  static uncertainty::Cause cause_of(Nuisance::Kind kind);
  double derivative(const Nuisance& nuisance, std::size_t k) const;
  /// What one unit of each nuisance adds to each of the smoother's readings.
  void fill_columns();
  /// The nuisances that explain the innovations best, with their covariance (generalized least
  /// squares; de Jong 1991).
  void learn_nuisances(bool work_alone);
  /// An age moves its source's readings, where that is another time and no more to first order.
  void set_value(Nuisance& nuisance, double value);
  /// Beside sharp edges of known work, what a short look shows does not go by its slope.
  bool moves_readings(const Nuisance& nuisance) const;
  /// Of a step no less than nothing and no more than all is missing at first.
  double possible(const Nuisance& of_decay) const;
  /// What the innovations tell of the nuisances: the normal equations of their least squares.
  void gather_information(bool work_alone);
  void correct_readings();
  /// What counters count otherwise than the integral, as the course has it.
  void correct_counters();
  /// The stretch after every tick that a counter does not look at is charged by the power at its
  /// end.
  double gap_of(std::size_t source, std::size_t reading) const;
  /// A counter that adds up means over `blur` counts a little of what comes and what was.
  double blur_of(std::size_t source, double time) const;
  /// Of blind readings: how sources differ, not when or how slowly all of them see.
  bool is_learnt(const Nuisance& one) const;
  /// Those that are not learnt keep what is known of them, and the others' estimates vary with them
  /// (consider parameters; Schmidt 1966).
  void solve_nuisances();

  void learn_how_levels_are_known();

  // course_work.cpp
  /// Parts of a step of known work that decay after it began. By how much less of one there is than
  /// was known is a nuisance; what it draws goes with the levels.
  std::size_t decays() const { return kinds > 0 ? board.rise.size() : 0; }
  /// Of the columns of work; the parts of a train's steps are levels.
  bool is_decay(std::size_t column) const { return kinds > 0 && column >= kinds; }
  /// The share of its level by which the board rises when this work begins.
  double rise_after(const CourseHints::Work* before, const CourseHints::Work& piece) const;
  /// What a column of work draws one unit of, by the value of its nuisance.
  double drawn(std::size_t column) const {
    return work_nuisance(column).value - (is_decay(column) ? shape[column] : 0.0);
  }
  void share_steps(const std::vector<Step>& steps);
  std::span<const Share> shares_of(std::size_t step) const {
    if (pieces.empty()) return {};
    return std::span(work_shares)
        .subspan(first_share[step], first_share[step + 1] - first_share[step]);
  }
  /// By step, the share of it in which known work of this kind ran.
  std::vector<double> activity_by_step(std::size_t kind) const;
  /// What known work leaves open on a knot, W^2 of jumps: drift, a little at its edges, and what a
  /// board does in the first milliseconds.
  double remainder_variance(double time, double length) const;
  /// By cell, W^2: a board wakes before the first work, in one step, and sleeps after the last, to
  /// below what it woke to. Other steps of idle are evidence that what is not known may jump.
  std::vector<double> jumps_at_rest() const;
  /// The largest jump of a source's readings, in order, if it parts them in two.
  Jump one_step(const ObservedSource& source,
                const std::vector<const ObservedReading*>& readings) const;
  /// The scale of what known work leaves open, by the readings' likelihood.
  void choose_remainder();

  // course_trains.cpp
  /// Takes steps that share a name for steps of one shape, if the readings are more likely so.
  void believe_trains();
  /// Makes `trains` kinds of work, with a column for each part of their steps.
  void add_trains();
  /// What the steps in its middle tell of a long train; nothing if they are none.
  std::optional<Train> told_by_sample(std::size_t name) const;
  /// With deviations that are free, or as they are.
  void fit_trains(bool are_free);
  /// Power by step where no step deviates. What a source's gain makes of that is told apart from
  /// what its own readings make a step deviate by.
  std::vector<double> course_repeated() const;
  /// How much power deviates, by part.
  void learn_swing();
  void choose_deviations();
  void add_strays();
  /// Readings of steps scatter as those at rest do.
  void quieten();
  /// Of the readings within a train's steps; with what its columns would add, if these are free.
  double log_likelihood_of(std::size_t name) const;
  double evidence_of(const Train& train) const;
  const CourseHints::TrainStep* step_of_train_at(double time) const;
  /// That its steps belong to, if it is believed.
  const Train* train_of(const CourseHints::TrainStep& step) const;
  bool is_in_train(const CourseWindow& window) const;
  /// Where a run of steps begins and ends, anything may.
  bool is_knot_of_train(double time) const;
  void let_deviate(StepPlan& plan) const;
  /// Of a reading at this time, since it is not known where in a part its power changes.
  double part_variance(const ObservedSource& source, double time) const;
  double joules_in_part(double time) const;

  // course_sampling.cpp
  /// By reading of a counter, J: what its samples make of known work if they stand where all of
  /// them together are off by most.
  std::vector<double> sampling_errors(std::size_t source) const;

  // course_shown.cpp
  /// Power on a step: that of the known work and what remains.
  double power_of(std::size_t step) const { return work_of(step) + smoother->power(step); }
  double work_of(std::size_t step) const { return pieces.empty() ? 0.0 : work_w[step]; }
  std::size_t step_at(double time) const;
  double energy_at(double time) const;
  /// `time` is on this step; so below.
  double energy_at(std::size_t step, double time) const;
  double mean_power(double begin, double end) const;
  std::size_t cell_at(double time) const;
  std::vector<double> cell_means() const;
  void filter_course();
  Filtered filtered_by(double time_constant) const;
  /// Integral of the power behind a filter from the first step to `time`, J.
  double integral_of(const Filtered& behind, double time) const;
  double value_of(const Filtered& behind, double time) const;
  double value_of(const Filtered& behind, std::size_t step, double time) const;
  double mean_of(const Filtered& behind, double begin, double end) const;
  static double window_of(const ObservedSource& source, const ObservedReading& reading);
  double span_of(std::size_t source, std::size_t reading) const;
  /// What a counter that looks now and then would count if it looked `later`, J.
  double looked(const Filtered& behind, const ObservedSource& source, std::size_t reading,
                double later) const;
  /// What the course makes of the smoother's reading k.
  double shown_by(std::size_t k) const;
  /// What the source sees about a time, W: a mean over what its age leaves open.
  double shown_around(const ObservedSource& source, double time) const;
  /// Once for all that asks for it: learn_noise() and columns of nuisances.
  void see_look_ends();
  /// By how much a reading would be more if it had looked later, W/s; W of a counter.
  double slope_of(std::size_t k) const;
  bool is_far_off(const ObservedSource& source, const ObservedReading& reading) const;
  double far_off_variance(std::size_t k) const;
  /// What the course makes of a reading behind another filter that looks `later` seconds later.
  double reading_behind(const Filtered& behind, std::size_t k, double later) const;
  /// By how much a reading would be more per second of the time constant, at the same age.
  double by_lag(std::size_t k) const;

  // course_window.cpp
  /// In order of time, in groups so far apart that the errors of one say nothing of another's.
  std::vector<std::vector<WeightedWindow>> clusters_of(std::span<const CourseWindow> windows,
                                                       std::span<const double> weights) const;
  Functional functional_of(const std::vector<WeightedWindow>& cluster) const;
  void add_errors(const std::vector<WeightedWindow>& cluster, Errors& errors) const;
  CourseEnergy weighted(std::span<const CourseWindow> windows,
                        std::span<const double> weights) const;
  /// J^2, where it is not known when what ran: what may lie on the other side of where the weight
  /// changes.
  double edge_variance(std::span<const CourseWindow> windows, std::span<const double> weights,
                       double unobserved) const;
  double open_at(double edge) const;
  double split_sd(double edge) const;
  double shortest_memory() const;
  bool hides_place(const CourseWindow& window, CourseEnergy& energy) const;
  /// J^2, of counts near the windows' edges that are off alike (ObservedSource::drift_sd).
  double drift_variance(std::span<const CourseWindow> windows,
                        std::span<const double> weights) const;
  /// J^2, of the source whose steps are finest: its readings in a row that show the same are
  /// rounded alike.
  double quantum_variance(std::span<const CourseWindow> windows,
                          std::span<const double> weights) const;

  // energy_course.cpp
  /// Fits the course to the readings, from nothing.
  void fit_all();
  void smooth();
  /// A bit each: integrals of counters that look now and then.
  std::uint64_t integrals_that_rest() const;
  /// What windows are off by where nuisances are.
  void learn_responses();
  /// Frees what no window asks for.
  void forget_fit();
  void index_steps();
  double first_power() const;
  void sum_up();

  static double square(double x) { return x * x; }
  /// Time between knots, s.
  double base_step() const {
    return std::max(kShortestStep, period / (kinds > 0 ? kKnotsOfWork : kKnots));
  }

  /// Passes after the first; with known work, whose levels come first, more, and strays are told
  /// from the rest after so many.
  static constexpr int kPasses = 4;
  static constexpr int kPassesOfWork = 6;
  static constexpr int kFirstStrays = 3;
  static constexpr int kSettledPasses = 2;
  /// Of a cell, beside marks: twice as many say the same of windows cut anywhere, but more of what
  /// known work leaves open.
  static constexpr double kKnots = 8.0;
  static constexpr double kKnotsOfWork = 20.0;
  static constexpr double kShortestStep = 2.5e-3;  // s
  /// A row "the mean of this cell is the lowest power" (or the limit) is as good as this, of what
  /// the board can draw.
  static constexpr double kBound = 0.005;
  /// Time constants until a filter has forgotten.
  static constexpr double kForgotten = 5.0;

  /// So many cells with all their knots would take more memory than all that follows.
  static constexpr std::size_t kManyCells = 1000000;
  static constexpr std::uint32_t kBoundSource = static_cast<std::uint32_t>(-1);
  /// The share of a cell's jumps that lies on the marks in it, and what the power wanders by.
  static constexpr double kMarkShare = 0.8;
  static constexpr double kWander = 4.0;  // W^2/s
  /// Of the range, what the power may jump by in a cell before anything is known of it.
  static constexpr double kJumpsAtFirst = 0.4;
  /// A filter that is faster shows the power itself.
  static constexpr double kShortestLag = 1e-4;  // s
  /// Mean squares of the innovations of every source, 1 where all is as it should; and of all
  /// readings together, where nobody knows what ran.
  static constexpr double kNothingFits = 10.0;
  static constexpr double kHardlyFits = 3.0;

  CourseDetail detail;
  int passes = kPasses;    ///< after the first
  int smoothed = 0;        ///< how often
  bool is_coarse = false;  ///< a first pass over many cells, each with one knot
  bool nothing_fits = false;
  double misfit_of_all = 0.0;  ///< mean square of all innovations, 1 as it should be
  ObservedBoard board;
  StateLayout layout;
  std::vector<Slots> slots;
  std::size_t bound_slot = 0;  ///< the last integral
  double period = 0.1;
  double range = 0.0;
  double last = 0.0;
  std::vector<Cell> cells;
  std::vector<Event> events;
  std::vector<double> bound;  ///< by cell: W; 0: none
  std::vector<double> cell_variance;
  std::vector<double> at_rest;     ///< by cell, beside known work: W^2 of jumps of what idles
  std::vector<double> amplitudes;  ///< by cell: what jumps there may be as high as, W
  std::vector<double> across;      ///< by cell: squared difference of its neighbours, W^2
  std::vector<std::vector<Noise>> noise;
  std::vector<double> strays;  ///< by source: so much more do its readings vary than they should
  std::vector<SourceFit> fits;
  std::vector<Nuisance> nuisances;
  std::vector<double> columns;   ///< by the smoother's reading: what one unit of each adds to it
  std::vector<float> responses;  ///< by step: what one unit of each adds to the power
  std::size_t first_work = 0;    ///< of them
  Eigen::MatrixXd nuisance_covariance;
  Eigen::MatrixXd information;      ///< of the nuisances, with what was known of them before
  Eigen::VectorXd weighted_score;   ///< their innovations' score
  Eigen::VectorXd nuisance_change;  ///< of the last solution
  std::size_t fastest_source = 0;
  std::vector<std::vector<double>> correction;  ///< by source and reading: what nuisances add
  std::vector<std::vector<double>> beside;  ///< of these, J: what a counter of means counts beside
  std::unique_ptr<PowerSmoother> smoother;
  std::vector<Place> places;     ///< of the smoother's readings
  std::vector<LookEnds> ends;    ///< of these, where one looks for longer than a moment
  std::vector<double> repeated;  ///< by these: what they would show if no step deviated
  std::vector<double> step_times;
  double index_period = 0.0;             ///< s
  std::vector<std::size_t> first_steps;  ///< by index period since the first: the first one in it
  std::vector<double> work_w;            ///< by step
  std::vector<Share> work_shares;        ///< of work in steps, in order of these
  std::vector<std::size_t> first_share;
  std::vector<std::shared_ptr<const Filtered>> filtered;  ///< by source: the course behind its
  std::vector<std::shared_ptr<const Filtered>>
      slower;  ///< filter, and behind the slowest it may be
  std::vector<double> energy_until;
  CourseHints hints;
  std::vector<CourseHints::Work> pieces;  ///< known work, or parts of steps, in order of time
  std::vector<Train> trains;
  std::size_t kinds = 0;  ///< of known work
  /// By column of work: what shapes of work go by. They stand still in the last passes, so that
  /// what is taken off the readings is what the course holds.
  std::vector<double> shape;
  double remainder_scale = 1.0;  ///< of what known work leaves open
};

}  // namespace truewatt::energy
