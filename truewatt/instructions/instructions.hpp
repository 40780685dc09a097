#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "truewatt/base/result.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/experiment/progress.hpp"
#include "truewatt/instructions/plan.hpp"
#include "truewatt/instructions/results.hpp"
#include "truewatt/instructions/selection.hpp"
#include "truewatt/sensor/meter/meter.hpp"

namespace truewatt::instructions {

/// An external meter beside the measurement.
struct MeterBeside {
  sensor::Meter* live = nullptr;  ///< null: of a simulated device
};

struct Options {
  Selection selection;
  Seconds budget{600};   ///< for all of it, compiling included
  double target = 0.03;  ///< rows wider than this, and than 0.2 pJ, are measured again
  std::uint64_t seed = 1;
  kernels::LoopOverhead overhead = kernels::LoopOverhead::normal;  ///< results do not depend on it
  bool verify = false;      ///< also kernels of known counts, predicted and measured
  bool one_thread = false;  ///< the rows of Table I also by the protocol of Arafa et al. (2020)
  std::optional<MeterBeside> meter;  ///< the reference of readers
  capture::PollOptions polling;
  energy::EstimateOptions estimate;
  experiment::Progress progress;
  std::stop_token stop;
};

/// Energy per PTX instruction of the set's one device (Arafa et al., CF 2020, made to hold for any
/// GPU; docs/method.md, section 14). Every wanted row runs in loops of three lengths on all
/// multiprocessors, in random order among the others', between idle and a spinning loop; rows that
/// are not known well enough run again while the budget lasts, those above the power limit on fewer
/// multiprocessors. A row without a number has its reason. Errors: those of the device and of the
/// selection.
Result<Table> measure_instructions(devices::DeviceSet& set, const devices::Environment& environment,
                                   const Options& options);

}  // namespace truewatt::instructions
