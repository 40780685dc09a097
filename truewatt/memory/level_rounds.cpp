#include "truewatt/memory/level_rounds.hpp"

#include "truewatt/memory/judgement.hpp"
#include "truewatt/memory/power_limit.hpp"

namespace truewatt::memory {

Result<bool> LevelRounds::measure(Seconds until, Seconds end) {
  rounds_.choose_length(until);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < seen_.plan.loops.size(); ++i) all.push_back(i);
  const auto played = rounds_.play_loops(all, end, "every level");
  if (!played) return Unexpected(played.error());
  fit_and_judge(seen_, options_.target);
  if (!*played) return false;
  if (auto done = repeat(until); !done) return Unexpected(done.error());
  return true;
}

Result<void> LevelRounds::repeat(Seconds until) {
  while (!options_.stop.stop_requested()) {
    const std::vector<std::size_t> wanted = loops_to_repeat();
    if (wanted.empty()) break;
    const auto played = rounds_.play_loops(wanted, until, "again what is not known to 5 %");
    if (!played) return Unexpected(played.error());
    fit_and_judge(seen_, options_.target);
    if (!*played) break;
  }
  return {};
}

/// First what met a limit, by itself: a row of a lowered clock tells nothing of the others. Then
/// those of rows that are too wide, and all twins.
std::vector<std::size_t> LevelRounds::loops_to_repeat() const {
  std::vector<std::size_t> wanted;
  const Plan& plan = seen_.plan;
  for (std::size_t i = 0; i < plan.loops.size(); ++i) {
    if (needs_fewer(seen_, i)) wanted.push_back(i);
  }
  if (!wanted.empty()) return wanted;
  for (std::size_t i = 0; i < plan.loops.size(); ++i) {
    const std::size_t row = plan.loops[i].row;
    if (row == kNoRow) continue;
    if (is_wide(seen_, row, options_.target) || !plan.rows[row].sector_j) wanted.push_back(i);
  }
  if (wanted.empty()) return wanted;
  for (std::size_t i = 0; i < plan.loops.size(); ++i) {
    if (plan.loops[i].row == kNoRow) wanted.push_back(i);
  }
  return wanted;
}

}  // namespace truewatt::memory
