#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"

namespace truewatt::counters {

/// What hardware counters say that launches did, summed over the device. Absent: this chip or
/// driver does not count it. A sector is 32 bytes.
struct Counts {
  std::optional<double> shared_loads;  ///< wavefronts of 128 bytes that loads of shared memory took
  std::optional<double> shared_stores;  ///< the same of stores
  std::optional<double> l1_hits;        ///< sectors of loads of global memory that L1 had
  std::optional<double> l1_misses;      ///< and those that it had not
  std::optional<double> l1_stores;      ///< sectors of stores that reached L1
  std::optional<double> l2_hits;        ///< sectors that SMs read or wrote and L2 had
  std::optional<double> l2_misses;
  std::optional<double> l2_reads;  ///< sectors that L2 was asked for
  std::optional<double> l2_writes;
  std::optional<double> l2_far;      ///< sectors that came from the other partition
  std::optional<double> dram_reads;  ///< sectors
  std::optional<double> dram_writes;
  std::optional<double> local_sectors;              ///< of registers that were spilled
  std::map<std::string, double> pipe_instructions;  ///< warp instructions by pipe: "fma", "alu"
};

/// Counters of one device, in the context that launches kernels. One thread, the launching one.
class Counters {
 public:
  virtual ~Counters() = default;
  /// What counts: "cupti", "ncu", "simulated".
  virtual std::string_view name() const = 0;
  /// Counts what `launch` launches and waits for it. It may be called several times, once for each
  /// pass that the hardware needs, and must do the same each time. Errors: permission (the message
  /// says what an administrator must set), unsupported, device, and those of `launch`.
  virtual Result<Counts> count(const std::function<Result<void>()>& launch) = 0;
  /// Between these two calls what counts need not begin and end with each count(), which takes a
  /// GPU some tenths of a second: launches are slower meanwhile, also those that are not counted.
  virtual void begin_row() {}
  virtual void end_row() {}
};

/// As long as it lives counts follow one another in a row. Nothing in it is timed, and of nothing
/// is the energy measured. `counters` may be null.
class InARow {
 public:
  explicit InARow(Counters* counters) : counters_(counters) {
    if (counters_ != nullptr) counters_->begin_row();
  }
  ~InARow() {
    if (counters_ != nullptr) counters_->end_row();
  }
  InARow(const InARow&) = delete;
  InARow& operator=(const InARow&) = delete;

 private:
  Counters* counters_;
};

}  // namespace truewatt::counters
