// A made-up table of memory energies: levels with and without a number, both kinds of curves.
#include <algorithm>
#include <cmath>

#include "tests/report/sample_results.hpp"

namespace truewatt::report {
namespace {

constexpr double kPicojoule = 1e-12;

Interval about(double value, double share) {
  return {value, value * (1 - share), value * (1 + share), 0.95};
}

memory::LevelRow sampled_row(memory::Level level, kernels::MemoryOperation operation,
                             double picojoules, double before) {
  memory::LevelRow row{.key = {level, operation, kernels::Data::random},
                       .sector_j = about(picojoules * kPicojoule, 0.02),
                       .increment_j = about((picojoules - before) * kPicojoule, 0.03),
                       .above_idle_j = about(1.2 * picojoules * kPicojoule, 0.01),
                       .bytes_per_s = 3e15 / picojoules,
                       .power_w = 310.0,
                       .clock_hz = 1.755e9,
                       .served = 0.998,
                       .machine = {{"LDG", 8}},
                       .budget = {{uncertainty::Cause::gain, 4 * kPicojoule},
                                  {uncertainty::Cause::scatter, 1 * kPicojoule}},
                       .valid = true};
  return row;
}

std::vector<memory::LevelRow> sampled_levels() {
  memory::LevelRow near = sampled_row(memory::Level::l2, kernels::MemoryOperation::load, 800, 120);
  near.served = 0.961;
  near.reasons = {memory::Reason::mixed_levels, memory::Reason::imprecise};
  near.detail = "96.1 % of its sectors served there";
  memory::LevelRow through =
      sampled_row(memory::Level::l1, kernels::MemoryOperation::store, 810, 0);
  through.valid = false;
  through.reasons = {memory::Reason::write_through};
  memory::LevelRow missing{
      .key = {memory::Level::dram, kernels::MemoryOperation::store, kernels::Data::zeros},
      .reasons = {memory::Reason::not_counted, memory::Reason::not_measured}};
  return {sampled_row(memory::Level::shared, kernels::MemoryOperation::load, 83, 0),
          sampled_row(memory::Level::l1, kernels::MemoryOperation::load, 120, 0),
          near,
          sampled_row(memory::Level::dram, kernels::MemoryOperation::load, 2530, 800),
          through,
          missing};
}

std::vector<memory::CachePoint> sampled_curve(double first, double size, bool counted) {
  std::vector<memory::CachePoint> points;
  for (int i = 0; i < 24; ++i) {
    const double bytes = first * std::exp2(i / 3.0);
    const double misses = std::clamp(5.0 * (bytes / size - 0.9), 0.0, 1.0);
    points.push_back({bytes, 1e-12 * (1 + 3 * misses), {}});
    if (counted) points.back().misses = misses;
  }
  return points;
}

std::vector<memory::SweepPoint> sampled_sweep() {
  std::vector<memory::SweepPoint> points;
  for (const memory::Level level : memory::kAllLevels) {
    for (unsigned threads = 1; threads <= 1024; threads *= 4) {
      const double lower = 100.0 * std::pow(3.0, static_cast<double>(level));
      points.push_back({level,
                        {threads, 1.0},
                        about((lower + 3000.0 / threads) * kPicojoule, 0.1),
                        about(1e-9, 1.5 / std::sqrt(threads))});
    }
  }
  points.back().division_j.reset();
  points.push_back({memory::Level::dram, {1024, 0.125}, about(4e-9, 0.1)});
  return points;
}

}  // namespace

memory::Table sample_memory() {
  memory::Table table{
      .tool_version = "0.1.0",
      .device = {.index = 0, .name = kHostileName, .uuid = "GPU-1", .driver = "580"},
      .compute_capability = 90,
      .took = Seconds(281.5),
      .verified_by = "cupti",
      .idle_w = about(71.2, 0.01),
      .spin_w = about(18.4, 0.04),
      .clock_hz = 1.98e9};
  table.caches = {.l1_bytes = 196608.0,
                  .l2_bytes = 41943040.0,
                  .sector_bytes = 32.0,
                  .line_bytes = {},
                  .l1_curve = sampled_curve(2048, 196608, true),
                  .l2_curve = sampled_curve(1048576, 41943040, false)};
  table.levels = sampled_levels();
  table.sweep = sampled_sweep();
  table.chain_fits = {{{1, 1.0}, 22, 0.961}, {{1024, 1.0}, 22, 0.9991}};
  table.lines = {{1, {{2e9, 0.4}, {3e9, 0.6}, {6e9, 1.2}}, 2e-10, 0.999}};
  table.products = {{.size = 512,
                     .predicted_j = about(0.0058, 0.01),
                     .measured_j = about(0.0060, 0.008),
                     .static_j = 0.0046,
                     .computing_j = 0.0012,
                     .spinning_j = 0.0017,
                     .levels_j = {0.0027, 0.0001, 0.0001, 0.0}}};
  table.r_squared = 0.9987;
  table.residuals = {{"load of 16 bytes x 8", 31.5, 31.4}};
  table.loop_j = about(12 * kPicojoule, 0.2);
  table.scale = 0.079;
  table.notes = {"a note"};
  return table;
}

}  // namespace truewatt::report
