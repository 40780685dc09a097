#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/time_span.hpp"
#include "truewatt/load/cuda/gpu_kernel.hpp"
#include "truewatt/load/cuda/launch_timing.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::load::cuda {

/// Length of the launches that a stretch is cut into.
inline constexpr Seconds kPiece{0.08};

/// Plays one stretch of work that is to end at a given time. Up to 250 ms it is one launch, unless
/// pieces are shorter than usual. A longer one is cut into pieces, two of them always queued so
/// that the GPU never waits, and each sized by the speed of those before: the stretch ends on time
/// though the clock falls, a request to stop waits for two pieces at most, and no watchdog sees a
/// long kernel.
class StretchPlayer {
 public:
  StretchPlayer(GpuKernel& kernel, Clock& clock, const LaunchTiming& timing, unsigned blocks,
                Seconds piece = kPiece);

  /// Works from now until `end`, which lies in the future; sleeps meanwhile. Returns from before
  /// the first launch to when the last one had ended: that stamp is made from the GPU's own time
  /// after the launch, as the driver wakes the thread late.
  Result<HostSpan> play(HostTime end, const std::stop_token& stop);
  /// When its launches had ended, and how many passes they made.
  const std::vector<KernelPiece>& pieces() const { return ended_; }

 private:
  Result<void> queue(Seconds left);
  Seconds queued_work() const;
  Result<Seconds> wait_for_first(Seconds begun);

  GpuKernel& kernel_;
  Clock& clock_;
  LaunchTiming timing_;  ///< per_pass is that of the latest piece
  unsigned blocks_;
  Seconds piece_;
  std::vector<std::uint32_t> pieces_;  ///< passes of the launches under way, two at most
  std::vector<KernelPiece> ended_;
  Seconds longest_last_{0};
  double passes_ = 0.0;  ///< of the launches that have ended
  bool all_queued_ = false;
};

}  // namespace truewatt::load::cuda
