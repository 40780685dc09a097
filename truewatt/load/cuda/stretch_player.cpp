#include "truewatt/load/cuda/stretch_player.hpp"

#include <algorithm>

namespace truewatt::load::cuda {
namespace {

constexpr Seconds kWholeLaunch{0.25};
constexpr Seconds kLastPiece{0.12};
/// Who asks for shorter pieces wants to know how far each had come.
constexpr double kLastOfShort = 1.5;
/// Less than this is not worth a launch.
constexpr Seconds kNothingLeft{5e-5};
/// No GPU changes its clock by more than this factor; the host's stamps may.
constexpr double kMostChange = 8.0;

}  // namespace

StretchPlayer::StretchPlayer(GpuKernel& kernel, Clock& clock, const LaunchTiming& timing,
                             unsigned blocks, Seconds piece)
    : kernel_(kernel), clock_(clock), timing_(timing), blocks_(blocks), piece_(piece) {}

Result<HostSpan> StretchPlayer::play(HostTime end, const std::stop_token& stop) {
  const HostTime begin = clock_.now();
  const Seconds whole = end - begin - timing_.overhead;
  longest_last_ = whole <= kWholeLaunch ? kWholeLaunch : kLastPiece;
  if (piece_ < kPiece) longest_last_ = kLastOfShort * piece_;
  auto queued = kernel_.context().mark_start();
  if (queued) queued = queue(whole);
  // The GPU starts about when the launch returns; its own times count from here.
  const HostTime start = clock_.now();
  Seconds done = timing_.overhead;
  while (queued && !pieces_.empty()) {
    const Seconds left = end - start - done - queued_work();
    const bool wanted = !all_queued_ && left > kNothingLeft && !stop.stop_requested();
    if (wanted) queued = queue(left);
    if (!queued) break;
    const auto ended = wait_for_first(done);
    if (!ended) return Unexpected(ended.error());
    done = *ended;
    ended_.push_back({start + to_nanoseconds(done), passes_});
  }
  if (!queued) return Unexpected(queued.error());
  const HostTime over = std::min(clock_.now(), start + to_nanoseconds(done));
  if (!ended_.empty()) ended_.back().end = over;
  return HostSpan{begin, over};
}

Result<void> StretchPlayer::queue(Seconds left) {
  all_queued_ = left <= longest_last_;
  pieces_.push_back(timing_.passes_for(all_queued_ ? left : piece_));
  return kernel_.launch(blocks_, pieces_.back());
}

Seconds StretchPlayer::queued_work() const {
  Seconds work{0};
  for (const std::uint32_t passes : pieces_) work += passes * timing_.per_pass;
  return work;
}

/// The time at which the earlier piece ended, which had begun at `begun`, both by the GPU. Learns
/// from it how fast the GPU is now.
Result<Seconds> StretchPlayer::wait_for_first(Seconds begun) {
  const auto ended = kernel_.context().wait(kernel_.context().launches() - pieces_.size());
  if (!ended) return ended;
  timing_.per_pass = std::clamp((*ended - begun) / pieces_.front(), timing_.per_pass / kMostChange,
                                timing_.per_pass * kMostChange);
  passes_ += pieces_.front();
  pieces_.erase(pieces_.begin());
  return ended;
}

}  // namespace truewatt::load::cuda
