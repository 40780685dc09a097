#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

namespace truewatt::testing_support {

/// One of four kinds of sensors, as tables of a device's file: part-time or complete readings ten
/// times a second, a filtered ring, an energy counter beside them or alone.
inline std::string random_sensors(std::mt19937& random) {
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  const std::size_t kind = std::uniform_int_distribution<std::size_t>(0, 3)(random);
  std::string toml;
  if (kind <= 1) {
    toml += fmt::format(
        "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\naveraging_window_s = {}\n"
        "noise_w = {:.2f}\n",
        kind == 0 ? 0.025 : 0.1, uniform(0.1, 1));
  }
  if (kind == 2) {
    toml += fmt::format(
        "[[sensor]]\nsource = \"power.samples\"\nupdate_period_s = 0.02\n"
        "averaging_window_s = 0\ntime_constant_s = {:.4f}\nnoise_w = 0.3\n",
        uniform(0.005, 0.03));
  }
  if (kind != 0) {
    toml +=
        "[[sensor]]\nsource = \"energy.counter\"\nupdate_period_s = 0.1\n"
        "averaging_window_s = 0.1\n";
  }
  return toml;
}

}  // namespace truewatt::testing_support
