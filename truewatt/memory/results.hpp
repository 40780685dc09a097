#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/kernels/memory/access_kernel.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/memory/level.hpp"
#include "truewatt/memory/reason.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::memory {

/// A point of the curve that shows the caches: arrays of so many bytes, walked again and again.
struct CachePoint {
  double bytes = 0.0;  ///< walked by every multiprocessor for itself (L1), or by all together (L2)
  double seconds = 0.0;          ///< of a sector, all multiprocessors together
  std::optional<double> misses;  ///< share of the sectors that the cache did not have, as counted
};

/// Sizes of the caches, absent where the curve does not show them.
struct Caches {
  std::optional<double> l1_bytes;
  std::optional<double> l2_bytes;
  std::optional<double> sector_bytes;
  std::optional<double> line_bytes;
  std::vector<CachePoint> l1_curve;
  std::vector<CachePoint> l2_curve;
};

/// What a row is about.
struct LevelKey {
  Level level = Level::shared;
  kernels::MemoryOperation operation = kernels::MemoryOperation::load;
  kernels::Data data = kernels::Data::random;

  friend bool operator==(const LevelKey&, const LevelKey&) = default;
};

/// Energy of one 32-byte sector served at a level. Intervals are 95 %, on this sensor's scale.
struct LevelRow {
  LevelKey key;
  /// All that such a sector costs above idle and above what spinning draws: the path.
  std::optional<Interval> sector_j;
  /// The path beyond that of the next nearer level; of shared memory and L1 all of it.
  std::optional<Interval> increment_j;
  /// The path with what the board draws beyond idle meanwhile, at the fastest rate.
  std::optional<Interval> above_idle_j;
  std::optional<double> bytes_per_s;  ///< at the fastest rate
  std::optional<double> share;        ///< of the multiprocessors that reached it
  std::optional<double> power_w;      ///< of the board then
  std::optional<double> clock_hz;  ///< of the multiprocessors, as one of the row's stretches saw it
  std::optional<double> served;    ///< share of the sectors served here, as counted
  std::optional<double> far_share;  ///< of L2's sectors, from the other partition, as counted
  std::vector<machine_code::OpcodeCount> machine;  ///< of the loop with eight accesses
  std::vector<uncertainty::Term> budget;  ///< of sector_j, standard uncertainties in joules
  bool valid = false;
  std::vector<Reason> reasons;
  std::string detail;     ///< of what its loops do
  std::string shortfall;  ///< of what its energy lacks
};

/// How many threads load at a time: blocks of so many, one on each of a share of the
/// multiprocessors.
struct Parallelism {
  unsigned threads = 1;  ///< of a block
  double share = 1.0;    ///< of the multiprocessors
  friend bool operator==(const Parallelism&, const Parallelism&) = default;
};

/// Energy of an access against the parallelism (Delestrac et al. 2024, Figs. 6 to 8): chains of
/// 8-byte loads.
struct SweepPoint {
  Level level = Level::l1;
  Parallelism parallel;
  std::optional<Interval> sector_j;    ///< above idle, all else of the loop with it
  std::optional<Interval> division_j;  ///< of a div.u32 beside each load: the difference
};

/// R² of the chains of one parallelism about the energies of the sweep: all levels, with and
/// without a division, of powers above idle. With few threads all levels draw alike, and little is
/// there to be explained.
struct ParallelFit {
  Parallelism parallel;
  std::size_t runs = 0;
  double r_squared = 0.0;
};

/// Energy against the number of accesses (Fig. 5).
struct LinePoint {
  double accesses = 0.0;  ///< sectors
  double joules = 0.0;    ///< above idle
};
struct AccessLine {
  unsigned threads = 1;
  std::vector<LinePoint> points;
  double sector_j = 0.0;  ///< slope
  double r_squared = 0.0;
};

/// One product of matrices (Fig. 9): joules of one of them.
struct PredictedProduct {
  unsigned size = 0;                       ///< rows
  bool counted = true;                     ///< its sectors; else computed from tiles and caches
  Interval predicted_j{};                  ///< above idle
  Interval measured_j{};                   ///< above idle
  double static_j = 0.0;                   ///< what idle draws meanwhile
  double computing_j = 0.0;                ///< of the prediction: multiply-adds and loops
  double spinning_j = 0.0;                 ///< that multiprocessors are busy at all
  std::array<double, kLevels> levels_j{};  ///< sectors by the level that served them
};

/// What the sensor of the board's memory alone read during walks (NVML's scope "memory"), where
/// there is one: beside the increment of DRAM, which the board's own readings gave.
struct MemoryScope {
  double l2_w = 0.0;         ///< while loads of random bits were served by L2
  double dram_w = 0.0;       ///< and by DRAM
  double bytes_per_s = 0.0;  ///< of that
  double joules_per_byte() const { return (dram_w - l2_w) / bytes_per_s; }
};

/// One run of the joint fit.
struct Residual {
  std::string kernel;
  double measured_j = 0.0;  ///< above idle and spinning
  double fitted_j = 0.0;
};

/// `truewatt memory` of one device.
struct Table {
  std::string tool_version;
  DeviceIdentity device;
  int compute_capability = 0;       ///< 0: a simulated device
  std::optional<DriverTime> start;  ///< absent: a file that does not say it
  Seconds took{0};
  std::string verified_by;  ///< "cupti", "simulated", or "time" without counters
  Caches caches;
  std::optional<Interval> idle_w;  ///< idle with a context: the static power
  std::optional<Interval> spin_w;  ///< all multiprocessors spinning, above that: the offset
  std::optional<double> clock_hz;
  std::vector<LevelRow> levels;
  std::vector<SweepPoint> sweep;
  std::vector<ParallelFit> chain_fits;
  std::vector<AccessLine> lines;
  std::vector<PredictedProduct> products;
  std::optional<MemoryScope> scope;
  std::optional<double> r_squared;  ///< of the joint fit, over powers above idle
  std::vector<Residual> residuals;
  std::optional<Interval> loop_j;   ///< one pass of a thread through the loop around the accesses
  std::optional<Interval> logic_j;  ///< a LOP3 beside a load
  std::optional<double> scale;  ///< relative half-width that gain and offset add against a meter
  bool calibrated = false;
  std::vector<std::string> notes;
  bool interrupted = false;
};

void add_reason(LevelRow& row, Reason reason);
/// What its loops do, then what its energy lacks.
std::string all_details(const LevelRow& row);
/// The row of this key, or null.
const LevelRow* find_row(const Table& table, const LevelKey& key);

}  // namespace truewatt::memory
