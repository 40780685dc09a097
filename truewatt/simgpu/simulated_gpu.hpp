#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/model/device_description.hpp"
#include "truewatt/simgpu/board.hpp"
#include "truewatt/simgpu/memory_system.hpp"
#include "truewatt/simgpu/simulated_source.hpp"

namespace truewatt::simgpu {

/// A simulated GPU: the true power of a board, observed through the observation model of each of
/// its sources, as a client of the driver sees it. It has no clock: every call says when it is
/// made, in seconds since the device was started; calls come in order of time. Deterministic under
/// its seed. Calls may come from several threads (one polls, another asks for the truth).
class SimulatedGpu {
 public:
  SimulatedGpu(DeviceDescription description, std::uint64_t seed);

  const DeviceDescription& description() const { return description_; }

  /// Plays a load. It must begin after everything played and asked before.
  void play(Play play);
  /// Plays a load of the superchip's CPU, likewise; it makes no context on the GPU.
  void play_cpu(Play play);

  /// A value and how long the call takes that fetched it.
  struct Answer {
    double value = 0.0;
    double cost_s = 0.0;
  };
  /// A call for `source` that begins at `t`. Fails as the description's faults say.
  Result<Answer> read(SourceId source, double t);

  struct RingEntry {
    double stamp = 0.0;  ///< seconds since start
    double value = 0.0;  ///< watts
  };
  struct Ring {
    std::vector<RingEntry> entries;  ///< oldest first
    double cost_s = 0.0;
  };
  /// The entries of the sample ring at `t` whose stamps are later than `since`.
  Result<Ring> samples(double since, double t);

  struct State {
    double utilization_percent = 0.0;
    double temperature_c = 0.0;
    double sm_clock_mhz = 0.0;
    std::uint64_t memory_used_bytes = 0;
    std::uint64_t clocks_event_reasons = 0;  ///< NVML's bits: idle 0x1, power cap 0x4
    bool context = false;
  };
  Result<State> state(double t);

  /// Sectors that launches moved, by the level that served them, as hardware counters add up.
  struct Traffic {
    ServedSectors loads{};
    ServedSectors stores{};
  };
  void count(const Traffic& traffic);
  Traffic traffic() const;

  /// True gross energy of the GPU over [t0, t1], joules.
  double true_energy(double t0, double t1);
  /// True power, fluctuation left out, watts.
  double true_power(double t) const;
  /// Begins of the segments of the true power within [t0, t1], for drawing.
  std::vector<double> edges(double t0, double t1) const;

 private:
  struct Client {
    double refreshed_at = 0.0;
    double value = 0.0;
    bool filled = false;
  };
  struct Sensor {
    std::unique_ptr<SimulatedSource> source;
    Client client;
  };

  std::uint64_t stream_of(std::size_t sensor) const;
  void add(std::vector<Play>& plays, Play play);
  void rebuild();
  Result<Sensor*> find(SourceId source, double t);
  double stalled_until(double t) const;
  Answer answer(Sensor& sensor, double t);
  double other_value(Sensor& sensor, double t);

  DeviceDescription description_;
  mutable std::mutex mutex_;  // of all below
  std::vector<Play> plays_;
  std::vector<Play> cpu_plays_;
  double asked_until_ = 0.0;  // the newest time at which anything was read
  PowerSignal gpu_signal_;
  PowerSignal cpu_signal_;
  PowerSignal module_signal_;
  PowerSignal activity_signal_;
  PowerNoise noise_;
  PowerNoise silence_;
  std::vector<Sensor> sensors_;
  Traffic traffic_;
};

}  // namespace truewatt::simgpu
