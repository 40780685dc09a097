// Energies of windows cut anywhere out of programs that know nothing of truewatt, on random
// devices, beside the true joules: one line of comma-separated values per window and way to look at
// it, for scripts/window_survey.py.
//
// usage: truewatt_window_survey windows|trains FIRST_SEED DEVICES

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

constexpr double kLength = 30.0;  // s
constexpr int kWindows = 30;

Window window_of(const TimeSpan& at) {
  const auto stamp = [](double s) { return program_begin() + to_nanoseconds(Seconds(s)); };
  return {stamp(at.begin), stamp(at.end), "window"};
}

double half_width(const std::optional<EnergyInterval>& energy) {
  return energy ? kCoverageFactor95 * energy->without_gain() : 0.0;
}

/// The narrowest that a source says alone, J; 0: none says a thing.
double best_alone(const Recording& recording, const Knowledge& knowledge, const Window& window) {
  double best = 0.0;
  for (const Trace& trace : recording.traces) {
    EstimateOptions options;
    options.source = trace.source;
    const double half =
        half_width(EnergyEstimator(recording, knowledge, options, {}).estimate(window).energy);
    if (half > 0 && (best == 0 || half < best)) best = half;
  }
  return best;
}

std::string kind_of(const std::vector<TestSensor>& sensors) {
  std::string kind;
  for (const TestSensor& sensor : sensors) {
    if (!kind.empty()) kind += "+";
    const ObservationModel& model = sensor.model;
    const double looks = model.averaging_window.count() + 2 * model.time_constant.count();
    if (counts_energy(sensor.source)) {
      kind += "counter";
    } else if (sensor.source.kind == SourceKind::power_average) {
      kind += "average";
    } else {
      kind += looks < 0.7 * model.update_period.count() ? "part-time" : "full-time";
    }
  }
  return kind;
}

/// Of the source on whose scale the joules are.
double gain_of(const EnergyEstimate& estimate, const std::vector<TestSensor>& sensors) {
  for (const TestSensor& sensor : sensors) {
    if (estimate.source == sensor.source) return sensor.gain;
  }
  return 1.0;
}

void tell(const std::string& head, const EnergyEstimate& estimate, double truth, double alone,
          double plain) {
  std::string reasons;
  for (const Reason reason : estimate.reasons) reasons += fmt::format(" {}", to_string(reason));
  fmt::print("{},{:.5g},{:.5f},{},{:.5f},{},{:.5f},{:.5f},{}\n", head, estimate.window.count(),
             truth, estimate.energy ? fmt::format("{:.5f}", estimate.energy->interval.value) : "",
             half_width(estimate.energy), estimate.resolved ? 1 : 0, alone, plain, reasons);
}

double plain_of(const EnergyEstimate& estimate) {
  return estimate.naive_j.empty() ? 0.0 : estimate.naive_j.begin()->second;
}

/// Windows of 5 ms to 10 s anywhere, with and without marks at the program's edges, with and
/// without a profile.
void survey_windows(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const std::vector<TestSensor> sensors = random_sensors(rng);
  const TestProgram program = random_program(rng, kLength);
  const Recording recording = record(program, sensors, rng);
  const Profile profile = characterized(sensors, rng);
  std::vector<Window> marks;
  for (const TestProgram::Work& work : program.work) {
    marks.push_back(window_of({work.begin, work.end}));
  }
  std::vector<TimeSpan> asked;
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int i = 0; i < kWindows; ++i) {
    const double length = 0.005 * std::pow(2000.0, unit(rng));
    const double begin = unit(rng) * (kLength - length);
    asked.push_back({begin, begin + length});
  }
  for (const bool has_profile : {true, false}) {
    Knowledge knowledge;
    if (has_profile) knowledge.profile = &profile;
    for (const bool has_marks : {true, false}) {
      const EnergyEstimator estimator(recording, knowledge, {},
                                      has_marks ? marks : std::vector<Window>{});
      const std::string head =
          fmt::format("{},{},{},{}", seed, kind_of(sensors), has_profile ? "profile" : "none",
                      has_marks ? "marks" : "blind");
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const Window window = window_of(asked[i]);
        const EnergyEstimate estimate = estimator.estimate(window);
        const bool compares = has_profile && !has_marks && i % 10 == 0;
        const double truth =
            program.energy(asked[i].begin, asked[i].end) * gain_of(estimate, sensors);
        tell(head, estimate, truth, compares ? best_alone(recording, knowledge, window) : 0.0,
             plain_of(estimate));
      }
    }
  }
}

/// 200 steps back to back of one label, each 1 to 3 periods long or one, whose energies scatter.
void survey_trains(std::uint64_t seed, bool has_profile, bool in_step) {
  for (const char* kind : {"h200", "ring", "a100", "a100+counter", "boxcar"}) {
    for (const double scatter : {0.0, 0.05, 0.20}) {
      std::mt19937_64 rng(seed);
      std::uniform_real_distribution<double> unit(0.0, 1.0);
      std::normal_distribution<double> normal;
      const std::vector<TestSensor> sensors = sensors_of(kind);
      const double step =
          sensors.front().model.update_period.count() * (in_step ? 1.0 : 1 + 2 * unit(rng));
      TestProgram program{.idle_w = 80, .length = 2 + 200 * step};
      const double busy = 0.4 + 0.5 * unit(rng);
      std::vector<TimeSpan> steps;
      std::vector<Window> marks;
      double t = 1.0;
      for (int i = 0; i < 200; ++i) {
        const double level = 80 + 400 * std::max(0.1, 1 + scatter * normal(rng));
        program.work.push_back({t, t + busy * step, level});
        steps.push_back({t, t + step});
        marks.push_back(window_of(steps.back()));
        t += step * (1 + 0.005 * normal(rng));
      }
      for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        steps[i].end = steps[i + 1].begin;
        marks[i] = window_of(steps[i]);
      }
      const Recording recording = record(program, sensors, rng);
      const Profile profile = profile_of(sensors);
      const Knowledge knowledge{.profile = has_profile ? &profile : nullptr};
      const EnergyEstimator estimator(recording, knowledge, {}, marks);
      const std::string head = fmt::format("{},{}{},{},{:g}", seed, kind, in_step ? " in step" : "",
                                           has_profile ? "profile" : "none", scatter);
      double truth = 0.0;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        const double of_step = program.energy(steps[i].begin, steps[i].end);
        truth += of_step;
        const EnergyEstimate estimate = estimator.estimate(marks[i]);
        tell(head, estimate, of_step, 0.0, plain_of(estimate));
      }
      EnergyEstimate sum;
      sum.energy = estimator.sum(marks);
      sum.window = Seconds(t - 1.0);
      tell(head + " sum", sum, truth, 0.0, 0.0);
    }
  }
}

}  // namespace
}  // namespace truewatt::energy

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: truewatt_window_survey windows|trains FIRST_SEED DEVICES\n");
    return 2;
  }
  const bool trains = std::string(argv[1]) == "trains";
  const auto first = std::strtoull(argv[2], nullptr, 10);
  const auto count = std::strtoull(argv[3], nullptr, 10);
  for (auto seed = first; seed < first + count; ++seed) {
    if (!trains) {
      truewatt::energy::survey_windows(seed);
      continue;
    }
    truewatt::energy::survey_trains(seed, true, false);
    truewatt::energy::survey_trains(seed, false, false);
    truewatt::energy::survey_trains(seed, false, true);
  }
  return 0;
}
