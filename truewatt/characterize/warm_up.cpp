#include "truewatt/characterize/warm_up.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/characterize/schedules.hpp"

namespace truewatt::characterize {
namespace {

/// Share of the time for which the rounds of random work, their steps and pauses keep it busy.
constexpr double kBusyShare = 0.48;
/// From one estimate of the warmth to the next.
constexpr double kLongestPiece = 3.0;  // s
/// What is missing less than this is not worth a piece.
constexpr double kShortestPiece = 0.5;  // s

}  // namespace

Result<void> warm_up(const WarmUpSteps& steps, Seconds most, std::mt19937_64& rng) {
  double left = most.count();
  while (left >= kShortestPiece && !steps.stopped()) {
    const auto warmth = steps.warmth();
    if (!warmth) break;
    const double missing = identification::work_towards(*warmth, kBusyShare);
    const double length = std::min({std::abs(missing), kLongestPiece, left});
    if (length < kShortestPiece) break;
    if (missing < 0) {
      steps.rest(Seconds(length));
      left -= length;
      continue;
    }
    const load::Schedule piece = warm_up_schedule(Seconds(length), rng);
    if (auto played = steps.work(piece); !played) return played;
    left -= piece.duration.count();
  }
  return {};
}

}  // namespace truewatt::characterize
