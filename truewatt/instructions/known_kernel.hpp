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
#include "truewatt/kernels/kernel.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::instructions {

/// Kernels whose loops hold known counts of a table's rows: what the rows say that they draw, and
/// what they drew.

struct KnownPart {
  std::string_view instruction;
  unsigned copies = 0;  ///< in an iteration
};
struct KnownKernel {
  std::string_view name;
  std::vector<KnownPart> parts;
};

std::shared_ptr<const kernels::Kernel> make_known(const KnownKernel& known);

/// What of its parts is not in the machine code that runs; nothing where all is there, or where
/// there is none (a simulated device runs PTX).
std::optional<std::string> what_is_missing(const KnownKernel& known,
                                           std::span<const std::byte> image);

/// The rows that they are made of.
std::vector<std::string_view> rows_needed_by(std::span<const KnownKernel> kernels);

/// What one of them drew above idle, and what its rows say.
struct PlayedKernel {
  const KnownKernel* known = nullptr;
  std::string detail;  ///< why there is nothing else
  std::optional<uncertainty::Budget> measured_w{};
  /// What spinning draws, and each row's energy above it and that of its loop, at the rate that was
  /// measured: what mixed code draws beside its rows is not in it.
  std::optional<uncertainty::Budget> rows_w{};
  std::vector<double> parts_w{};  ///< of it, each part's own
};

/// How they are played.
struct KnownPlays {
  Seconds length{1.0};  ///< of each, at least: longer where the board or its sensors need it
  int plays = 3;
};

/// How long that takes of so many.
Seconds known_kernels_take(std::size_t kernels, const KnownPlays& plays,
                           const devices::DeviceSet& set);

/// Plays all in random order, and again in that order, in one recording. `kernels` must outlive the
/// result. `seen`: judged rows. `windows`: the number of windows before and, afterwards, with
/// these. Errors: those of the load and of the device; a kernel that does not run, that a limit
/// held or whose rows have no number says so.
Result<std::vector<PlayedKernel>> play_known(devices::DeviceSet& set, load::Load& load,
                                             const Options& options, const Observations& seen,
                                             std::span<const KnownKernel> kernels,
                                             const KnownPlays& plays, int& windows);

}  // namespace truewatt::instructions
