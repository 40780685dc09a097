#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/kernels/kernel.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::instructions {

/// A row with its loops, compiled for one device, for as many counts of the instruction as it is
/// measured at.
struct PlannedRow {
  const kernels::Instruction* instruction = nullptr;
  kernels::LoopOverhead overhead = kernels::LoopOverhead::normal;
  Row row;
  std::map<unsigned, std::shared_ptr<const kernels::Kernel>> loops;  ///< by copies
  unsigned most_copies = 0;
  double per_copy = 0.0;        ///< machine instructions of a copy ...
  double of_loop = 0.0;         ///< ... and of its loop without copies
  std::set<unsigned> others{};  ///< copies of which the assembler made something else
};

/// Compiles the loops of a row at eight counts, fewer at O0 and where it expands much, as many
/// copies as keep the longest below `kLongestLoop` machine instructions, and looks whether the
/// instruction is what runs there. Where it is not, or does not compile, the row says so and has no
/// loops.
PlannedRow plan_row(load::Load& load, const RowKey& key, kernels::LoopOverhead overhead);

/// Compiles up to four long loops of other counts, and returns these; the longest that it has where
/// there are no others.
std::vector<unsigned> more_loops(load::Load& load, PlannedRow& planned);

/// Machine instructions, 16 bytes each, that the innermost instruction caches hold since Volta.
inline constexpr double kLongestLoop = 640;

}  // namespace truewatt::instructions
