#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::report {

/// What somebody else has of the same instruction, in joules of a thread.
struct PublishedValue {
  std::string gpu;
  std::string reader;  ///< of Arafa et al. (2020): "papi", "mtsm"; else empty
  std::string source;  ///< who, where values of several stand together; else empty
  double joules = 0.0;
};

/// Our number, and theirs.
struct PublishedRow {
  std::string group;  ///< of Table I of Arafa et al. (2020), or empty
  std::string name;   ///< a row of that table, or an instruction
  kernels::Optimization optimization = kernels::Optimization::O3;
  bool above_spin = false;              ///< else above idle with a context
  double ours_j = 0.0;                  ///< the mean where several of our rows are one of theirs
  std::optional<Interval> ours_within;  ///< where it is one
  std::vector<PublishedValue> values;
};

/// A table beside published values: rows that both have.
struct PublishedComparison {
  std::string source;  ///< empty: each value names its own
  std::string worth;   ///< what they are worth, in words
  std::vector<PublishedRow> rows;
};

/// Table I of Arafa et al. (CF 2020): four GPUs, O3 and O0, its readers PAPI and MTSM. Pure.
PublishedComparison beside_arafa(const instructions::Table& table);

/// O3 rows with random operands beside values of other projects for busy GPUs, by the baseline that
/// those have. Pure.
PublishedComparison beside_published_values(const instructions::Table& table);

/// One line a published value, with a header line; energies in joules. `separator` as of -x. Pure.
std::string published_csv(const PublishedComparison& comparison, const std::string& separator);

}  // namespace truewatt::report
