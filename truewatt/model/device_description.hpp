#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/model/observation_model.hpp"

namespace truewatt {

/// A simulated board: the truth behind every reading. Key for key the TOML table [power].
struct BoardDescription {
  Watts sleep{20};  ///< no context
  Watts idle{55};   ///< a context exists, nothing runs
  Watts max{400};   ///< level 1, settled
  Seconds rise_time_constant{0};
  double rise_fraction = 1.0;
  double overshoot = 0.0;
  Seconds overshoot_time_constant{0.15};
  std::optional<Watts> active_idle;  ///< after a load; absent: idle
  Seconds active_idle_hold{0};
  Seconds step_down{1.0};
  Watts drift{0};
  Seconds drift_time_constant{30};
  Watts noise{0.3};
  Watts cpu_idle{0};
  Watts cpu_max{0};
};

/// One [[sensor]] table: the observation model and how a client gets to see it.
struct SensorDescription {
  SourceId source;
  /// What it really looks at where that is not its scope: a superchip's "GPU" power that is the
  /// module's. Absent: its scope.
  std::optional<Scope> observes;
  /// The source of this device that it is another name of: same ticks, same noise. Its own model
  /// must be that source's.
  std::optional<SourceId> alias_of;
  /// Not measured but computed by the driver: of a nominal board without physics of its own, from
  /// the load's activity, which is counted in so many steps up to full (Yang 2024, section II-C,
  /// and Fig. 14, code 7). 0: measured.
  int activity_steps = 0;
  ObservationModel model{.update_period = Seconds(0.1), .averaging_window = Seconds(0.025)};
  Seconds jitter{0};       ///< standard deviation of the tick; power.samples: of its stamp
  double quantum = 0.001;  ///< W or J
  Watts noise{0};
  std::optional<Seconds> phase;  ///< of the ticks; absent: random under the seed
  Seconds client_cache{0};
  bool client_double = false;
  Seconds call_cost{0};
  int ring = 119;  ///< power.samples: entries kept
};

struct Stall {
  Seconds at{0};
  Seconds length{0};
};

struct Throttle {
  Seconds at{0};
  Seconds length{0};
  double level_cap = 1.0;
};

/// Work of other processes, on top of what is played.
struct OtherWork {
  Seconds at{0};
  Seconds length{0};
  double level = 0.0;
};

struct FaultDescription {
  std::optional<Seconds> gpu_lost;
  std::optional<Seconds> counter_reset;
  std::vector<Stall> stalls;
  std::vector<SourceKind> denied;
  std::vector<Throttle> throttle;
  std::vector<OtherWork> other_work;
  bool counters_denied = false;  ///< hardware counters are the administrator's alone
};

/// MIG mode: the GPU is cut into equal instances, and a load works on one of them.
struct MigDescription {
  double share = 1.0;  ///< of the GPU's SMs that an instance has; 0: nobody created any
};

/// What executes instructions on a simulated board. Key for key the TOML table [machine].
struct MachineDescription {
  int sms = 132;                 ///< multiprocessors
  double clock_hz = 1.98e9;      ///< while no limit lowers it
  double lanes_per_cycle = 128;  ///< thread-level instructions of a multiprocessor in a cycle
  int threads_per_sm = 2048;
  Watts spin{0};                ///< drawn while any kernel runs, beside its instructions
  double usual_energies = 1.0;  ///< factor on those of model/instruction_energies.hpp
  /// Of the sectors aimed at L2 or at DRAM, the share that the other one serves.
  double stray = 0.0;
  /// Joules of an instruction or a sector go with this power of the clock's share.
  double clock_exponent = 0.0;
  /// What a loop of several instructions draws beside them: of their joules, times the share of its
  /// pairs of joules that are of two kinds.
  double mixing = 0.0;
  /// Instructions that the compiler folds away, so that half of them run.
  std::vector<std::string> folded{};
};

/// A simulated device: what `sim:NAME` and `sim:FILE.toml` describe (docs/architecture.md,
/// "Simulated GPU").
struct DeviceDescription {
  std::string name;
  BoardDescription board;
  std::vector<SensorDescription> sensors;
  MachineDescription machine;
  /// Joules per thread-level instruction by PTX name, above idle with a context and `machine.spin`.
  /// What is not here costs what model/instruction_energies.hpp says.
  std::map<std::string, double> instruction_j;
  std::map<std::string, double> instruction_zeros_j;  ///< the same where all operands are 0
  /// Joules per 32-byte sector of random bits served at a memory level: all the way to it.
  std::map<std::string, double> sector_j;
  std::map<std::string, double> sector_store_j;  ///< of stores; absent: as loads
  std::map<std::string, double> sector_zeros_j;  ///< of loads of zeros; absent: as random ones
  std::uint64_t l1_bytes = 196608;
  std::uint64_t l2_bytes = 41943040;
  FaultDescription faults;
  std::optional<MigDescription> mig;  ///< absent: MIG mode is off
  std::string uuid;                   ///< "GPU-..." made from a hash of the description's text
};

/// Checks what a reader cannot: positive periods and gains, one sensor per source, levels in
/// [0, 1]. The error names the key and the value.
Result<void> check_description(const DeviceDescription& device);

/// UUID-shaped hash of a description's content; independent of any seed.
std::string uuid_from_content(std::string_view content);

/// The power limit of a device: its full power, in steps of 25 W as boards have them.
Watts power_limit(const DeviceDescription& device);

/// How a device in MIG mode is cut: as many instances as fit.
std::optional<MigMode> mig_mode(const DeviceDescription& device);

/// Names of the built-in devices: k20, k40, p100, ...
std::vector<std::string> builtin_device_names();
/// The built-in device of that name (without "sim:"), or nothing.
std::optional<DeviceDescription> builtin_device(std::string_view name);

}  // namespace truewatt
