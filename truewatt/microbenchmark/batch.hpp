#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/base/time_span.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/kernels/kernel.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/microbenchmark/pace.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::microbenchmark {

/// What a kernel runs for, in a measurement.
struct PointOf {
  std::size_t row = 0;  ///< of the plan
  unsigned copies = 0;  ///< instructions of one iteration of its loop
  std::shared_ptr<const kernels::Kernel> kernel{};
  double share = 1.0;    ///< of the multiprocessors
  double stretch = 1.0;  ///< how long, as a factor of BatchOptions::length
};

/// One kernel's stretch of a recording.
struct Point {
  PointOf of;
  uncertainty::Budget energy_j;  ///< gross
  uncertainty::Budget idle_j;    ///< what idle with a context would have drawn, by Batch::idle_w
  Seconds length{0};
  double iterations = 0.0;  ///< of all threads together
  std::optional<double> clock_hz;
  bool limited = false;  ///< a limit lowered the clock
  int batch = 0;         ///< number of its recording: one idle is beneath all of it
  std::vector<std::pair<energy::Reader, double>> readers_j{};  ///< above each one's own idle
  /// Of the seconds before, weighed by how long ago: what of its heat is left in the board.
  double recent_w = 0.0;
  /// Of the board's memory, where a source covers it and the stretch is longer than that averages.
  std::optional<double> memory_w;
  HostSpan span{};       ///< the part of the stretch that counts
  HostSpan idle_span{};  ///< the idle before its recording's kernels, which the readers have
};

struct BatchOptions {
  capture::PollOptions polling;
  energy::EstimateOptions estimate;
  Seconds length{0.7};   ///< of each kernel's stretch
  Seconds settles{0.1};  ///< from its begin until it counts (Pace)
  Seconds idle{Pace{}.idle};
  int first_run = 0;  ///< number of the batch's first window among all windows
  std::stop_token stop;
};

/// Points of one recording, which begins and ends with idle.
struct Batch {
  std::vector<Point> points;                  ///< those whose energy is known, in the order played
  std::optional<uncertainty::Budget> idle_w;  ///< without what its readings err by at random
  double idle_change_w = 0.0;  ///< from before to after: how it moves, and that error twice
  int windows = 0;
};

/// Idle, the kernels one after the other, idle: one recording, and what each kernel took of its
/// course of power, without the first part of its stretch, in which clock and power settle. The
/// kernels must have been compiled. The order is kept but where the same work would follow itself.
/// Errors are those of the load and the devices.
Result<Batch> play_batch(devices::DeviceSet& set, load::Load& load,
                         const std::vector<PointOf>& points, const BatchOptions& options);

/// How long that takes.
Seconds length_of_batch(std::size_t points, Seconds length, Seconds idle = Pace{}.idle);
Seconds length_of_batch(const std::vector<PointOf>& points, Seconds length,
                        Seconds idle = Pace{}.idle);

}  // namespace truewatt::microbenchmark
