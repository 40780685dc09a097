#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <random>
#include <string>

#include "truewatt/testing/random_sensors.hpp"

namespace truewatt::testing_support {

/// A simulated device with hidden energies per sector and caches, as its file's text, and what is
/// hidden.
struct MemoryDevice {
  std::string toml;
  std::map<std::string, double> load_j;  ///< by level
  std::map<std::string, double> store_j;
  std::map<std::string, double> zeros_j;
  double l1_bytes = 0.0;
  double l2_bytes = 0.0;
};

/// A random board that is not the fitted model: of what is aimed at L2 and DRAM up to 3 % is served
/// by the other, energies go with the clock, the board warms up and spins at up to 100 W.
inline MemoryDevice random_memory_device(unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  const auto coin = [&] { return uniform(0, 1) < 0.5; };
  MemoryDevice device;
  const double idle = uniform(20, 120);
  device.toml = fmt::format(
      "[power]\nsleep_w = {:.1f}\nidle_w = {:.2f}\nmax_w = {:.1f}\nnoise_w = {:.2f}\n"
      "drift_w = {:.2f}\ndrift_time_constant_s = {:.1f}\n",
      0.7 * idle, idle, idle + uniform(250, 700), uniform(0.1, 3), coin() ? uniform(0, 8) : 0.0,
      uniform(5, 60));
  device.toml += fmt::format(
      "[machine]\nsms = {:.0f}\nclock_hz = {:.4e}\nspin_w = {:.3f}\nstray = {:.4f}\n"
      "clock_exponent = {:.2f}\n",
      std::floor(uniform(30, 144)), uniform(0.9e9, 2.5e9), coin() ? uniform(0, 100) : 0.0,
      coin() ? uniform(0, 0.03) : 0.0, coin() ? uniform(0, 2) : 0.0);
  device.toml += random_sensors(random);
  device.l1_bytes = std::floor(uniform(48, 256)) * 1024;
  device.l2_bytes = std::floor(uniform(4, 120)) * 1048576;
  device.toml += fmt::format("[caches]\nl1_bytes = {:.0f}\nl2_bytes = {:.0f}\n", device.l1_bytes,
                             device.l2_bytes);
  const std::map<std::string, double> loads{{"shared", uniform(40e-12, 120e-12)},
                                            {"l1", uniform(80e-12, 250e-12)},
                                            {"l2", uniform(300e-12, 1200e-12)},
                                            {"dram", uniform(1500e-12, 4000e-12)}};
  std::string store = "[memory_store]\n";
  std::string zeros = "[memory_zeros]\n";
  device.toml += "[memory]\n";
  for (const auto& [level, joules] : loads) {
    device.load_j[level] = joules;
    device.store_j[level] = joules * uniform(1.0, 2.4);
    device.zeros_j[level] = joules * uniform(0.5, 1.0);
    device.toml += fmt::format("{} = {:.6e}\n", level, joules);
    store += fmt::format("{} = {:.6e}\n", level, device.store_j[level]);
    zeros += fmt::format("{} = {:.6e}\n", level, device.zeros_j[level]);
  }
  device.toml += store + zeros;
  return device;
}

}  // namespace truewatt::testing_support
