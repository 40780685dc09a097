#pragma once

#include <map>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/store/sqlite.hpp"

namespace truewatt::store {

/// Writes energy estimates into the tables of a run file: one row in `estimates`, and rows for
/// budget, naive energies, reasons and so on that refer to it.
class EstimateWriter {
 public:
  static Result<EstimateWriter> prepare(Database& database);
  Result<void> append(int device, const energy::EnergyEstimate& estimate);

 private:
  EstimateWriter() = default;
  Statement estimate_, budget_, naive_, source_, reader_, gain_, scale_, baseline_, reason_;
  std::int64_t count_ = 0;
};

/// All estimates by device, in the order in which they were written. Their device is left empty.
Result<std::map<std::int64_t, std::vector<energy::EnergyEstimate>>> read_estimates(
    Database& database);

}  // namespace truewatt::store
