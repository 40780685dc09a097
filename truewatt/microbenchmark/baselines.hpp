#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/microbenchmark/batch.hpp"
#include "truewatt/uncertainty/budget.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::microbenchmark {

/// What energies of kernels stand on, gathered from batch to batch: idle with a context, and what
/// spinning draws above it.
class Baselines {
 public:
  /// Notes the idle of a batch whose idle is known; what its points' `batch` must become.
  int add(const Batch& batch);
  /// Notes a stretch of the spinning loop.
  void add_spin(const Point& point);

  /// Of these points, those of recordings whose idle stayed idle.
  std::vector<Point> steady(const std::vector<Point>& points) const;
  /// Of all recordings, the share of these; 1 where there is none.
  double steady_share() const;
  /// Standard uncertainty, in watts, of the idle beneath all points alike.
  double idle_u_w() const;
  /// By how much the board idles higher after kernels than before them, W, where that is more than
  /// 4 % in the mean of recordings: as much is open of the idle beneath kernels. 0 elsewhere.
  double active_idle_w() const;
  /// For people; nothing where that is 0.
  std::optional<std::string> note_of_active_idle() const;
  /// Spinning above idle on that share of the multiprocessors; nothing where it was not seen.
  std::optional<uncertainty::Budget> spin_at(double share) const;
  /// The same as a baseline of the mean of these points: the idle of recordings that both are of
  /// is not beneath their difference (docs/method.md, eq. 36c).
  std::optional<uncertainty::Budget> spin_beside(double share, std::span<const Point> points) const;
  /// Whether idle between the kernels draws more than spinning does.
  bool idles_above_spinning() const;

  /// For people, on the sensor's scale.
  std::optional<Interval> idle_w() const;
  std::optional<Interval> spin_w() const;
  /// Relative half-width that gain and offset add to what is above idle.
  std::optional<double> scale() const;
  std::optional<double> clock_hz() const { return clock_hz_; }
  /// Clock of a stretch as a share of the one seen while spinning; 1 where either was not seen.
  double clock_share(const Point& point) const;
  /// Whether that is another clock than the one of spinning, which is subtracted: by over 3 %.
  bool is_of_another_clock(const Point& point) const;

 private:
  struct Spins {
    std::vector<uncertainty::Budget> above_idle_w;
    std::vector<int> batches;
  };
  uncertainty::RunMean mean_of(const Spins& spins) const;

  std::vector<uncertainty::Budget> idle_w_;
  std::vector<double> changes_w_;  ///< by batch
  std::map<double, Spins> spins_;  ///< by share
  std::optional<double> clock_hz_;
};

}  // namespace truewatt::microbenchmark
