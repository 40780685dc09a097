#pragma once

#include <random>
#include <string>
#include <vector>

#include "truewatt/model/observation_model.hpp"
#include "truewatt/model/power_signal.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/trace/trace.hpp"

// For tests: programs that know nothing of truewatt, on boards whose sensors are told, and what a
// poller sees of them.
namespace truewatt::energy {

/// A sensor of a board: how it looks at the power and how well.
struct TestSensor {
  SourceId source;
  ObservationModel model;
  double jitter = 0.0;  ///< s, of its ticks; of a ring's stamps alone: late, one in six
  double noise = 0.3;   ///< W
  double quantum = 0.001;
  double bracket = 0.003;  ///< s, how often it is asked
  double gain = 1.0;       ///< of what it shows over the power
};

/// The sensors of a kind of board: "h200" (a ring behind a filter of 13 ms and a counter), "a100"
/// (25 of every 100 ms), "a100+counter", "a100+average", "boxcar" (100 of 100 ms), "average" (1 s
/// every 100 ms), "counter", "ring".
std::vector<TestSensor> sensors_of(const std::string& kind);

/// The sensors of a random board: power that is looked at part of the time or all of it, behind a
/// filter or not; half of the boards have an energy counter too, a third an average over a second.
std::vector<TestSensor> random_sensors(std::mt19937_64& rng);

/// Power over time: piecewise constant. Pulses of 4 ms to 1.2 s, gaps of 2 ms to 0.8 s, plateaus
/// and idle.
struct TestProgram {
  double idle_w = 80.0;
  double length = 20.0;  ///< s
  /// Stretches of work, in order of time.
  struct Work {
    double begin = 0.0;
    double end = 0.0;
    double watts = 0.0;
  };
  std::vector<Work> work;
  PowerSignal signal() const;
  double energy(double begin, double end) const;
};
TestProgram random_program(std::mt19937_64& rng, double length = 20.0);

/// The host's time at the program's time 0.
HostTime program_begin();

/// What is seen of the program from its begin to its end.
Recording record(const TestProgram& program, const std::vector<TestSensor>& sensors,
                 std::mt19937_64& rng);

/// A profile that says of the sensors what a characterization would.
Profile profile_of(const std::vector<TestSensor>& sensors);
/// ... with what it is off by, drawn from its own intervals.
Profile characterized(const std::vector<TestSensor>& sensors, std::mt19937_64& rng);

}  // namespace truewatt::energy
