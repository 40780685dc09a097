#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/instructions/instructions.hpp"
#include "truewatt/instructions/observations.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/kernels/kernel.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::instructions {

/// Whether a table is right: kernels whose loops hold known counts of its instructions are
/// predicted from the rows and measured. A pure FMA kernel may be off by 5 %, mixed ones by 10 %.

struct KnownPart {
  std::string_view instruction;
  unsigned copies = 0;  ///< in an iteration
};
struct KnownKernel {
  std::string_view name;
  double allowed = 0.0;  ///< that its prediction may be off by, as a share
  std::vector<KnownPart> parts;
};

/// The kernels: of rows without partners, whose pipes work side by side, behind one another, and at
/// other rates. No loop is one that a row was measured at.
std::span<const KnownKernel> known_kernels();
std::shared_ptr<const kernels::Kernel> make_known(const KnownKernel& known);

/// What of its parts is not in the machine code that runs; nothing where all is there, or where
/// there is none (a simulated device runs PTX).
std::optional<std::string> what_is_missing(const KnownKernel& known,
                                           std::span<const std::byte> image);

/// The rows that they are made of.
std::vector<std::string_view> verification_rows();

/// How long it takes.
Seconds verification_takes();

/// Plays all kernels in random order, and again, in one recording. Predicted is what spinning
/// draws, and each row's energy above it and that of its loop at the rate that was measured.
/// `seen`: judged rows. `windows`: the number of windows before and, afterwards, with these.
/// Errors: those of the load and of the device; a kernel that does not run, or whose rows have no
/// number, says so.
Result<std::vector<VerifiedKernel>> verify_kernels(devices::DeviceSet& set, load::Load& load,
                                                   const Options& options, const Observations& seen,
                                                   int& windows);

}  // namespace truewatt::instructions
