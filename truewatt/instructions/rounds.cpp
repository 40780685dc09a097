#include "truewatt/instructions/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "truewatt/experiment/session.hpp"
#include "truewatt/instructions/instruction_kernel.hpp"
#include "truewatt/instructions/judgement.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::instructions {
namespace {

using kernels::Optimization;
using microbenchmark::length_of_batch;
using microbenchmark::PointOf;

/// Points of one recording: some twenty seconds, in which idle hardly moves.
constexpr std::size_t kBatch = 90;
/// Idle that is seen to move, or not, in fewer recordings says little of how far it moves.
constexpr std::size_t kFewestBatches = 4;
constexpr std::size_t kSmallestBatch = 3;
/// Fewer points are played several times over.
constexpr std::size_t kFilled = 40;
constexpr Seconds kLongest{1.5};
/// Of the budget, for the first measurement of every row: many stretches tell more than long ones.
constexpr double kFirstRound = 0.4;
/// Where the first measurement would take more than this of the time, rows get fewer counts, down
/// to these: the rest repeats what a limit held.
constexpr double kMostOfTime = 0.8;
constexpr std::size_t kFewestAnew = 3;
/// Of the time, what stretches can fill: a recording ends a little later than they do.
constexpr double kAllOfTime = 0.95;
/// What an unknown sensor's characterization takes of a budget.
constexpr double kCharacterizes = 0.1;
/// Shares of the multiprocessors that a row above the power limit is tried on: the largest that the
/// lowered clock lets expect to stay below it, or less, since voltage falls with the clock.
constexpr double kFewerShares[] = {0.5, 0.2, 0.08, 0.03, 0.01};
constexpr double kBelowLimit = 0.8;
constexpr double kFewest = 0.01;
/// ... where its clock is lowered no further than the spinning loop's: heat, not what it draws.
constexpr double kFewestAlike = 0.2;
constexpr double kSlower = 0.99;

/// Of the half-width of what leans on it, a partner's is large from here on.
constexpr double kWidens = 0.4;

/// A row as wide as this, of whatever optimization, tells nothing yet: of three stretches one was
/// astray.
constexpr double kTellsNothing = 0.25;

/// Kernels that stand beside the rows in every batch.
constexpr std::size_t kBeside = 5;
constexpr std::size_t kSpin = static_cast<std::size_t>(-1);
constexpr std::size_t kEmptyO0 = static_cast<std::size_t>(-2);
constexpr std::size_t kEmptyO3 = static_cast<std::size_t>(-3);
/// Whose empty loop stands for all.
constexpr std::string_view kEmptyOf = "add.s32";

std::size_t empty_of(Optimization optimization) {
  return optimization == Optimization::O0 ? kEmptyO0 : kEmptyO3;
}

std::vector<unsigned> loops_of(const PlannedRow& planned) {
  std::vector<unsigned> copies;
  for (const auto& loop : planned.loops) copies.push_back(loop.first);
  return copies;
}

/// So many of them, the least and the most among them.
std::vector<unsigned> spread(const std::vector<unsigned>& copies, std::size_t counts) {
  if (copies.size() <= counts) return copies;
  std::vector<unsigned> some;
  for (std::size_t i = 0; i < counts; ++i) {
    some.push_back(copies[i * (copies.size() - 1) / (counts - 1)]);
  }
  return some;
}

std::set<unsigned> counts_of(const std::vector<Point>& points) {
  std::set<unsigned> counts;
  for (const Point& point : points) counts.insert(point.of.copies);
  return counts;
}

void start_again(MeasuredRow& row) {
  row.points.clear();
  row.next = loops_of(row.planned);
}

std::vector<double> shares_of(const std::vector<PointOf>& points) {
  std::vector<double> shares{1.0};
  for (const PointOf& point : points) {
    if (std::find(shares.begin(), shares.end(), point.share) == shares.end()) {
      shares.push_back(point.share);
    }
  }
  return shares;
}

}  // namespace

Result<void> Rounds::prepare(const std::vector<RowKey>& keys) {
  spin_ = microbenchmark::make_spin();
  if (const auto code = load_.compile(spin_); !code) return Unexpected(code.error());
  for (const RowKey& key : keys) {
    if (stopped()) break;
    const std::size_t done = seen_.rows.size();
    experiment::say(options_.progress,
                    0.05 * static_cast<double>(done) / static_cast<double>(keys.size()),
                    fmt::format("compiling {} of {}: {}", done + 1, keys.size(), key.instruction));
    seen_.rows.push_back({.planned = plan_row(load_, key, options_.overhead)});
    start_again(seen_.rows.back());
    if (auto made = make_empty(key.optimization); !made) return made;
  }
  choose_length();
  return {};
}

/// The empty loop of an optimization, of whatever row: it has none of its instructions.
Result<void> Rounds::make_empty(Optimization optimization) {
  auto& empty = empties_[empty_of(optimization)];
  if (empty) return {};
  empty = make_loop({.instruction = kernels::find_instruction(kEmptyOf),
                     .optimization = optimization,
                     .overhead = options_.overhead});
  const auto code = load_.compile(empty);
  if (!code) return Unexpected(code.error());
  compute_capability_ = (*code)->compute_capability;
  return {};
}

/// Longer stretches where there is time.
void Rounds::choose_length() {
  const auto& profile = set_.devices.front().known.profile;
  pace_ = microbenchmark::pace_of(profile ? &*profile : nullptr);
  length_ = pace_.shortest;
  double points = 0.0;
  for (const MeasuredRow& row : seen_.rows) {
    points += static_cast<double>(row.planned.loops.size());
  }
  if (points == 0.0) return;
  const double batches = std::max(std::ceil(points / kBatch), static_cast<double>(kFewestBatches));
  const Seconds kernels =
      kFirstRound * left() - batches * length_of_batch(0, Seconds(0), pace_.idle);
  length_ = std::clamp(kernels / (points + batches * static_cast<double>(kBeside)), pace_.shortest,
                       std::max(kLongest, pace_.shortest));
  reaches_all_ = (spent() + takes(runnable(), kFewestAnew) / kAllOfTime) / (1 - kCharacterizes);
}

std::size_t Rounds::size_of_batches(std::size_t points) const {
  return round_ > 0 ? kBatch : std::clamp(points / kFewestBatches, kSmallestBatch, kBatch);
}

bool Rounds::lacks_counts(std::size_t row) const {
  return counts_of(seen_.baselines.steady(seen_.rows[row].points)).size() < kFewestAnew;
}

std::vector<unsigned> Rounds::lacking(std::size_t row, std::size_t counts) const {
  const std::set<unsigned> known = counts_of(seen_.baselines.steady(seen_.rows[row].points));
  std::vector<unsigned> copies = spread(loops_of(seen_.rows[row].planned), counts);
  std::erase_if(copies, [&known](unsigned one) { return known.contains(one); });
  return copies;
}

Seconds Rounds::takes(const std::vector<std::size_t>& rows, std::size_t counts) const {
  std::size_t points = 0;
  for (const std::size_t i : rows) points += lacking(i, counts).size();
  const double batches =
      std::ceil(static_cast<double>(points) / static_cast<double>(size_of_batches(points)));
  return batches * length_of_batch(kBeside, length_, pace_.idle) +
         static_cast<double>(points) * length_;
}

std::vector<std::size_t> Rounds::that_fit(std::vector<std::size_t> rows) {
  std::vector<std::size_t> anew;
  std::size_t counts = kFewestAnew;
  for (const std::size_t i : rows) {
    if (!lacks_counts(i)) continue;
    anew.push_back(i);
    counts = std::max(counts, seen_.rows[i].planned.loops.size());
  }
  while (counts > kFewestAnew && takes(anew, counts) > kMostOfTime * left()) --counts;
  for (const std::size_t i : anew) seen_.rows[i].next = lacking(i, counts);
  while (!anew.empty() && takes(anew, counts) > kAllOfTime * left()) {
    rows.erase(std::find(rows.begin(), rows.end(), anew.back()));
    anew.pop_back();
  }
  return rows;
}

std::vector<std::string> Rounds::notes() const {
  const std::vector<std::size_t> all = runnable();
  std::vector<std::size_t> without;
  std::copy_if(all.begin(), all.end(), std::back_inserter(without),
               [this](std::size_t i) { return lacks_counts(i); });
  if (without.empty() || stopped()) return {};
  // Where no row has enough, it may be something else than the time.
  if (reaches_all_ <= options_.budget && without.size() == all.size()) return {};
  const Seconds more = spent() + takes(without, kFewestAnew) / kAllOfTime;
  // Of a longer run as many recordings are left out.
  const Seconds reaches = std::max(reaches_all_, more) / seen_.baselines.steady_share();
  return {fmt::format(
      "{} of {} rows had no turn or too short a one: stretches last {:.2g} s, as these sensors and "
      "this board need; --budget {:.0f} reaches all",
      without.size(), all.size(), length_.count(), 10 * std::ceil(reaches.count() / 10))};
}

std::vector<std::size_t> Rounds::runnable() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < seen_.rows.size(); ++i) {
    if (!seen_.rows[i].planned.loops.empty()) rows.push_back(i);
  }
  return rows;
}

Result<void> Rounds::play(const std::vector<std::size_t>& rows) {
  std::vector<PointOf> points;
  for (const std::size_t i : that_fit(rows)) {
    const MeasuredRow& row = seen_.rows[i];
    for (const unsigned copies : row.next) {
      points.push_back({i, copies, row.planned.loops.at(copies), row.share});
    }
  }
  // What has too few counts has no number until its turn comes.
  const auto later =
      std::stable_partition(points.begin(), points.end(),
                            [this](const PointOf& point) { return lacks_counts(point.row); });
  const auto first = later - points.begin();
  // The idle beside a recording costs as much as a dozen stretches.
  const std::vector<PointOf> once = points;
  while (round_ > 0 && !once.empty() && points.size() + once.size() <= kFilled) {
    points.insert(points.end(), once.begin(), once.end());
  }
  std::shuffle(points.begin(), points.begin() + first, chance_);
  std::shuffle(points.begin() + first, points.end(), chance_);
  const std::size_t size = size_of_batches(points.size());
  while (!points.empty() && !stopped()) {
    const auto until = points.begin() + static_cast<std::ptrdiff_t>(std::min(points.size(), size));
    std::vector<PointOf> some(points.begin(), until);
    points.erase(points.begin(), until);
    while (!some.empty() && left() < length_of_batch(some.size() + kBeside, length_, pace_.idle)) {
      some.pop_back();
    }
    if (some.empty()) break;
    if (auto played = play_recording(some); !played) return played;
    // What a limit held begins anew on fewer multiprocessors.
    std::erase_if(points,
                  [this](const PointOf& point) { return wants_fewer(seen_.rows[point.row]); });
  }
  return {};
}

Result<void> Rounds::play_recording(std::vector<PointOf> points) {
  for (const double share : shares_of(points)) points.push_back({kSpin, 0, spin_, share});
  for (const auto& [which, empty] : empties_) points.push_back({which, 0, empty, 1.0});
  std::shuffle(points.begin(), points.end(), chance_);
  experiment::say(options_.progress, std::min(1.0, spent() / options_.budget),
                  fmt::format("measuring: {}, {:.0f} of at most {:.0f} s",
                              round_ == 0 ? "every row" : "again what is not known to 3 %",
                              spent().count(), options_.budget.count()));
  auto batch = microbenchmark::play_batch(set_, load_, points,
                                          {.polling = options_.polling,
                                           .estimate = options_.estimate,
                                           .length = length_,
                                           .settles = pace_.settles,
                                           .idle = pace_.idle,
                                           .first_run = windows_,
                                           .stop = options_.stop});
  if (!batch) return Unexpected(batch.error());
  windows_ += batch->windows;
  if (!batch->idle_w) return {};
  const int number = seen_.baselines.add(*batch);
  for (Point& point : batch->points) {
    point.batch = number;
    keep(std::move(point));
  }
  return {};
}

void Rounds::keep(Point point) {
  if (!seen_.began) seen_.began = point.span.begin;
  if (point.of.row == kSpin) {
    seen_.baselines.add_spin(point);
  } else if (point.of.row == kEmptyO0 || point.of.row == kEmptyO3) {
    const bool unoptimized = point.of.row == kEmptyO0;
    seen_.empty[unoptimized ? Optimization::O0 : Optimization::O3].push_back(std::move(point));
  } else {
    seen_.rows[point.of.row].points.push_back(std::move(point));
  }
}

std::vector<std::size_t> Rounds::rows_to_repeat() {
  if (left() < length_of_batch(kSmallestBatch + kBeside, length_, pace_.idle)) return {};
  std::vector<std::size_t> again;
  std::vector<std::size_t> beside;
  for (const std::size_t i : runnable()) {
    const MeasuredRow& row = seen_.rows[i];
    if (!wants_more(row)) continue;
    const bool comes_first = row.planned.row.key.optimization == Optimization::O3 ||
                             !row.slopes.dynamic_pj || is_wide(row.planned.row, kTellsNothing);
    (comes_first ? again : beside).push_back(i);
  }
  std::stable_sort(beside.begin(), beside.end(), [this](std::size_t a, std::size_t b) {
    return seen_.rows[a].points.size() < seen_.rows[b].points.size();
  });
  std::size_t points = 0;
  for (const std::size_t i : again) points += plan_more(seen_.rows[i]);
  for (const std::size_t i : beside) {
    if (points >= kBatch) break;
    points += plan_more(seen_.rows[i]);
    again.push_back(i);
  }
  ++round_;
  return points > 0 ? again : std::vector<std::size_t>();
}

bool Rounds::widens_another(const MeasuredRow& row) const {
  const Row& own = row.planned.row;
  return std::any_of(seen_.rows.begin(), seen_.rows.end(), [&](const MeasuredRow& other) {
    const Row& leans = other.planned.row;
    RowKey partner = leans.key;
    partner.instruction = leans.partner;
    return partner == own.key && leans.dynamic_j && is_wide(leans, options_.target) &&
           half_width_of(*own.dynamic_j) > kWidens * half_width_of(*leans.dynamic_j);
  });
}

double Rounds::clock_share(const MeasuredRow& row) const {
  double least = 1.0;
  for (const Point& point : row.points) {
    least = std::min(least, seen_.baselines.clock_share(point));
  }
  return least;
}

bool Rounds::wants_fewer(const MeasuredRow& row) const {
  return is_limited(row) && row.share > (clock_share(row) < kSlower ? kFewest : kFewestAlike);
}

double Rounds::fewer_for(const MeasuredRow& row) const {
  const double most = kBelowLimit * clock_share(row) * row.share;
  for (const double share : kFewerShares) {
    if (share <= most) return share;
  }
  return kFewest;
}

bool Rounds::wants_more(const MeasuredRow& row) const {
  if (!row.slopes.dynamic_pj || wants_fewer(row)) return true;
  return is_wide(row.planned.row, options_.target) || widens_another(row);
}

std::size_t Rounds::plan_more(MeasuredRow& row) {
  if (wants_fewer(row)) {
    row.share = fewer_for(row);
    start_again(row);
  } else if (row.slopes.dynamic_pj) {
    row.next = more_loops(load_, row.planned);
  } else {
    row.next = loops_of(row.planned);
  }
  return row.next.size();
}

}  // namespace truewatt::instructions
