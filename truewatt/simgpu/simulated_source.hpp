#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "truewatt/model/device_description.hpp"
#include "truewatt/model/power_signal.hpp"
#include "truewatt/simgpu/power_noise.hpp"

namespace truewatt::simgpu {

/// A board's power behind one lag, fluctuation included: what the observation model averages.
struct ObservedPower {
  LaggedSignal signal;
  LaggedNoise noise;
  double value(double t) const { return signal.value(t) + noise.value(t); }
  double integral(double t) const { return signal.integral(t) + noise.integral(t); }
  double double_integral(double t) const {
    return signal.double_integral(t) + noise.double_integral(t);
  }
};

/// One sensor of a simulated GPU: what it has published at any time, by its observation model. The
/// answer for a tick does not depend on who asked before. Times are seconds since the GPU's start.
class SimulatedSource {
 public:
  struct Published {
    std::int64_t tick = 0;
    double value = 0.0;  ///< watts or joules, noise and quantum included
  };

  /// `signal` and `noise` must outlive the source; `stream` tells sources of one seed apart.
  SimulatedSource(const SensorDescription& sensor, const PowerSignal& signal,
                  const PowerNoise& noise, std::uint64_t seed, std::uint64_t stream);

  const SensorDescription& description() const { return sensor_; }
  /// Call after the power's schedule has changed.
  void signal_changed() { power_.signal.rebuild(); }
  /// Energy counters start again from zero at this time.
  void reset_counter_at(double time) { reset_at_ = time; }

  /// Number of the newest tick at or before t, and its time with jitter.
  std::int64_t tick_at(double t) const;
  double tick_time(std::int64_t tick) const;
  /// The stamp of an entry of the sample ring: the regular tick plus the stamp's jitter.
  double stamp_time(std::int64_t tick) const;

  /// What the source shows at time t.
  Published published(double t);
  /// The value of a tick (any order for power sources, not backwards for counters).
  double value_of(std::int64_t tick);

 private:
  double power_value(std::int64_t tick) const;
  /// The noise-free reading; with an inner period the mean of the samples that it is made of.
  double observed(const ObservationModel& model, std::int64_t tick) const;
  double noise_of(std::int64_t tick) const;
  std::int64_t samples() const;
  /// A source with activity steps observes activity in [0, 1]: gain is W at full, offset W at none.
  double computed_value(std::int64_t tick) const;
  double counter_value(std::int64_t tick);
  double counted(double until);
  double inner_reading(double first, std::int64_t tick) const;
  double jitter(std::int64_t tick) const;
  double quantized(double value) const;

  SensorDescription sensor_;
  ObservedPower power_;
  std::uint64_t seed_;
  std::uint64_t stream_;
  double phase_;
  double counter_base_ = 0.0;
  double reset_at_ = std::numeric_limits<double>::infinity();
  std::optional<double> base_at_reset_;
  std::int64_t inner_tick_ = 0;  // next inner observation to add
  double inner_sum_ = 0.0;
  std::optional<Published> newest_;
  double newest_from_ = 0.0;   // shown from here ...
  double newest_until_ = 0.0;  // ... to here
};

}  // namespace truewatt::simgpu
