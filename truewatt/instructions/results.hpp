#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/energy/results/reader.hpp"
#include "truewatt/instructions/reason.hpp"
#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/kernels/kernel.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::instructions {

/// What one row is about.
struct RowKey {
  std::string instruction;
  kernels::Optimization optimization = kernels::Optimization::O3;
  kernels::Operands operands = kernels::Operands::random;

  friend bool operator==(const RowKey&, const RowKey&) = default;
};

/// Joules per thread-level instruction as a reader of the literature has them, by the slope of its
/// own energies over the counts, above its own idle.
struct ReaderRow {
  energy::Reader reader = energy::Reader::naive;
  double dynamic_j = 0.0;
};

/// The same instruction by the protocol of Arafa et al. (2020), whose numbers are of this kind: one
/// thread on the whole board, and Eq. 1, all that the board drew less what it drew for the same
/// loop without the instructions, over how many there were.
struct OneThreadRow {
  Interval energy_j;
  double idle_j = 0.0;     ///< idle power for as long as one instruction made the loop longer
  Seconds instruction{0};  ///< that time
  Seconds kernel{0};       ///< the kernel of kOneThreadIterations
};
/// Iterations of its kernel, and instructions of an iteration: a ring, where the paper has five.
inline constexpr double kOneThreadIterations = 1e6;
inline constexpr unsigned kOneThreadCopies = kernels::kRing;

/// One stretch of a loop that a row rests on.
struct RowPoint {
  unsigned copies = 0;          ///< instructions of an iteration
  double begin_s = 0;           ///< since the first stretch of all
  double iterations_per_s = 0;  ///< of all threads together
  double power_w = 0;           ///< mean of the board
  double idle_w = 0;            ///< beneath it
  double recent_w = 0;          ///< of the seconds before it
  std::optional<double> clock_hz;
  int recording = 0;  ///< those of one number were recorded together
};

/// Energy of one PTX instruction. Intervals are 95 %, on this sensor's scale.
struct Row {
  RowKey key;
  std::size_t strays = 0;  ///< stretches that were left out: the board was in another state
  std::string group;
  std::string paper;     ///< its row in Table I of Arafa et al. (2020), or empty
  std::string partner;   ///< the instruction that ran beside it, whose energy was subtracted
  int fma_per_warp = 0;  ///< of a matrix instruction
  std::vector<machine_code::OpcodeCount> machine;  ///< machine instructions for each of it

  /// Joules per thread-level instruction: above idle with a context; above all multiprocessors
  /// spinning; and all that the board draws. All three are slopes over the number of instructions
  /// in a loop, so that the loop's own cost is in none of them.
  std::optional<Interval> dynamic_j;
  std::optional<Interval> above_spin_j;
  std::optional<Interval> total_j;

  std::optional<double>
      rate_per_s;                  ///< thread-level instructions of the board, in the longest loop
  std::optional<double> power_w;   ///< of the board, in the longest loop
  std::optional<double> clock_hz;  ///< of the multiprocessors, as seen meanwhile
  double share = 1.0;              ///< of the multiprocessors that it ran on
  std::vector<RowPoint> points;
  std::vector<ReaderRow> readers;
  std::optional<OneThreadRow> one_thread;  ///< where it was asked for
  /// What the uncertainties of dynamic_j and above_spin_j consist of, as standard uncertainties in
  /// joules, scale included.
  std::vector<uncertainty::Term> dynamic_budget;
  std::vector<uncertainty::Term> budget;
  bool valid = false;
  std::vector<Reason> reasons;
  std::string detail;  ///< what the first reason is about: the compiler's words, counts
};

/// What the energies of a table stand on.
struct Baselines {
  std::optional<Interval> idle_w;  ///< idle with a context
  std::optional<Interval> spin_w;  ///< all multiprocessors spinning, above that
  std::optional<double> clock_hz;  ///< while spinning
};

/// A kernel of known counts, as the table predicts it and as it was measured: watts of the board
/// above idle, at the rate that it ran at.
struct VerifiedKernel {
  std::string name;
  std::vector<std::pair<std::string, double>> per_iteration;  ///< instructions, and how many
  double allowed = 0.0;                                       ///< that it may be off by, as a share
  std::optional<Interval> predicted_w;
  std::optional<Interval> measured_w;
  std::optional<double> off;  ///< predicted over measured, less 1
  std::string detail;         ///< why there is nothing

  bool holds() const { return off && std::abs(*off) <= allowed; }
};

/// A loop of two instructions: watts of the board above idle that its rows say, and that it drew.
struct MixedPair {
  std::string name;
  std::vector<std::pair<std::string, double>> per_iteration;  ///< instructions, and how many
  std::optional<Interval> rows_w;
  std::optional<Interval> measured_w;
  std::optional<double> share;  ///< as Mixing's
  std::string detail;           ///< why there is nothing
};

/// What mixed code draws beside its rows: of the rows' energy, times the share of its pairs of
/// joules that are of two kinds.
struct Mixing {
  double share = 0.0;    ///< mean of the pairs
  double share_u = 0.0;  ///< its standard uncertainty
  double scatter = 0.0;  ///< standard deviation from one pair of kinds to another
  std::vector<MixedPair> pairs;
};

/// How far a reader of the literature is off, over all stretches that were measured: of energies
/// above its own idle.
struct ReaderErrors {
  energy::Reader reader = energy::Reader::naive;
  int count = 0;      ///< stretches
  double mape = 0.0;  ///< mean absolute error, as a share
  double rmse_j = 0.0;
};

/// `truewatt instructions` of one device.
struct Table {
  std::string tool_version;
  DeviceIdentity device;
  int compute_capability = 0;       ///< 0: a simulated device
  std::optional<DriverTime> start;  ///< absent: a file that does not say it
  Seconds took{0};
  Baselines baselines;
  std::optional<double> scale;  ///< relative half-width that gain and offset add against a meter
  bool calibrated = false;
  std::vector<Row> rows;
  std::optional<Mixing> mixing;              ///< where the table has the rows of enough pairs
  std::vector<VerifiedKernel> verification;  ///< where it was asked for
  std::vector<ReaderErrors> reader_errors;
  std::optional<std::string> meter;  ///< that these are errors against; absent: the estimate
  std::vector<std::string> notes;
  bool interrupted = false;
};

void add_reason(Row& row, Reason reason);
/// Half-width of its dynamic energy, relative.
std::optional<double> relative_half_width(const Row& row);
/// The row of this key, or null.
const Row* find_row(const Table& table, const RowKey& key);

}  // namespace truewatt::instructions
