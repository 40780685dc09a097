#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/base/time_span.hpp"
#include "truewatt/kernels/kernel.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::load {

/// From `at` on (seconds after the schedule's begin) the load works on the share `level` of the SMs
/// (0 = idle), by launches of `kernel` one after the other.
struct ScheduleStep {
  Seconds at{0};
  double level = 0.0;
  /// Null: the load's own, which for a GPU is the FMA chain.
  std::shared_ptr<const kernels::Kernel> kernel{};
};

/// What a load will do and when: piecewise constant levels. `steps` are in order of time, the first
/// at 0; the schedule ends at `duration` with level 0. The window of a load is [0, duration].
struct Schedule {
  std::vector<ScheduleStep> steps;
  Seconds duration{0};
  std::string spec;  ///< the text it was made from
};

/// Parses a load SPEC: `square:period=100ms,duty=0.5,duration=8s,level=1`, `step:on=3s,level=1`,
/// `burst:on=10ms,gap=300ms,jitter=100ms,count=16,level=1`, each with `kernel=fma`,
/// `trace:FILE.csv`, and a kernel's name: `fma` and `copy` are 3 s steps of these. Bare numbers are
/// seconds; ms, us, s are understood. `seed` draws the burst's jitter. Errors name the key, the
/// value and what is allowed.
Result<Schedule> parse_schedule(std::string_view spec, unsigned seed);

/// The load that a SPEC names, or would but for a slip of the finger; nothing where none is near.
std::optional<std::string> load_meant(std::string_view spec);

/// When a launch of a kernel had ended, and how often its threads had run its loop until then.
struct KernelPiece {
  HostTime end;
  double iterations = 0.0;  ///< of each thread, since the run's begin
};

/// A stretch in which one kernel ran.
struct KernelRun {
  const kernels::Kernel* kernel = nullptr;
  HostSpan span;
  double threads = 0.0;
  std::vector<KernelPiece> pieces;  ///< in order of time, the last at the span's end
};

/// A kernel, ready to run on one device.
struct CompiledKernel {
  std::vector<std::byte> image;  ///< its machine code, an ELF file; empty where it is not known
  /// What the loop holds where the back end knows it without an image: a simulated device.
  std::vector<kernels::Executed> loop{};
  int compute_capability = 0;
};

/// What really happened: host stamps of every stretch of work, and of the whole.
struct Execution {
  HostTime begin;
  HostTime end;
  std::vector<ActivityInterval> activity;
  std::vector<KernelRun> kernels{};  ///< of the stretches whose step names a kernel
  std::vector<std::string> notes;    ///< e.g. the calibration line's R squared
};

/// One launch of a kernel.
struct Launch {
  Seconds time{0};  ///< by the device's clock
  double threads = 0.0;
};

/// Work with a known schedule on one device.
class Load {
 public:
  virtual ~Load() = default;
  virtual std::string_view name() const = 0;
  /// The part of the device that it works on, where that is not all of it: "instance MIG-... with
  /// 14 SMs". Levels are shares of that part then.
  virtual std::optional<std::string> slice() const { return std::nullopt; }
  /// Compiles what the steps name, allocates and calibrates, so that play starts without delay. A
  /// context exists from here until the object dies. Errors: unsupported where the load does not
  /// run a step's kernel.
  virtual Result<void> prepare(const Schedule& schedule) = 0;
  /// Compiles a kernel, runs it and checks its result, so that steps may name it. Both are kept as
  /// long as this object lives; compiled once however often that is asked. Errors: unsupported
  /// where the load runs no kernels or the device lacks what this one needs.
  virtual Result<const CompiledKernel*> compile(
      const std::shared_ptr<const kernels::Kernel>& kernel) {
    return refuse(*kernel);
  }
  /// One launch by itself of a kernel that was compiled, on the share `level` of the
  /// multiprocessors. For what is timed or counted, not measured in joules.
  virtual Result<Launch> launch(const kernels::Kernel& kernel, double /*level*/,
                                std::uint32_t /*iterations*/) {
    return refuse(kernel);
  }
  /// Plays the schedule once, beginning at `begin` on the host's clock. Blocks until the last step
  /// has ended; a simulated load returns at once, its stamps lying in the clock's future. A request
  /// to stop ends it after the step under way, with the stamps up to there.
  virtual Result<Execution> play(const Schedule& schedule, HostTime begin,
                                 std::stop_token stop) = 0;

 protected:
  /// For a load that runs nothing but its own kernel.
  Unexpected refuse(const kernels::Kernel& kernel) const {
    return {Errc::unsupported, "the load on " + std::string(name()) + " does not run the kernel " +
                                   std::string(kernel.name())};
  }
};

}  // namespace truewatt::load
