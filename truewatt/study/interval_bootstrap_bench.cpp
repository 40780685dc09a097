// Are the intervals of the covariance those of a block bootstrap? Random simulated devices are
// characterized, and the joint fit's readings drawn again a hundred times
// (identification/bootstrap.hpp). Counters are the ratio of the bootstrap's interval width to the
// covariance's over the devices: median, tenth and ninetieth percentile.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "truewatt/identification/bootstrap.hpp"
#include "truewatt/study/characterization.hpp"
#include "truewatt/study/experiment.hpp"

namespace truewatt::study {
namespace {

using identification::Parameter;

constexpr int kDevices = 40;
/// Logarithms known worse than that have intervals by profile likelihood.
constexpr double kUnknown = 0.3;
constexpr std::array<Parameter, 3> kChecked = {identification::kLogWindow, identification::kDelay,
                                               identification::kLogLag};

double log_uniform(std::mt19937_64& rng, double low, double high) {
  return std::exp(uniform(rng, std::log(low), std::log(high)));
}

/// The ranges of scripts/characterization_survey.py.
std::string random_device(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const double period = log_uniform(rng, 0.008, 0.25);
  const double idle = uniform(rng, 20.0, 120.0);
  const double lag = uniform(rng, 0.0, 1.0) < 0.4 ? 0.0 : log_uniform(rng, 0.002, 1.0);
  const double rise = uniform(rng, 0.0, 1.0) < 0.4 ? 0.0 : log_uniform(rng, 0.005, 0.3);
  return fmt::format(
      "[power]\nidle_w = {}\nmax_w = {}\nrise_time_constant_s = {}\novershoot = {}\n"
      "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = {}\naveraging_window_s = {}\n"
      "time_constant_s = {}\ndelay_s = {}\ngain = {}\njitter_s = {}\nnoise_w = {}\n",
      idle, idle + uniform(rng, 80.0, 500.0), rise, std::max(0.0, uniform(rng, -0.15, 0.15)),
      period, log_uniform(rng, 0.05 * period, 1.2), lag, uniform(rng, 0.0, 0.05),
      uniform(rng, 0.9, 1.1), uniform(rng, 0.0, 0.05) * period, uniform(rng, 0.0, 2.0));
}

Result<Characterization> characterized(std::uint64_t seed) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("truewatt_bootstrap_{}.toml", seed);
  std::ofstream(path) << random_device(seed);
  auto set = open_devices({.selectors = {"sim:" + path.string()}, .seed = seed}, {});
  std::filesystem::remove(path);
  if (!set) return Unexpected(set.error());
  return characterize(*set, {}, {.seed = seed});
}

using Ratios = std::array<std::vector<double>, kChecked.size()>;

void add_ratios(Ratios& ratios, const CharacterizedSource& source,
                const std::vector<identification::Work>& work,
                identification::Resampling resampling, std::uint64_t seed) {
  const auto readings = identification::well_located(source.readings);
  const auto& fit = source.fit->joint;
  const auto replicates =
      identification::bootstrap({readings, work}, fit, {.resampling = resampling, .seed = seed});
  for (std::size_t i = 0; i < kChecked.size(); ++i) {
    const double sd = std::sqrt(fit.covariance[kChecked[i]][kChecked[i]]);
    const bool logarithm = kChecked[i] != identification::kDelay;
    if (sd == 0.0 || (logarithm && sd > kUnknown)) continue;
    ratios[i].push_back(identification::spread_of(replicates, kChecked[i]) / sd);
  }
}

void report(benchmark::State& state, const std::string& name, std::vector<double> ratios) {
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](std::size_t percent) {
    return ratios.empty() ? 0.0 : ratios[(ratios.size() - 1) * percent / 100];
  };
  state.counters[name + "_devices"] = static_cast<double>(ratios.size());
  state.counters[name + "_median"] = at(50);
  state.counters[name + "_p10"] = at(10);
  state.counters[name + "_p90"] = at(90);
}

void BootstrapOverCovariance(benchmark::State& state, identification::Resampling resampling) {
  Ratios ratios;
  for ([[maybe_unused]] auto _ : state) {
    for (std::uint64_t seed = 1; seed <= kDevices; ++seed) {
      const auto result = characterized(seed);
      if (!result || !result->sources.front().fit) continue;
      add_ratios(ratios, result->sources.front(), result->work, resampling, seed);
    }
  }
  report(state, "W", ratios[0]);
  report(state, "d", ratios[1]);
  report(state, "C", ratios[2]);
}
BENCHMARK_CAPTURE(BootstrapOverCovariance, moved, identification::Resampling::moved)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(BootstrapOverCovariance, in_place, identification::Resampling::in_place)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace truewatt::study
