#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/trace/trace.hpp"

// Loads that keep in step with the sources (docs/method.md, section 6).
namespace truewatt::energy {

/// A source that turns less of a load in step with it into an error looks all the time.
inline constexpr double kComplete = 0.02;

/// How far apart the samples may be that a counter adds up which nobody characterized, s; 0 of any
/// other source. Pure.
double may_sample_every(const ObservedSource& source);

/// The largest share of a load's component at a multiple of the update frequency that a source
/// turns into a constant error (docs/method.md, eq. 14f); of a counter that
/// leaves nothing out, of the samples that it may add up.
double alias_gain(const ObservedSource& source);

/// What a load in step with the sources may hide at most, as a share of the energy, of a window
/// whose mean power is seen to be `mean_w`. A prior or the recording's own model excludes nothing;
/// a counter excludes a load in step with the samples that it may add up where its counts follow no
/// rhythm.
double hidden_share(const ObservedBoard& board, const CourseWindow& window, double mean_w);

/// J in a window by which sources that see all of a load are taken to differ from a scale that
/// looks part of the time, by gains and offsets that nobody measured: work in step with its looks
/// would make them differ alike. The largest; 0 where there is none.
double explained_by_gains(const EnergyCourse& course, const CourseWindow& window, double joules);

/// Least and most mean power, W, of a load that repeats with the readings of every source, if the
/// sources show `shown_w`: bang-bang power at the phases that a source weighs most or least
/// (docs/method.md, eq. 14h), between the lowest that was read, where that may be idle, and twice
/// the board's limit, on average the limit at most; if that is not known, there is no most. Of a
/// source whose looks nobody characterized any phase may weigh nothing, nor does a counter bound
/// anything that is itself in doubt. Pure.
EnergyBounds power_in_step(const ObservedBoard& board, const Uncertain& shown_w,
                           bool is_counter_in_doubt);

/// What one recording's known work and its driver's ring say of loads in step with the sources.
/// Recording and hints must outlive it. Pure.
class LockDoubt {
 public:
  /// `ring`: as it is observed, whatever is estimated from; absent without one.
  LockDoubt(const Recording& recording, const CourseHints& hints,
            std::optional<ObservedSource> ring);

  /// Removes a counter that adds up samples of what the ring samples where known work may be in
  /// step with these: it is as wrong about it, every time. What the ring makes of such work its
  /// stamps show.
  void leave_out_counter_in_step(ObservedBoard& board) const;

  /// What a load that is seen to be in step with the ring hides from it, and from a counter that
  /// may be made of what it samples, J. `asked` is the window in seconds.
  double hidden_in_ring(const ObservedBoard& board, const CourseWindow& asked,
                        const Window& window) const;

  /// What ran in a rhythm within 10 ms may be in step with the samples that a counter may add up,
  /// or in one of up to ten of these that repeats with them.
  bool is_in_step_with_counter(const ObservedBoard& board, const Window& window) const;

  /// It is known when what ran, and that shows what the sources saw of it.
  bool is_informed(const ObservedBoard& board, const Window& window) const;

  /// What ran draws a part of what the course has above idle, or is in step with no source:
  /// readings at wrong times show power in step with work where the work is not. `asked` is the
  /// window in seconds.
  bool is_explained(const EnergyCourse& course, const CourseWindow& asked,
                    const Window& window) const;

 private:
  bool may_be_in_step_with_ring() const;
  bool follows_work(const ObservedSource& source) const;
  bool looks_into_work(const ObservedSource& source) const;
  bool sees_all_phases(const ObservedSource& source, const Window& window) const;

  const Recording& recording_;
  const CourseHints& hints_;
  std::optional<ObservedSource> ring_;
  std::vector<ticks::Tick> ring_ticks_;  ///< of its readings, in order of time
};

}  // namespace truewatt::energy
