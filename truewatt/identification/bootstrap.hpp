#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "truewatt/identification/joint_fit.hpp"

namespace truewatt::identification {

/// What becomes of a block of residuals.
enum class Resampling {
  moved,     ///< drawn with replacement: errors are alike wherever they stand
  in_place,  ///< its signs kept or turned together (Shao 2010): errors may differ, as at edges
};

struct BootstrapOptions {
  Resampling resampling = Resampling::moved;
  int replicates = 100;
  /// Readings that are drawn together, so that what neighbours share stays; 0: the cube root of
  /// their number (Künsch 1989).
  std::size_t block = 0;
  std::uint64_t seed = 1;
};

/// A check of the covariance of `fit`, free of its assumptions but that of blocks: residuals in
/// units of their expected standard deviations are resampled in blocks of neighbours, put on the
/// fit's own readings, and the same structure is fitted again. The parameters found, one
/// set a replicate; their spread stands beside the roots of `fit.covariance`. `data` are the
/// readings that `fit` was fitted to. A hundred times the cost of a fit. Pure.
std::vector<Parameters> bootstrap(const FitData& data, const JointFit& fit,
                                  const BootstrapOptions& options = {});

/// Standard deviation of one parameter over the replicates; 0 below two of them.
double spread_of(const std::vector<Parameters>& replicates, Parameter parameter);

}  // namespace truewatt::identification
