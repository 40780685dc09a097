// Spread of window fits: Yang 2024's procedure against the joint fit, on the same readings of
// simulated devices, beside the artifact's published fits. Counters are of the fitted windows in
// milliseconds (the joint fit's is W + 2C), `device_s` is how long the load ran.
#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>
#include <string>

#include "truewatt/characterize/characterization.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/testing/window_runs.hpp"

namespace truewatt::replication {
namespace {

constexpr int kRepetitions = 32;  // of every half period, as published

struct Experiment {
  const char* device;
  std::vector<double> half_periods_ms;
  double poll_ms;
  double update_period;
  const char* published;
};

const Experiment kA100{
    "a100", {kHalfPeriodsA100.begin(), kHalfPeriodsA100.end()}, 12.0, 0.1, "window_fits_A100.csv"};
const Experiment kPascal{"p100",
                         {kHalfPeriods1080Ti.begin(), kHalfPeriods1080Ti.end()},
                         7.0,
                         0.02,
                         "window_fits_1080ti.csv"};

const std::vector<WindowSession>& sessions_of(const Experiment& experiment) {
  static std::map<std::string, std::vector<WindowSession>> all;
  auto& sessions = all[experiment.device];
  for (std::uint64_t seed = 1; sessions.size() < kRepetitions; ++seed) {
    sessions.push_back(
        window_session(experiment.device, experiment.half_periods_ms, experiment.poll_ms, seed));
  }
  return sessions;
}

void report(benchmark::State& state, const std::vector<double>& windows_s, double device_s) {
  const auto summary = numerics::summarize(windows_s);
  if (!summary) return state.SkipWithError("no fit");
  state.counters["fits"] = static_cast<double>(summary->count);
  state.counters["mean_ms"] = 1e3 * summary->mean;
  state.counters["median_ms"] = 1e3 * summary->median;
  state.counters["sd_ms"] = 1e3 * summary->sd;
  state.counters["device_s"] = device_s;
}

double seconds_of(const Experiment& experiment) {
  return kRepetitions * static_cast<double>(experiment.half_periods_ms.size()) * 9.0;
}

void Published(benchmark::State& state, const Experiment& experiment) {
  std::vector<double> windows;
  for (auto _ : state) {
    windows.clear();
    std::ifstream file(std::string(TRUEWATT_TEST_DATA "/sc24/") + experiment.published);
    std::string line;
    std::getline(file, line);
    for (std::size_t i = 0; i < experiment.half_periods_ms.size(); ++i) {
      std::getline(file, line);
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) {
        windows.push_back(1e-3 * std::stod(cell));
      }
    }
  }
  report(state, windows, seconds_of(experiment));
}

void NelderMead(benchmark::State& state, const Experiment& experiment, FittedPart part) {
  const auto& sessions = sessions_of(experiment);
  std::vector<double> windows;
  for (auto _ : state) {
    windows.clear();
    for (const WindowSession& session : sessions) {
      for (std::size_t run = 0; run < session.waves.size(); ++run) {
        const auto fit = yang_fit(session, run, experiment.update_period, part);
        if (fit) windows.push_back(fit->window);
      }
    }
  }
  report(state, windows, seconds_of(experiment));
}

void JointFitOfARun(benchmark::State& state, const Experiment& experiment) {
  const auto& sessions = sessions_of(experiment);
  std::vector<double> windows;
  for (auto _ : state) {
    windows.clear();
    for (const WindowSession& session : sessions) {
      for (std::size_t run = 0; run < session.waves.size(); ++run) {
        const auto window = equivalent_window(single_run(session, run));
        if (window) windows.push_back(*window);
      }
    }
  }
  report(state, windows, seconds_of(experiment));
}

void JointFitOfOneRunEach(benchmark::State& state, const Experiment& experiment) {
  const auto& sessions = sessions_of(experiment);
  std::vector<double> windows;
  for (auto _ : state) {
    windows.clear();
    for (const WindowSession& session : sessions) {
      const auto window = equivalent_window(session.recording);
      if (window) windows.push_back(*window);
    }
  }
  report(state, windows, seconds_of(experiment) / kRepetitions);
}

/// Our own experiment: its whole device time and CPU, simulation included.
void Characterized(benchmark::State& state, const Experiment& experiment) {
  std::vector<double> windows;
  double device_s = 0.0;
  for (auto _ : state) {
    windows.clear();
    for (std::uint64_t seed = 1; seed <= kRepetitions; ++seed) {
      auto set = devices::open_devices(
          {.selectors = {std::string("sim:") + experiment.device}, .seed = seed}, {});
      const auto result = characterize::characterize(*set, {}, {.seed = seed});
      const auto& source = *find_source(result->profile, {SourceKind::power_instant, Scope::gpu});
      device_s = result->profile.duration_s;
      if (!source.averaging_window_s || !source.time_constant_s) continue;
      windows.push_back(
          truewatt::equivalent_window(*source.averaging_window_s, *source.time_constant_s).value);
    }
  }
  report(state, windows, device_s);
}

void register_all(const Experiment& experiment) {
  const auto add = [&experiment](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(
        (std::string(experiment.device) + "/" + name).c_str(),
        [run, &experiment](benchmark::State& state) { run(state, experiment); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  };
  add("published", Published);
  add("nelder_mead_artifact", [](benchmark::State& state, const Experiment& e) {
    NelderMead(state, e, FittedPart::artifact);
  });
  add("nelder_mead_text",
      [](benchmark::State& state, const Experiment& e) { NelderMead(state, e, FittedPart::text); });
  add("joint_fit_of_a_run", JointFitOfARun);
  add("joint_fit_of_one_run_each", JointFitOfOneRunEach);
  add("characterize", Characterized);
}

const bool kRegistered = [] {
  register_all(kA100);
  register_all(kPascal);
  return true;
}();

}  // namespace
}  // namespace truewatt::replication
