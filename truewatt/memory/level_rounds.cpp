#include "truewatt/memory/level_rounds.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "truewatt/memory/judgement.hpp"
#include "truewatt/memory/power_limit.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::PointOf;

/// Rows in the order of their turns: what is not served at a level is served at the next one, and
/// charged to that.
std::vector<std::size_t> in_turn(const std::vector<LevelRow>& rows) {
  const auto turn = [](const LevelKey& key) {
    const int behind = key.level == Level::shared ? -1 : -static_cast<int>(key.level);
    return std::tuple(key.data, key.operation, key.level != Level::shared, behind);
  };
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return turn(rows[a].key) < turn(rows[b].key);
  });
  return order;
}

/// Whether a loop without accesses is what the walks of this row do beside theirs.
bool is_twin_of(const Loop& twin, const LevelKey& key) {
  const kernels::AccessPattern& own = twin.pattern;
  const bool of_block = key.level == Level::l1;
  const bool shared = key.level == Level::shared;
  return own.operation == key.operation && own.data == key.data &&
         (own.space == kernels::MemorySpace::shared) == shared &&
         (shared || own.of_block == of_block);
}

/// Splits what a row can do without off: its loops on half of the multiprocessors, and that between
/// its shortest and its longest.
std::vector<PointOf> split_off_more(std::vector<PointOf>& points) {
  const auto more = std::stable_partition(points.begin(), points.end(), [](const PointOf& one) {
    const bool is_end = one.copies == kCopies[0] || one.copies == *std::rbegin(kCopies);
    return is_end && one.share == 1.0;
  });
  std::vector<PointOf> off(more, points.end());
  points.erase(more, points.end());
  return off;
}

}  // namespace

Result<bool> LevelRounds::measure(Seconds until, Seconds end) {
  rounds_.choose_length(until);
  loops_ = that_fit(end);
  std::vector<PointOf> points = rounds_.points_of(loops_);
  std::vector<PointOf> later = split_off_more(points);
  auto played = rounds_.play(std::move(points), end, "every level");
  if (played && *played) {
    played = play_limited(end);
    std::erase_if(later, [this](const PointOf& one) { return is_tried_on_fewer(one); });
    if (played && *played) played = rounds_.play(std::move(later), end, "more of every level");
  }
  if (!played) return Unexpected(played.error());
  fit_and_judge(seen_, options_.target);
  if (!*played || loops_.size() < seen_.plan.loops.size()) return false;
  if (auto done = repeat(until); !done) return Unexpected(done.error());
  return true;
}

/// A row without an energy goes before more of the others.
Result<bool> LevelRounds::play_limited(Seconds end) {
  for (std::vector<std::size_t> limited = loops_at_limit(); !limited.empty();
       limited = loops_at_limit()) {
    if (options_.stop.stop_requested()) return false;
    auto played = rounds_.play_loops(limited, end, "fewer multiprocessors where a limit was met");
    if (!played || !*played) return played;
  }
  return true;
}

/// Whether a limit was met on as many multiprocessors.
bool LevelRounds::is_tried_on_fewer(const PointOf& one) const {
  const auto shares = shares_for(seen_, one.row);
  return std::find(shares.begin(), shares.end(), one.share) == shares.end();
}

bool LevelRounds::fit(const std::vector<PointOf>& points, Seconds end) const {
  return rounds_.takes(points) <= kAllOfTime * (end - rounds_.spent());
}

std::vector<std::size_t> LevelRounds::loops_of(std::size_t row) const {
  std::vector<std::size_t> loops;
  for (std::size_t i = 0; i < seen_.plan.loops.size(); ++i) {
    const Loop& loop = seen_.plan.loops[i];
    const bool is_own = loop.row == row;
    if (is_own || (loop.row == kNoRow && is_twin_of(loop, seen_.plan.rows[row].key))) {
      loops.push_back(i);
    }
  }
  return loops;
}

std::vector<std::size_t> LevelRounds::that_fit(Seconds end) const {
  std::set<std::size_t> some;
  for (const std::size_t row : in_turn(seen_.plan.rows)) {
    std::set<std::size_t> more = some;
    for (const std::size_t loop : loops_of(row)) more.insert(loop);
    std::vector<PointOf> points = rounds_.points_of({more.begin(), more.end()});
    split_off_more(points);
    if (!some.empty() && !fit(points, end)) break;
    some = std::move(more);
  }
  return {some.begin(), some.end()};
}

std::size_t LevelRounds::without_turn() const {
  std::set<std::size_t> without;
  for (const Loop& loop : seen_.plan.loops) without.insert(loop.row);
  without.erase(kNoRow);
  for (std::size_t i = 0; i < seen_.points.size(); ++i) {
    if (!seen_.points[i].empty()) without.erase(seen_.plan.loops[i].row);
  }
  return without.size();
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

std::vector<std::size_t> LevelRounds::loops_at_limit() const {
  std::vector<std::size_t> limited;
  for (const std::size_t i : loops_) {
    if (needs_fewer(seen_, i)) limited.push_back(i);
  }
  return limited;
}

/// First what met a limit, by itself: a row of a lowered clock tells nothing of the others. Then
/// those of rows that are too wide, and all twins.
std::vector<std::size_t> LevelRounds::loops_to_repeat() const {
  std::vector<std::size_t> wanted = loops_at_limit();
  const Plan& plan = seen_.plan;
  if (!wanted.empty()) return wanted;
  for (const std::size_t i : loops_) {
    const std::size_t row = plan.loops[i].row;
    if (row == kNoRow) continue;
    if (is_wide(seen_, row, options_.target) || !plan.rows[row].sector_j) wanted.push_back(i);
  }
  if (wanted.empty()) return wanted;
  for (const std::size_t i : loops_) {
    if (plan.loops[i].row == kNoRow) wanted.push_back(i);
  }
  return wanted;
}

}  // namespace truewatt::memory
