#pragma once

#include <fmt/format.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "truewatt/model/instruction_energies.hpp"
#include "truewatt/testing/random_sensors.hpp"

namespace truewatt::testing_support {

/// A simulated device with hidden energies per instruction, as its file's text, and what is hidden.
struct InstructionDevice {
  std::string toml;
  std::map<std::string, double> instruction_j;
  double spin_w = 0.0;
};

/// A random board: multiprocessors, clock, power, what spinning draws (up to 40 % of the maximum),
/// drift, noise, one of four kinds of sensors, and energies for these instructions, some of which
/// reach the power limit. Tables `sensors` in their place, if given.
inline InstructionDevice random_instruction_device(const std::vector<std::string>& instructions,
                                                   unsigned seed, const std::string& sensors = {}) {
  std::mt19937 random(seed);
  const auto uniform = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  const auto one_of = [&](auto... values) {
    const std::vector<double> all{static_cast<double>(values)...};
    return all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random)];
  };
  InstructionDevice device;
  const double idle = uniform(20, 120);
  const double most = idle + uniform(150, 600);
  device.spin_w = one_of(0, 1) * uniform(0, 0.4) * (most - idle);
  const double sms = std::floor(uniform(16, 144));
  const double clock = uniform(0.7e9, 2.5e9);
  const double lanes = one_of(32, 64, 128);
  device.toml = fmt::format(
      "[power]\nsleep_w = {:.1f}\nidle_w = {:.2f}\nmax_w = {:.1f}\nnoise_w = {:.2f}\n"
      "drift_w = {:.2f}\ndrift_time_constant_s = {:.1f}\n",
      0.7 * idle, idle, most, uniform(0.1, 3), one_of(0, 1) * uniform(0, 8), uniform(5, 60));
  device.toml += fmt::format(
      "[machine]\nsms = {:.0f}\nclock_hz = {:.4e}\nlanes_per_cycle = {:.0f}\n"
      "spin_w = {:.3f}\n",
      sms, clock, lanes, device.spin_w);
  const std::string drawn = random_sensors(random);
  device.toml += sensors.empty() ? drawn : sensors;
  device.toml += "[instructions]\n";
  for (const std::string& name : instructions) {
    const double rate = sms * clock * lanes / instruction_cost({}, name, false).cycles;
    const double dynamic = (most - idle - device.spin_w) * uniform(0.1, 1.3);
    device.instruction_j[name] = dynamic / rate;
    device.toml += fmt::format("\"{}\" = {:.6e}\n", name, device.instruction_j[name]);
  }
  return device;
}

}  // namespace truewatt::testing_support
