#include "truewatt/instructions/instructions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "truewatt/experiment/session.hpp"
#include "truewatt/instructions/instruction_kernel.hpp"
#include "truewatt/instructions/row_energy.hpp"
#include "truewatt/microbenchmark/idle.hpp"
#include "truewatt/microbenchmark/known_sensors.hpp"
#include "truewatt/microbenchmark/spin.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {
namespace {

using kernels::Optimization;
using microbenchmark::length_of_batch;
using microbenchmark::Point;
using microbenchmark::PointOf;
using uncertainty::Budget;

/// Points of one recording: some twenty seconds, in which idle hardly moves.
constexpr std::size_t kBatch = 36;
/// Idle that is seen to move, or not, in fewer recordings says little of how far it moves.
constexpr std::size_t kFewestBatches = 4;
constexpr std::size_t kSmallestBatch = 3;
constexpr Seconds kShortest{0.3};
constexpr Seconds kLongest{1.5};
/// Of the budget, for the first measurement of every row.
constexpr double kFirstRound = 0.75;
/// Shares of the multiprocessors that a row above the power limit is tried on.
constexpr double kFewer = 0.5;
constexpr double kFewest = 0.2;
/// A residual that no reading explains.
constexpr double kMisfit = 0.03;

constexpr std::size_t kBeside = 3;

/// Kernels that stand beside the rows in every batch.
constexpr std::size_t kSpin = static_cast<std::size_t>(-1);
constexpr std::size_t kEmptyO0 = static_cast<std::size_t>(-2);
constexpr std::size_t kEmptyO3 = static_cast<std::size_t>(-3);

std::size_t empty_of(Optimization optimization) {
  return optimization == Optimization::O0 ? kEmptyO0 : kEmptyO3;
}

RowPoint row_point(const Point& point) {
  const double length = point.length.count();
  return {.copies = point.of.copies,
          .iterations_per_s = point.iterations / length,
          .power_w = point.energy_j.value() / length,
          .idle_w = point.idle_j.value() / length,
          .clock_hz = point.clock_hz,
          .recording = point.batch};
}

class Measuring {
 public:
  Measuring(devices::DeviceSet& set, load::Load& load, const Options& options, HostTime began)
      : set_(set), load_(load), options_(options), began_(began), chance_(options.seed) {
    table_.device = set.devices.front().sensor->device();
    table_.start = set.clock->realtime_now();
    table_.tool_version = TRUEWATT_VERSION;
    table_.notes = set.notes;
  }

  Result<Table> measure(const std::vector<RowKey>& keys) {
    if (auto compiled = compile(keys); !compiled) return Unexpected(compiled.error());
    choose_length();
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].planned.loops.empty()) rows.push_back(i);
    }
    while (!rows.empty() && !stopped()) {
      if (auto played = play(rows); !played) return Unexpected(played.error());
      conclude_rows();
      rows = rows_to_repeat();
      ++round_;
    }
    conclude_rows();
    return conclude();
  }

 private:
  struct Measured {
    PlannedRow planned;
    std::vector<Point> points;
    double share = 1.0;
    std::vector<unsigned> next;  ///< counts of the next round
    Slopes slopes;               ///< of all that a copy runs
    Slopes own;                  ///< without its partner
  };

  bool stopped() const { return options_.stop.stop_requested(); }
  Seconds spent() const { return Seconds(set_.clock->now() - began_); }
  Seconds left() const { return options_.budget - spent(); }

  Result<void> compile(const std::vector<RowKey>& keys) {
    spin_ = microbenchmark::make_spin();
    if (const auto code = load_.compile(spin_); !code) return Unexpected(code.error());
    for (const RowKey& key : keys) {
      if (stopped()) break;
      experiment::say(
          options_.progress,
          0.05 * static_cast<double>(rows_.size()) / static_cast<double>(keys.size()),
          fmt::format("compiling {} of {}: {}", rows_.size() + 1, keys.size(), key.instruction));
      rows_.push_back({.planned = plan_row(load_, key, options_.overhead)});
      start_again(rows_.back());
      if (auto made = make_empty(key.optimization); !made) return made;
    }
    return {};
  }

  /// The empty loop of an optimization, of whatever row: it has none of its instructions.
  Result<void> make_empty(Optimization optimization) {
    auto& empty = empties_[empty_of(optimization)].kernel;
    if (empty) return {};
    empty = make_loop({.instruction = kernels::find_instruction(kEmptyOf),
                       .optimization = optimization,
                       .overhead = options_.overhead});
    const auto code = load_.compile(empty);
    if (!code) return Unexpected(code.error());
    table_.compute_capability = (*code)->compute_capability;
    return {};
  }

  /// Longer stretches where there is time.
  void choose_length() {
    double points = 0.0;
    for (const Measured& row : rows_) points += static_cast<double>(row.planned.loops.size());
    if (points == 0.0) return;
    const double batches =
        std::max(std::ceil(points / kBatch), static_cast<double>(kFewestBatches));
    const Seconds kernels = kFirstRound * left() - batches * length_of_batch(0, Seconds(0));
    length_ = std::clamp(kernels / (points + batches * static_cast<double>(kBeside)), kShortest,
                         kLongest);
  }

  /// All loops of these rows once, in random order.
  Result<void> play(const std::vector<std::size_t>& rows) {
    std::vector<PointOf> points;
    for (const std::size_t i : rows) {
      const Measured& row = rows_[i];
      for (const unsigned copies : row.next) {
        points.push_back({i, copies, row.planned.loops.at(copies).get(), row.share});
      }
    }
    std::shuffle(points.begin(), points.end(), chance_);
    const std::size_t size = std::clamp(points.size() / kFewestBatches, kSmallestBatch, kBatch);
    for (std::size_t from = 0; from < points.size(); from += size) {
      const std::size_t until = std::min(points.size(), from + size);
      std::vector<PointOf> some(points.begin() + static_cast<std::ptrdiff_t>(from),
                                points.begin() + static_cast<std::ptrdiff_t>(until));
      if (stopped()) return {};
      while (!some.empty() && left() < length_of_batch(some.size() + kBeside, length_))
        some.pop_back();
      if (some.empty()) return {};
      if (auto played = play_batch_of(some); !played) return played;
    }
    return {};
  }

  Result<void> play_batch_of(std::vector<PointOf> points) {
    for (const double share : shares_of(points)) points.push_back({kSpin, 0, spin_.get(), share});
    for (const auto& [which, empty] : empties_) {
      points.push_back({which, 0, empty.kernel.get(), 1.0});
    }
    std::shuffle(points.begin(), points.end(), chance_);
    experiment::say(options_.progress, std::min(1.0, spent() / options_.budget),
                    fmt::format("measuring: {}, {:.0f} of at most {:.0f} s",
                                round_ == 0 ? "every row" : "again what is not known to 3 %",
                                spent().count(), options_.budget.count()));
    auto batch = microbenchmark::play_batch(set_, load_, points,
                                            {.polling = options_.polling,
                                             .estimate = options_.estimate,
                                             .length = length_,
                                             .first_run = windows_,
                                             .stop = options_.stop});
    if (!batch) return Unexpected(batch.error());
    windows_ += batch->windows;
    if (batch->idle_w) {
      idle_w_.push_back(*batch->idle_w);
      idle_changes_w_.push_back(batch->idle_change_w);
    }
    if (!batch->idle_w) return {};
    for (Point& point : batch->points) {
      point.batch = static_cast<int>(idle_changes_w_.size()) - 1;
      keep(std::move(point));
    }
    return {};
  }

  static std::vector<double> shares_of(const std::vector<PointOf>& points) {
    std::vector<double> shares{1.0};
    for (const PointOf& point : points) {
      if (std::find(shares.begin(), shares.end(), point.share) == shares.end()) {
        shares.push_back(point.share);
      }
    }
    return shares;
  }

  void keep(Point point) {
    if (point.of.row == kSpin) {
      if (point.of.share >= 1.0 && point.clock_hz) table_.baselines.clock_hz = point.clock_hz;
      spin_w_[point.of.share].push_back(
          uncertainty::difference(point.energy_j, point.idle_j).scaled(1 / point.length.count()));
    } else if (const auto empty = empties_.find(point.of.row); empty != empties_.end()) {
      empty->second.points.push_back(std::move(point));
    } else {
      rows_[point.of.row].points.push_back(std::move(point));
    }
  }

  std::optional<Budget> spin_at(double share) const {
    const auto found = spin_w_.find(share);
    if (found == spin_w_.end()) return std::nullopt;
    return microbenchmark::as_baseline(uncertainty::mean_of_runs(found->second).budget);
  }

  /// Points of recordings whose idle stayed idle, and how well that is known.
  void look_at_idle() {
    steady_ = microbenchmark::steady_batches(idle_changes_w_);
    std::vector<double> changes;
    for (std::size_t i = 0; i < steady_.size(); ++i) {
      if (steady_[i]) changes.push_back(idle_changes_w_[i]);
    }
    idle_u_w_ = microbenchmark::idle_uncertainty(changes);
  }

  std::vector<Point> steady(const std::vector<Point>& points) const {
    std::vector<Point> kept;
    for (const Point& point : points) {
      if (steady_[static_cast<std::size_t>(point.batch)]) kept.push_back(point);
    }
    return kept;
  }

  void conclude_rows() {
    look_at_idle();
    for (Measured& row : rows_) conclude_row(row);
    for (Measured& row : rows_) subtract_partner(row);
    for (Measured& row : rows_) judge(row);
  }

  void conclude_row(Measured& measured) {
    Row& row = measured.planned.row;
    if (measured.planned.loops.empty()) return;
    const std::vector<Point> points = steady(measured.points);
    const std::vector<Point> empty = steady(empties_[empty_of(row.key.optimization)].points);
    measured.slopes = slopes_of(points, empty,
                                {.idle_u_w = idle_u_w_ * microbenchmark::idle_share(points),
                                 .spin_w = spin_at(measured.share)},
                                uncertainty::EndedBy::target);
    row.points.clear();
    for (const Point& point : points) row.points.push_back(row_point(point));
    row.share = measured.share;
    row.readers = reader_rows(points, empty);
    const unsigned most = measured.planned.loops.rbegin()->first;
    for (const Point& point : points) {
      if (point.of.copies != most) continue;
      row.rate_per_s = most * point.iterations / point.length.count();
      row.power_w = point.energy_j.value() / point.length.count();
      row.clock_hz = point.clock_hz;
    }
  }

  bool idles_above_spinning() const {
    const auto spin = spin_at(1.0);
    return spin && uncertainty::interval_of(*spin).upper < 0;
  }

  /// Its partner is no row: both are given together.
  static bool is_pair(const Row& row) {
    return !row.partner.empty() && kernels::find_instruction(row.partner) == nullptr;
  }

  void subtract_partner(Measured& measured) {
    Row& row = measured.planned.row;
    measured.own = measured.slopes;
    if (row.partner.empty() || is_pair(row)) return;
    RowKey key = row.key;
    key.instruction = row.partner;
    const auto partner = std::find_if(rows_.begin(), rows_.end(), [&](const Measured& other) {
      return other.planned.row.key == key;
    });
    const auto less = [](std::optional<Budget>& own, const std::optional<Budget>& other) {
      own = own && other ? std::optional(uncertainty::difference(*own, *other)) : std::nullopt;
    };
    if (partner == rows_.end() || !partner->slopes.dynamic_pj) {
      measured.own = {};
      add_reason(row, Reason::partner_missing);
      return;
    }
    less(measured.own.dynamic_pj, partner->own.dynamic_pj);
    less(measured.own.above_spin_pj, partner->own.above_spin_pj);
    less(measured.own.total_pj, partner->own.total_pj);
  }

  void judge(Measured& measured) {
    Row& row = measured.planned.row;
    if (measured.planned.loops.empty()) return;
    row.reasons.clear();
    row.dynamic_j = on_scale_j(measured.own.dynamic_pj);
    row.above_spin_j = on_scale_j(measured.own.above_spin_pj);
    row.total_j = on_scale_j(measured.own.total_pj);
    row.budget.clear();
    if (const auto& above = measured.own.above_spin_pj) row.budget = above->scaled(1e-12).terms();
    if (!row.dynamic_j) {
      const bool alone = measured.slopes.dynamic_pj.has_value();
      add_reason(row, alone ? Reason::partner_missing : Reason::not_measured);
    }
    if (is_pair(row)) add_reason(row, Reason::pair);
    if (idles_above_spinning()) add_reason(row, Reason::active_idle);
    if (is_wide(row)) add_reason(row, Reason::imprecise);
    if (measured.slopes.misfit > kMisfit) add_reason(row, Reason::scatter);
    if (is_limited(measured)) add_reason(row, Reason::clocks_limited);
    if (measured.share < 1.0) add_reason(row, Reason::fewer_blocks);
    row.valid = std::none_of(row.reasons.begin(), row.reasons.end(), spoils);
  }

  bool is_wide(const std::optional<Interval>& energy) const {
    if (!energy) return false;
    return half_width_of(*energy) >
           std::max(kTargetJoules, options_.target * std::abs(energy->value));
  }
  bool is_wide(const Row& row) const { return is_wide(row.dynamic_j) || is_wide(row.above_spin_j); }

  static bool is_limited(const Measured& measured) {
    return std::any_of(measured.points.begin(), measured.points.end(),
                       [](const Point& point) { return point.limited; });
  }

  static void start_again(Measured& row) {
    row.points.clear();
    row.next.clear();
    for (const auto& [copies, kernel] : row.planned.loops) row.next.push_back(copies);
  }

  /// Those above the power limit start again on fewer multiprocessors; then those that are not
  /// known well enough go on with other loops, at O3 before O0, while time is left.
  std::vector<std::size_t> rows_to_repeat() {
    std::vector<std::size_t> again;
    if (left() < length_of_batch(kSmallestBatch + kBeside, length_)) return again;
    for (const Optimization optimization : {Optimization::O3, Optimization::O0}) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        Measured& row = rows_[i];
        if (row.planned.row.key.optimization == optimization && wants_more(row)) again.push_back(i);
      }
      if (!again.empty()) break;
    }
    return again;
  }

  bool wants_more(Measured& row) {
    if (row.planned.loops.empty()) return false;
    if (is_limited(row) && row.share > kFewest) {
      row.share = row.share > kFewer ? kFewer : kFewest;
      start_again(row);
      return true;
    }
    if (!is_wide(row.planned.row) && row.planned.row.dynamic_j) return false;
    if (round_ > 0 || row.planned.row.dynamic_j) row.next = more_loops(load_, row.planned);
    return true;
  }

  Table conclude() {
    for (Measured& row : rows_) table_.rows.push_back(std::move(row.planned.row));
    if (!idle_w_.empty()) {
      Budget idle = uncertainty::mean_of_runs(idle_w_).budget;
      idle.add(uncertainty::Cause::pause_idle, idle_u_w_);
      table_.baselines.idle_w = uncertainty::interval_of(idle.without(uncertainty::is_scale));
      table_.scale = kCoverageFactor95 * idle.scale_part() / idle.value();
    }
    if (const auto spin = spin_at(1.0)) {
      table_.baselines.spin_w = uncertainty::interval_of(spin->without(uncertainty::is_scale));
      if (spin->value() > 0) table_.scale = kCoverageFactor95 * spin->scale_part() / spin->value();
    }
    table_.calibrated = !set_.devices.front().known.for_estimates().calibrations.empty();
    table_.took = spent();
    table_.interrupted = stopped();
    return std::move(table_);
  }

  struct Empty {
    std::shared_ptr<const kernels::Kernel> kernel;
    std::vector<Point> points;
  };
  /// Whose empty loop stands for all.
  static constexpr std::string_view kEmptyOf = "add.s32";

  devices::DeviceSet& set_;
  load::Load& load_;
  const Options& options_;
  HostTime began_;
  std::mt19937_64 chance_;
  Table table_;
  std::vector<Measured> rows_;
  std::map<std::size_t, Empty> empties_;
  std::map<double, std::vector<Budget>> spin_w_;  ///< above idle, by share
  std::vector<Budget> idle_w_;
  std::vector<double> idle_changes_w_;  ///< by batch
  std::vector<bool> steady_;            ///< by batch
  double idle_u_w_ = 0.0;
  std::shared_ptr<const kernels::Kernel> spin_;
  Seconds length_ = kShortest;
  int windows_ = 0;
  int round_ = 0;
};

}  // namespace

Result<Table> measure_instructions(devices::DeviceSet& set, const devices::Environment& environment,
                                   const Options& options) {
  if (set.devices.size() != 1) {
    return Unexpected(Errc::invalid_argument,
                      "energies of instructions are measured on one device at a time; name it with "
                      "--device");
  }
  const auto keys = select_rows(options.selection);
  if (!keys) return Unexpected(keys.error());
  const HostTime began = set.clock->now();
  const auto known = microbenchmark::know_sensors(set, environment,
                                                  {.polling = options.polling,
                                                   .budget = options.budget,
                                                   .seed = options.seed,
                                                   .progress = options.progress,
                                                   .stop = options.stop});
  if (!known) return Unexpected(known.error());
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  Measuring measuring(set, **load, options, began);
  return measuring.measure(*keys);
}

}  // namespace truewatt::instructions
