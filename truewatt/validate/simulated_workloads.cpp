#include "truewatt/validate/simulated_workloads.hpp"

#include <utility>

#include "truewatt/load/schedule_steps.hpp"

namespace truewatt::validate {
namespace {

/// A stretch of work, one after the other: one execution.
using Phases = std::vector<std::pair<double, double>>;  // s, level

struct SimulatedWorkload {
  const char* name;
  const char* title;
  Phases phases;
};

/// Lengths and levels are ours.
const std::vector<SimulatedWorkload>& all_simulated() {
  static const std::vector<SimulatedWorkload> all = {
      {"sgemm", "cuBLAS SGEMM", {{0.31, 1.0}, {0.004, 0.0}}},
      {"fft", "cuFFT", {{0.0061, 0.7}, {0.002, 0.2}}},
      {"jpeg", "nvJPEG", {{0.031, 0.45}, {0.052, 0.05}}},
      {"stereo", "Stereo disparity", {{0.0205, 0.6}, {0.012, 0.0}}},
      {"black_scholes", "Black-Scholes", {{0.0016, 0.8}, {0.0004, 0.0}}},
      {"quasirandom", "Quasi-random generator", {{0.0103, 0.5}, {0.001, 0.0}}},
      {"resnet50", "ResNet-50", {{0.025, 0.8}, {0.055, 0.95}, {0.012, 0.4}, {0.015, 0.0}}},
      {"retinanet", "RetinaNet", {{0.12, 0.85}, {0.21, 0.7}, {0.03, 0.3}, {0.07, 0.0}}},
      {"bert", "BERT-base", {{0.09, 0.9}, {0.17, 1.0}, {0.02, 0.5}}}};
  return all;
}

}  // namespace

std::vector<store::Workload> simulated_workloads() {
  std::vector<store::Workload> workloads;
  for (const SimulatedWorkload& one : all_simulated()) {
    workloads.push_back({.name = one.name, .title = one.title, .paper = "000"});
  }
  return workloads;
}

load::Schedule simulated_execution(const std::string& name) {
  load::Schedule once{.spec = name};
  for (const SimulatedWorkload& workload : all_simulated()) {
    if (workload.name != name) continue;
    for (const auto& [length, level] : workload.phases) {
      load::append_step(once.steps, {once.duration, level});
      once.duration += Seconds(length);
    }
  }
  return once;
}

}  // namespace truewatt::validate
