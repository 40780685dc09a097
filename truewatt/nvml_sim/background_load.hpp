#pragma once

#include <optional>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::nvml_sim {

/// What every simulated GPU of the process runs from its start on, for as long as it exists: a
/// constant level, or a square wave that begins with its on-phase.
struct BackgroundLoad {
  double level = 1.0;  ///< in [0, 1]; 0: a context exists, nothing runs
  Seconds period{0};   ///< 0: constant
  double duty = 0.5;   ///< share of the period that is on, in (0, 1)
};

/// Parses `level=0.5` or `period=0.2,duty=0.5,level=1` (seconds; any subset, in any order). The
/// error names the key and what is allowed.
Result<BackgroundLoad> parse_background_load(std::string_view text);

/// Plays a background load on one GPU, a stretch at a time, always well ahead of what is asked.
class BackgroundPlayer {
 public:
  /// Nothing: no load and no context, the board sleeps.
  explicit BackgroundPlayer(std::optional<BackgroundLoad> load) : load_(load) {}

  /// Call before asking `gpu` anything at `t` seconds.
  void play_ahead(simgpu::SimulatedGpu& gpu, double t);

 private:
  std::optional<BackgroundLoad> load_;
  double played_until_ = 0.0;
};

}  // namespace truewatt::nvml_sim
