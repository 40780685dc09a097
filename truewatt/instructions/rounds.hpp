#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/instructions/instructions.hpp"
#include "truewatt/instructions/observations.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/microbenchmark/pace.hpp"

namespace truewatt::instructions {

/// Plays rows in rounds: each round runs loops of some rows once, in random order, in recordings
/// that begin and end with idle, beside the spinning loop and the empty ones. One thread.
class Rounds {
 public:
  /// `began`: when the budget's time began. All that is passed must outlive it.
  Rounds(devices::DeviceSet& set, load::Load& load, const Options& options, HostTime began)
      : set_(set), load_(load), options_(options), began_(began), chance_(options.seed) {}

  /// Compiles all loops, and chooses how long a stretch the budget leaves time for. Errors: those
  /// of the spinning and of the empty loop; a row that does not compile says so itself.
  Result<void> prepare(const std::vector<RowKey>& keys);
  /// The rows that have loops.
  std::vector<std::size_t> runnable() const;
  /// The loops of these rows that are next, while time is left. Errors: those of load and devices.
  Result<void> play(const std::vector<std::size_t>& rows);
  /// Those above the power limit start again on fewer multiprocessors, and those that are not known
  /// well enough go on: rows without a number and those at O3; where these leave room in a
  /// recording, those at O0 of which least was seen. None where no time is left. Needs judged rows.
  std::vector<std::size_t> rows_to_repeat();

  Observations& seen() { return seen_; }
  int compute_capability() const { return compute_capability_; }
  /// What is missing because the time is too short for what the sensors or the board need.
  std::vector<std::string> notes() const;
  bool stopped() const { return options_.stop.stop_requested(); }
  Seconds spent() const { return Seconds(set_.clock->now() - began_); }
  /// Windows estimated until now.
  int windows() const { return windows_; }

 private:
  Seconds left() const { return options_.budget - spent(); }
  Result<void> make_empty(kernels::Optimization optimization);
  void choose_length();
  /// Of so many points, those of one recording.
  std::size_t size_of_batches(std::size_t points) const;
  /// Whether it has fewer counts than a number needs: it begins anew, or recordings were left out.
  bool lacks_counts(std::size_t row) const;
  /// Of so many counts of a row, those that it does not have.
  std::vector<unsigned> lacking(std::size_t row, std::size_t counts) const;
  /// How long these rows take that lack counts, at no more than this many counts each.
  Seconds takes(const std::vector<std::size_t>& rows, std::size_t counts) const;
  /// Rows that lack counts get fewer where the time is too short for all; where it is too short for
  /// the fewest, those at the end have no turn.
  std::vector<std::size_t> that_fit(std::vector<std::size_t> rows);
  Result<void> play_recording(std::vector<microbenchmark::PointOf> points);
  void keep(Point point);
  /// Whether it ran at a lowered clock, and may on fewer multiprocessors not.
  bool wants_fewer(const MeasuredRow& row) const;
  /// The share of the multiprocessors to try next.
  double fewer_for(const MeasuredRow& row) const;
  /// The lowest clock of its stretches, as a share of the spinning loop's.
  double clock_share(const MeasuredRow& row) const;
  bool wants_more(const MeasuredRow& row) const;
  /// Chooses the loops of its next round; how many.
  std::size_t plan_more(MeasuredRow& row);
  /// Whether a row that it is the partner of is wide because of it.
  bool widens_another(const MeasuredRow& row) const;

  devices::DeviceSet& set_;
  load::Load& load_;
  const Options& options_;
  HostTime began_;
  std::mt19937_64 chance_;
  Observations seen_;
  std::shared_ptr<const kernels::Kernel> spin_;
  std::map<std::size_t, std::shared_ptr<const kernels::Kernel>> empties_;
  int compute_capability_ = 0;
  microbenchmark::Pace pace_;
  Seconds length_{0};  ///< of a stretch
  int windows_ = 0;
  int round_ = 0;
  Seconds reaches_all_{0};  ///< the budget in which every row has a turn
};

}  // namespace truewatt::instructions
