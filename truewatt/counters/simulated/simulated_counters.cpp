#include "truewatt/counters/simulated/simulated_counters.hpp"

#include <fmt/format.h>

namespace truewatt::counters {
namespace {

constexpr double kWavefrontSectors = 4.0;

class SimulatedCounters final : public Counters {
 public:
  explicit SimulatedCounters(std::shared_ptr<simgpu::SimulatedGpu> gpu) : gpu_(std::move(gpu)) {}

  std::string_view name() const override { return "simulated"; }

  Result<Counts> count(const std::function<Result<void>()>& launch) override {
    if (gpu_->description().faults.counters_denied) {
      return Unexpected(Errc::permission,
                        fmt::format("{} keeps its hardware counters for administrators; remove "
                                    "`counters_denied` from its [faults]",
                                    gpu_->description().name));
    }
    const auto before = gpu_->traffic();
    if (auto launched = launch(); !launched) return Unexpected(launched.error());
    return difference(before, gpu_->traffic());
  }

 private:
  using Traffic = simgpu::SimulatedGpu::Traffic;

  static Counts difference(const Traffic& before, const Traffic& after) {
    const auto loads = [&](std::size_t i) { return after.loads[i] - before.loads[i]; };
    const auto stores = [&](std::size_t i) { return after.stores[i] - before.stores[i]; };
    Counts counts;
    counts.shared_loads = loads(0) / kWavefrontSectors;
    counts.shared_stores = stores(0) / kWavefrontSectors;
    counts.l1_hits = loads(1);
    counts.l1_misses = loads(2) + loads(3);
    counts.l1_stores = stores(1) + stores(2) + stores(3);
    counts.l2_hits = loads(2);
    counts.l2_misses = loads(3);
    counts.l2_reads = loads(2) + loads(3);
    counts.l2_writes = stores(2) + stores(3);
    counts.dram_reads = loads(3);
    counts.dram_writes = stores(3);
    counts.local_sectors = 0.0;
    return counts;
  }

  std::shared_ptr<simgpu::SimulatedGpu> gpu_;
};

}  // namespace

std::unique_ptr<Counters> make_simulated_counters(std::shared_ptr<simgpu::SimulatedGpu> gpu) {
  return std::make_unique<SimulatedCounters>(std::move(gpu));
}

}  // namespace truewatt::counters
