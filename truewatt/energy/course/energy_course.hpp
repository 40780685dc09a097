#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/energy/course/power_smoother.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::energy {

/// What is known beforehand of when something happened, seconds on the board's axis.
struct CourseHints {
  std::vector<double> marks;  ///< edges of work, as somebody believes: the readings may refuse them
  /// Work that is known to have run: when, and of which kind. Work of one kind draws one power,
  /// more or less, that nobody knows.
  struct Work {
    double begin = 0.0;
    double end = 0.0;
    std::size_t kind = 0;  ///< 0, 1, ...
  };
  std::vector<Work> work;  ///< in order of time
  /// From when on no other work ran: what ran before, nobody knows.
  double work_from = -std::numeric_limits<double>::infinity();
  /// A step of a train: steps that share a name, and perhaps the course of their power. Where no
  /// work is known, and the readings are more likely so.
  struct TrainStep {
    double begin = 0.0;
    double end = 0.0;
    std::size_t train = 0;  ///< 0, 1, ...
  };
  std::vector<TrainStep> steps;  ///< in order of time; none overlaps another
};

/// Seconds on the board's axis.
struct CourseWindow {
  double begin = 0.0;
  double end = 0.0;
};

/// Energy on the board's scale.
struct CourseEnergy {
  double joules = 0.0;
  std::vector<uncertainty::Term> budget;  ///< J, independent of each other
  double standard_uncertainty = 0.0;      ///< J, of all terms
  bool below_resolution = false;          ///< so short that the readings do not tell where it draws
};

/// The energy with errors that the course does not know of; of one cause they are one term.
CourseEnergy with_terms(CourseEnergy of, std::span<const uncertainty::Term> terms);

/// What the course made of one source.
struct SourceFit {
  SourceId source;
  double gain = 1.0;      ///< of the source over the scale
  double offset_w = 0.0;  ///< W
  double later_s = 0.0;   ///< it is older than was known
  double misfit = 1.0;    ///< mean square of its innovations over what was expected
  std::size_t readings = 0;
  /// How gain and offset are known, which errs together: variances, and their covariance, of a
  /// level that is `pivot_w` more or less.
  double pivot_w = 0.0;
  double gain_variance = 0.0;
  double offset_variance = 0.0;
  double covariance = 0.0;

  /// Standard uncertainty of what it shows at a power, W.
  double level_sd(double power) const;
};

/// What a course is asked for.
enum class CourseDetail {
  windows,  ///< any windows of it
  total,    ///< the energy of nearly all of it, for which one pass after the first is enough
};

/// The power of one board over a recording as one random walk of jumps seen by all of its sources,
/// smoothed once; the energy of any window is an integral of it, so that parts sum to the whole
/// (docs/method.md, "Course"). Immutable; any thread.
class EnergyCourse {
 public:
  EnergyCourse(ObservedBoard board, CourseHints hints, CourseDetail detail = CourseDetail::windows);
  ~EnergyCourse();
  EnergyCourse(EnergyCourse&&) noexcept;
  EnergyCourse& operator=(EnergyCourse&&) noexcept;

  const ObservedBoard& board() const;
  const std::vector<SourceFit>& fits() const;
  /// First and last time of which it tells.
  CourseWindow span() const;
  /// Energy of a window within span(). O(its length).
  CourseEnergy energy(const CourseWindow& window) const;
  /// Of the sum of weights[i] times the energy of windows[i].
  CourseEnergy weighted_sum(std::span<const CourseWindow> windows,
                            std::span<const double> weights) const;
  /// How often its readings were smoothed.
  int passes() const;
  /// Whether a window's energy is more than the board can draw, or less than nothing, or no
  /// source's readings are what the course makes of them: slow sensors may drive it to and fro.
  bool is_impossible(const CourseWindow& window, const CourseEnergy& energy) const;
  /// Usual time between two readings of the fastest source, s.
  double cell_length() const;
  /// The longest time between two readings within a window in span(), s: more where nobody read, or
  /// where readings are kept as sums.
  double longest_cell(const CourseWindow& window) const;
  /// Of the energy above the lowest power in a window within span(), the share that known work
  /// draws by its levels; the rest is what readings show besides. 0 where nothing is above.
  double share_of_work(const CourseWindow& window) const;
  /// Mean power between two times, W.
  double mean_power(double begin, double end) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace truewatt::energy
