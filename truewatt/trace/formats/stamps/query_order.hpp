#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "truewatt/base/time.hpp"

namespace truewatt::trace {

/// Rows of a log that nothing tells apart, by their place within a query.
struct QueryOrder {
  std::size_t gpus = 1;  ///< rows of a query
  /// Of each row, from 0; absent where its query has another number of rows. Empty for one GPU.
  std::vector<std::optional<std::size_t>> places;
};

/// nvidia-smi answers a query with a row a GPU, milliseconds apart, and then waits. Where nine of
/// ten bursts of rows have the same number, within 50 ms and more than twice closer to each other
/// than to the next burst, that is the number of GPUs. Nothing where rows come in bursts that do
/// not say so: of changing length, longer, or of equal stamps that may be too coarse for one GPU's
/// readings. `stamps` in the order of the log. Pure.
std::optional<QueryOrder> order_within_queries(const std::vector<DriverTime>& stamps);

/// How many rows a round may have, of 2 to 16, where rows are read in rounds, as those of several
/// GPUs are: more than half of the scatter of their distances, and more of it than rounding makes,
/// comes again with every round. Pure.
std::vector<std::size_t> rounds_of(const std::vector<DriverTime>& stamps);

/// Whether values in rounds of `gpus` rows are those of as many GPUs: in sum they change four times
/// less from the round before than from the row before. Pure.
bool come_in_rounds(const std::vector<double>& values, std::size_t gpus);

/// Whether values in a row are those of several GPUs in turn, as rows of equal distances may be:
/// nine of ten are four times closer to the one of a round before than to the one before, from
/// which they are 2 W or more. Pure.
bool come_in_turn(const std::vector<double>& values);

}  // namespace truewatt::trace
