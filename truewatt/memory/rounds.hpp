#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "truewatt/devices/device_set.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/memory.hpp"
#include "truewatt/memory/observations.hpp"
#include "truewatt/microbenchmark/pace.hpp"

namespace truewatt::memory {

/// The usual stretch is no longer for chains and products, which are many.
inline constexpr Seconds kBriefStretch{0.6};
/// Of the time, what stretches can fill: a recording ends a little later than they do.
inline constexpr double kAllOfTime = 0.95;

/// Plays loops in batches, each with the spinning loop, in random order, into observations. One
/// thread.
class Rounds {
 public:
  Rounds(devices::DeviceSet& set, load::Load& load, const Options& options, HostTime began,
         Observations& seen)
      : set_(set),
        load_(load),
        options_(options),
        began_(began),
        seen_(seen),
        chance_(options.seed) {}

  /// Compiles the spinning loop; what it was compiled for. Errors: those of the load.
  Result<int> prepare();
  /// Longer stretches where there is time: for the plan's loops until then.
  void choose_length(Seconds until);
  /// A brief stretch, or what the sensors need.
  Seconds brief() const { return std::max(kBriefStretch, shortest_); }
  /// Brief stretches from now on, and what a slow board takes to rise.
  void shorten() { length_ = std::min(length_, brief() + later_); }
  Seconds length() const { return length_; }
  /// What these points take, of stretches of `length`, with idle and spinning between them.
  Seconds length_of(const std::vector<microbenchmark::PointOf>& points, Seconds length) const;
  /// The time in which every loop of the plan has a turn.
  Seconds least_length() const;
  /// What these points take, of stretches as they are now.
  Seconds takes(const std::vector<microbenchmark::PointOf>& points) const {
    return length_of(points, length_ - later_);
  }
  /// These loops of the plan, each on the shares of the multiprocessors that are next.
  std::vector<microbenchmark::PointOf> points_of(const std::vector<std::size_t>& loops) const;
  Seconds spent() const { return Seconds(set_.clock->now() - began_); }

  /// Every loop of `loops`, on all and on half of the multiprocessors. False: the time is over.
  Result<bool> play_loops(const std::vector<std::size_t>& loops, Seconds until,
                          const std::string& what);
  Result<bool> play(std::vector<microbenchmark::PointOf> points, Seconds until,
                    const std::string& what);
  /// Recordings whose readings gave no idle.
  int lost() const { return lost_; }

 private:
  void keep(microbenchmark::Point point);

  devices::DeviceSet& set_;
  load::Load& load_;
  const Options& options_;
  HostTime began_;
  Observations& seen_;
  std::mt19937_64 chance_;
  std::shared_ptr<const kernels::Kernel> spin_;
  Seconds shortest_{0};  ///< stretch, but for `later_`
  Seconds idle_{microbenchmark::Pace{}.idle};
  Seconds later_{0};  ///< by which a board that is known to rise slowly settles later than others
  Seconds length_{0.3};
  int windows_ = 0;
  int lost_ = 0;
};

}  // namespace truewatt::memory
