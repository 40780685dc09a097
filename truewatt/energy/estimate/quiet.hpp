#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/results/baseline.hpp"

namespace truewatt::energy {

/// The idle of a window.
struct Baseline {
  BaselineKind kind = BaselineKind::before;
  CourseWindow stretch;
  /// Behind the window and at the same level but for drift.
  std::optional<CourseWindow> behind{};
};

/// Where a board is idle, told once for all windows: stretches of half a second or more in which
/// the power stays where it is, as low as the lowest of them or hardly above it; where it is known
/// what ran, those in which nothing did.
class IdleStretches {
 public:
  explicit IdleStretches(const EnergyCourse& course, const CourseHints& known = {});

  /// The idle that net energy of a window counts from, as wanted: the last stretch before it, the
  /// seconds next to it, or the lowest one of all. Nothing where there is none.
  std::optional<Baseline> baseline_of(const CourseWindow& window,
                                      std::optional<BaselineKind> wanted) const;
  /// The levels that stretches are at, W, so far apart that each is another, and that of the last
  /// quiet seconds before a window where they may be idle or light work.
  std::vector<double> levels_about(const CourseWindow& window) const;
  /// Whether two powers are one level.
  bool are_alike(double a, double b) const;

 private:
  std::optional<CourseWindow> before(const CourseWindow& window) const;
  /// The first near stretch behind the window, the seconds next to it.
  std::optional<CourseWindow> behind(const CourseWindow& window) const;
  /// Quiet without what the readings leave open at its ends; nothing where it is too short.
  std::optional<CourseWindow> inside(const CourseWindow& quiet) const;

  double within_ = 0.0;                  ///< W
  double apart_ = 0.0;                   ///< s, readings
  double longest_ = 0.0;                 ///< s, of a baseline beside its window
  std::vector<CourseWindow> stretches_;  ///< in order of time
  std::vector<double> powers_;           ///< of these
  std::vector<std::size_t> by_power_;    ///< their numbers, the lowest first
  std::vector<CourseWindow> perhaps_;    ///< quiet that is idle or light work, in order of time
  std::vector<double> perhaps_w_;        ///< power of these
};

}  // namespace truewatt::energy
