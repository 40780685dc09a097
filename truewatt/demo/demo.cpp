#include "truewatt/demo/demo.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "truewatt/calibrate/calibrate_live.hpp"
#include "truewatt/characterize/characterization.hpp"

namespace truewatt::demo {
namespace {

/// Duration of the program of Fig. 1 (SC'24).
constexpr Seconds kProgram{0.325};
/// It works in bursts shorter than the sensor's period, one a period, and here 30 ms of every
/// 100 ms.
constexpr Seconds kBurst{0.030};
constexpr Seconds kBurstPeriod{0.100};
constexpr int kExecutions = 4;
constexpr const char* kInStep = "square:period=100ms,duty=0.1,duration=4s";
/// From one execution to the next: no multiple of the sensor's period, so every execution meets the
/// sensor in another phase.
constexpr Seconds kBetween{1.331};

struct Plan {
  std::string title;
  std::string text;
  load::Schedule schedule;
  std::vector<measure::RelativeWindow> windows;
};

Plan figure_one() {
  Plan plan{.title = "One program, four times",
            .text =
                "A 325 ms program that works 30 ms of every 100 ms, executed four times. A sensor "
                "that looks at a part of the time, or shows it late, reads each execution "
                "differently (Yang et al., SC'24, Fig. 1)."};
  plan.schedule.spec = "figure 1";
  for (int i = 0; i < kExecutions; ++i) {
    const Seconds begin = i * kBetween;
    for (Seconds at{0}; at < kProgram; at += kBurstPeriod) {
      plan.schedule.steps.push_back({begin + at, 1.0});
      const Seconds end = std::min(at + kBurst, kProgram);
      if (end < kProgram) plan.schedule.steps.push_back({begin + end, 0.0});
    }
    plan.schedule.steps.push_back({begin + kProgram, 0.0});
    plan.windows.push_back({begin, begin + kProgram, fmt::format("execution {}", i + 1)});
  }
  plan.schedule.duration = (kExecutions - 1) * kBetween + kProgram;
  return plan;
}

Result<Plan> from_spec(std::string title, std::string text, const std::string& spec,
                       std::uint64_t seed) {
  auto schedule = load::parse_schedule(spec, static_cast<unsigned>(seed));
  if (!schedule) return Unexpected(schedule.error());
  return Plan{std::move(title), std::move(text), std::move(*schedule), {}};
}

Result<std::vector<Plan>> plans(std::uint64_t seed) {
  std::vector<Plan> list = {figure_one()};
  const auto add = [&list](Result<Plan> plan) -> Result<void> {
    if (!plan) return Unexpected(plan.error());
    list.push_back(std::move(*plan));
    return {};
  };
  for (const auto& added :
       {add(from_spec("A steady load",
                      "Three seconds at full power: what remains is the sensor's gain.",
                      "step:on=3s", seed)),
        add(from_spec(
            "A load in step with the sensor",
            "10 ms bursts exactly every 100 ms meet a sensor of 100 ms in the same phase "
            "for ever: where it looks at a part of the time, it sees all of them or none.",
            kInStep, seed)),
        add(from_spec("Bursts at random", "Sixteen bursts of 40 ms with random gaps.",
                      "burst:on=40ms,gap=150ms,jitter=100ms,count=16", seed))}) {
    if (!added) return Unexpected(added.error());
  }
  return list;
}

/// What truewatt characterize and truewatt calibrate find out about the device.
struct Known {
  std::optional<Profile> profile;
  std::vector<Calibration> calibrations;
};

Result<DemoExperiment> run_plan(const Plan& plan, const std::string& device, std::uint64_t seed,
                                const Known& known) {
  auto set = devices::open_devices({.selectors = {device}, .seed = seed}, {});
  if (!set) return Unexpected(set.error());
  if (known.profile) set->devices.front().known.profile = known.profile;
  set->devices.front().known.calibrations = known.calibrations;
  measure::MeasureOptions options;
  options.windows = plan.windows;
  options.figures = true;
  auto measurement = measure::measure(*set, plan.schedule, {}, options);
  if (!measurement) return Unexpected(measurement.error());
  DemoExperiment experiment{plan.title, plan.text, {}, std::move(*measurement)};
  for (const measure::RelativeWindow& window : plan.windows)
    experiment.labels.push_back(window.label);
  if (plan.windows.empty()) experiment.labels.push_back(plan.title);
  return experiment;
}

Result<Profile> profile_of(const std::string& device, std::uint64_t seed) {
  auto set = devices::open_devices({.selectors = {device}, .seed = seed}, {});
  if (!set) return Unexpected(set.error());
  auto result = characterize::characterize(*set, {}, {.seed = seed});
  if (!result) return Unexpected(result.error());
  return std::move(result->profile);
}

/// With the meter that simulated devices have.
Result<std::vector<Calibration>> calibrations_of(const std::string& device, std::uint64_t seed) {
  auto set = devices::open_devices({.selectors = {device}, .seed = seed}, {});
  if (!set) return Unexpected(set.error());
  auto run = calibrate::calibrate_live(*set, nullptr, {}, {.seed = seed});
  if (!run) return Unexpected(run.error());
  return std::move(run->calibrations);
}

}  // namespace

Result<std::vector<DemoExperiment>> run_demo(const std::string& device, std::uint64_t seed) {
  auto list = plans(seed);
  if (!list) return Unexpected(list.error());
  std::vector<DemoExperiment> experiments;
  const auto add = [&](const Plan& plan, const Known& known) -> Result<void> {
    auto experiment = run_plan(plan, device, seed, known);
    if (!experiment) return Unexpected(experiment.error());
    experiments.push_back(std::move(*experiment));
    return {};
  };
  for (const Plan& plan : *list) {
    if (const auto added = add(plan, {}); !added) return Unexpected(added.error());
  }
  const auto characterized =
      from_spec("In step, and characterized",
                "The same bursts, on a device that "
                "truewatt characterize was run on: what every source looks at is known now, and "
                "so is what it missed.",
                kInStep, seed);
  if (!characterized) return Unexpected(characterized.error());
  const auto profile = profile_of(device, seed);
  if (!profile) return Unexpected(profile.error());
  Known known{.profile = *profile};
  if (const auto added = add(*characterized, known); !added) return Unexpected(added.error());
  auto calibrations = calibrations_of(device, seed);
  if (!calibrations) return Unexpected(calibrations.error());
  known.calibrations = *std::move(calibrations);
  const auto calibrated =
      from_spec("In step, and calibrated too",
                "The same on a board that truewatt calibrate compared with an external meter: its "
                "scale is known, too.",
                kInStep, seed);
  if (!calibrated) return Unexpected(calibrated.error());
  if (const auto added = add(*calibrated, known); !added) return Unexpected(added.error());
  return experiments;
}

}  // namespace truewatt::demo
