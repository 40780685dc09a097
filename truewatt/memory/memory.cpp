#include "truewatt/memory/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "truewatt/experiment/session.hpp"
#include "truewatt/memory/caches.hpp"
#include "truewatt/memory/chains.hpp"
#include "truewatt/memory/level_fit.hpp"
#include "truewatt/memory/plan.hpp"
#include "truewatt/memory/products.hpp"
#include "truewatt/microbenchmark/baselines.hpp"
#include "truewatt/microbenchmark/idle.hpp"
#include "truewatt/microbenchmark/known_sensors.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::memory {
namespace {

using kernels::AccessPattern;
using microbenchmark::Point;
using microbenchmark::PointOf;
using uncertainty::Budget;

constexpr std::size_t kBatch = 30;
constexpr std::size_t kSpin = static_cast<std::size_t>(-1);
constexpr Seconds kShortest{0.3};
constexpr Seconds kLongest{1.5};
constexpr Seconds kChain{0.6};
/// Products are few and count.
constexpr double kProductStretch = 2.0;
constexpr int kProductRounds = 2;
/// Of the levels' time, for the first measurement of each.
constexpr double kFirstRound = 0.7;
/// Shares of the multiprocessors that every loop runs on: what is not proportional to the sectors
/// shows between them.
constexpr double kShares[] = {1.0, 0.5};
/// Of the budget, that the levels may take before the chains have their turn.
constexpr double kLevelsShare = 0.6;
/// Without counters: standard uncertainty of the share that the level beside it serves. L1 is made
/// to hold what is walked several times over; of L2 and DRAM counters have shown 2 to 3 %
/// elsewhere.
constexpr double kUncountedL1 = 0.005;
constexpr double kUncounted = 0.02;
/// A level is served faster than the next one, as a factor, if its sectors come from it.
constexpr double kFaster = 1.1;
/// A clock below this share of the one seen while spinning was lowered.
constexpr double kSlower = 0.97;
/// A share of sectors that matters.
constexpr double kLeastStray = 0.005;
/// An array that is so many times L2 leaves hardly anything in it.
constexpr double kBeyondL2 = 4.0;

/// What runs beside accesses draws by its bits too, and the loops of loads and stores differ.
constexpr std::size_t kBeside = 6;
std::size_t loop_column(const AccessPattern& pattern) {
  return (pattern.operation == kernels::MemoryOperation::load ? 0U : 1U) +
         (pattern.data == kernels::Data::random ? 0U : 2U);
}
std::size_t logic_column(const AccessPattern& pattern) {
  return pattern.data == kernels::Data::random ? 4U : 5U;
}
/// LOP3 beside a load of 16 bytes.
constexpr double kLogic = 2.0;

class Measuring {
 public:
  Measuring(devices::DeviceSet& set, load::Load& load, counters::Counters* counters,
            const Options& options, HostTime began)
      : set_(set),
        load_(load),
        counters_(counters),
        options_(options),
        began_(began),
        chance_(options.seed) {
    table_.device = set.devices.front().sensor->device();
    table_.start = set.clock->realtime_now();
    table_.tool_version = TRUEWATT_VERSION;
    table_.notes = set.notes;
  }

  Result<Table> measure() {
    if (auto found = look_for_caches(); !found) return Unexpected(found.error());
    if (!options_.only_caches && !stopped()) {
      if (auto made = prepare(); !made) return Unexpected(made.error());
      if (auto done = measure_levels(); !done) return Unexpected(done.error());
      if (options_.sweep && !stopped()) {
        if (auto done = measure_chains(); !done) leave_out("energies by threads", done.error());
      }
      if (options_.products && !stopped()) {
        if (auto done = measure_products(); !done) leave_out("products", done.error());
      }
    }
    return conclude();
  }

 private:
  bool stopped() const { return options_.stop.stop_requested(); }
  Seconds spent() const { return Seconds(set_.clock->now() - began_); }
  Seconds left() const { return options_.budget - spent(); }

  void say(double share, const std::string& what) const {
    experiment::say(options_.progress, share, what);
  }

  Result<void> look_for_caches() {
    auto found = find_caches(load_, {.counters = counters_,
                                     .progress =
                                         [&](double share) {
                                           say((options_.only_caches ? 1.0 : 0.05) * share,
                                               "looking for the caches");
                                         },
                                     .stopped = [&] { return stopped(); }});
    if (!found && counters_ != nullptr) {
      table_.notes.push_back(refused(found.error()));
      counters_ = nullptr;
      return look_for_caches();
    }
    if (!found) return Unexpected(found.error());
    table_.caches = std::move(*found);
    if (table_.caches.l1_bytes) sizes_.l1_bytes = *table_.caches.l1_bytes;
    if (table_.caches.l2_bytes) sizes_.l2_bytes = *table_.caches.l2_bytes;
    table_.verified_by = counters_ != nullptr ? std::string(counters_->name()) : "time";
    return {};
  }

  /// What was measured before stays.
  void leave_out(const std::string& what, const Error& error) {
    table_.notes.push_back(fmt::format("{} are missing: {}", what, error.message));
  }

  static std::string refused(const Error& error) {
    return fmt::format("hardware counters cannot be read: {}; what follows rests on time",
                       error.message);
  }

  Result<void> prepare() {
    say(0.06, "compiling the loops");
    spin_ = microbenchmark::make_spin();
    const auto code = load_.compile(spin_);
    if (!code) return Unexpected(code.error());
    table_.compute_capability = (*code)->compute_capability;
    auto plan = make_plan(load_, counters_, sizes_);
    if (!plan) return Unexpected(plan.error());
    plan_ = std::move(*plan);
    table_.verified_by = plan_.verified_by;
    table_.notes.insert(table_.notes.end(), plan_.notes.begin(), plan_.notes.end());
    points_.resize(plan_.loops.size());
    return {};
  }

  /// Longer stretches where there is time.
  void choose_length(Seconds until) {
    const auto points = static_cast<double>(plan_.loops.size() * std::size(kShares));
    const double batches = std::ceil(points / static_cast<double>(kBatch));
    const Seconds kernels =
        kFirstRound * (until - spent()) - batches * microbenchmark::length_of_batch(0, Seconds(0));
    length_ = std::clamp(kernels / (points + batches * static_cast<double>(std::size(kShares))),
                         kShortest, kLongest);
  }

  Result<void> measure_levels() {
    const Seconds until = options_.sweep ? kLevelsShare * options_.budget : options_.budget;
    choose_length(until);
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) wanted.push_back(i);
    for (int round = 0; !wanted.empty() && !stopped(); ++round) {
      std::vector<PointOf> points;
      for (const std::size_t i : wanted) {
        for (const double share : kShares) {
          points.push_back({i, plan_.loops[i].pattern.copies, plan_.loops[i].kernel.get(), share});
        }
      }
      auto played = play(std::move(points), until,
                         round == 0 ? "every level" : "again what is not known to 5 %");
      if (!played) return Unexpected(played.error());
      fit();
      if (!*played) break;
      wanted = loops_to_repeat();
    }
    return {};
  }

  /// In batches, each with the spinning loop, in random order. False: the time is over.
  Result<bool> play(std::vector<PointOf> points, Seconds until, const std::string& what) {
    std::shuffle(points.begin(), points.end(), chance_);
    for (std::size_t from = 0; from < points.size(); from += kBatch) {
      if (stopped()) return false;
      std::vector<PointOf> some(
          points.begin() + static_cast<std::ptrdiff_t>(from),
          points.begin() + static_cast<std::ptrdiff_t>(std::min(points.size(), from + kBatch)));
      for (const double share : kShares) some.push_back({kSpin, 0, spin_.get(), share});
      if (spent() + microbenchmark::length_of_batch(some, length_) > until) return false;
      std::shuffle(some.begin(), some.end(), chance_);
      say(std::min(1.0, spent() / options_.budget),
          fmt::format("measuring: {}, {:.0f} of at most {:.0f} s", what, spent().count(),
                      options_.budget.count()));
      auto batch = microbenchmark::play_batch(set_, load_, some,
                                              {.polling = options_.polling,
                                               .estimate = options_.estimate,
                                               .length = length_,
                                               .first_run = windows_,
                                               .stop = options_.stop});
      if (!batch) return Unexpected(batch.error());
      windows_ += batch->windows;
      if (!batch->idle_w) {
        ++lost_;
        continue;
      }
      const int number = baselines_.add(*batch);
      for (Point& point : batch->points) {
        point.batch = number;
        keep(std::move(point));
      }
    }
    return true;
  }

  void keep(Point point) {
    if (point.of.row == kSpin) {
      baselines_.add_spin(point);
    } else if (point.of.row < points_.size()) {
      points_[point.of.row].push_back(std::move(point));
    } else {
      chain_points_.push_back(std::move(point));
    }
  }

  /// Its energy above idle and above what spinning draws.
  std::optional<Budget> above_spin(const Point& point, double idle_u_w) const {
    const auto spin = baselines_.spin_at(point.of.share);
    if (!spin) return std::nullopt;
    return uncertainty::difference(above_idle(point, idle_u_w), spin->scaled(point.length.count()));
  }
  static Budget above_idle(const Point& point, double idle_u_w) {
    Budget idle = point.idle_j;
    idle.add(uncertainty::Cause::pause_idle, idle_u_w * point.length.count());
    return uncertainty::difference(point.energy_j, idle);
  }

  /// Steady points of a loop; those of a lowered clock only where there are no others.
  std::vector<Point> points_of(std::size_t loop) const {
    std::vector<Point> points = baselines_.steady(points_[loop]);
    const auto is_free = [&](const Point& point) { return !is_limited(point); };
    if (std::any_of(points.begin(), points.end(), is_free)) {
      std::erase_if(points, [&](const Point& point) { return !is_free(point); });
    }
    return points;
  }

  /// By the driver's word, or because its clock is lower than while spinning.
  bool is_limited(const Point& point) const {
    const auto full = baselines_.clock_hz();
    return point.limited || (full && point.clock_hz && *point.clock_hz < kSlower * *full);
  }

  FitRun run_of(const Point& point, const Loop& loop, Budget joules) const {
    FitRun run{.kernel = std::string(loop.kernel->name()),
               .joules = std::move(joules),
               .seconds = point.length.count(),
               .beside = std::vector<double>(kBeside, 0.0),
               .sectors = std::vector<double>(plan_.rows.size(), 0.0)};
    run.beside[loop_column(loop.pattern)] = point.iterations;
    if (loop.pattern.operation == kernels::MemoryOperation::load) {
      run.beside[logic_column(loop.pattern)] = point.iterations * loop.pattern.copies * kLogic;
    }
    for (std::size_t column = 0; column < plan_.rows.size(); ++column) {
      const LevelKey& key = plan_.rows[column].key;
      if (loop.pattern.without || key.operation != loop.pattern.operation ||
          key.data != loop.pattern.data) {
        continue;
      }
      run.sectors[column] = point.iterations * loop.served[static_cast<std::size_t>(key.level)];
    }
    return run;
  }

  void fit() {
    const double idle_u_w = baselines_.idle_u_w();
    std::vector<FitRun> runs;
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      const std::vector<Point> points = points_of(i);
      const double share = microbenchmark::idle_share(points);
      for (const Point& point : points) {
        auto joules = above_spin(point, idle_u_w * share);
        if (joules) runs.push_back(run_of(point, plan_.loops[i], std::move(*joules)));
      }
    }
    auto fitted = fit_levels(runs, uncertainty::EndedBy::target);
    fit_.reset();
    if (fitted) {
      fit_ = std::move(*fitted);
      fit_failure_.clear();
    } else {
      fit_failure_ = fitted.error().message;
    }
    judge();
  }

  /// Of the same operation and data.
  std::optional<std::size_t> column_of(const LevelKey& key, Level level) const {
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      if (plan_.rows[i].key == LevelKey{level, key.operation, key.data}) return i;
    }
    return std::nullopt;
  }

  /// The path, and what is not known of where it leads.
  std::optional<Budget> path_of(std::size_t column) const {
    if (!fit_ || !fit_->sector_j[column]) return std::nullopt;
    Budget path = *fit_->sector_j[column];
    const LevelRow& row = plan_.rows[column];
    if (row.served || row.key.level == Level::shared) return path;
    const Level beside = row.key.level == Level::l2 ? Level::dram : Level::l2;
    const auto other = column_of(row.key, beside);
    if (other && fit_->sector_j[*other]) {
      const double share = row.key.level == Level::l1 ? kUncountedL1 : kUncounted;
      path.add(uncertainty::Cause::misfit,
               share * (fit_->sector_j[*other]->value() - path.value()));
    }
    return path;
  }

  static std::optional<Interval> on_scale(const std::optional<Budget>& budget) {
    if (!budget) return std::nullopt;
    return uncertainty::interval_of(budget->without(uncertainty::is_scale));
  }

  void judge() {
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) judge_row(i);
    if (!fit_) return;
    const AccessPattern usual;
    table_.loop_j = on_scale(fit_->beside_j[loop_column(usual)]);
    table_.logic_j = on_scale(fit_->beside_j[logic_column(usual)]);
    table_.r_squared = fit_->r_squared;
    table_.residuals = fit_->residuals;
  }

  void judge_row(std::size_t column) {
    LevelRow& row = plan_.rows[column];
    for (const Reason again : {Reason::not_measured, Reason::imprecise, Reason::clocks_limited,
                               Reason::active_idle, Reason::not_positive, Reason::unpaid_level}) {
      std::erase(row.reasons, again);
    }
    const std::optional<Budget> path = path_of(column);
    row.sector_j = on_scale(path);
    row.budget = path ? path->terms() : std::vector<uncertainty::Term>{};
    row.increment_j = on_scale(increment_of(column, path));
    look_at_fastest(column);
    if (fit_ && fit_->not_positive[column]) add_reason(row, Reason::not_positive);
    row.valid = false;
    if (std::any_of(row.reasons.begin(), row.reasons.end(), spoils)) return;
    if (!path) {
      add_reason(row, Reason::not_measured);
      row.detail = fit_failure_;
    }
    look_at_others(column);
    if (is_wide(column)) add_reason(row, Reason::imprecise);
    if (row.sector_j && half_width_of(*row.sector_j) > std::abs(row.sector_j->value)) {
      add_reason(row, Reason::not_measured);
      row.detail = "its interval holds 0: readings are too slow or too few";
    }
    if (baselines_.idles_above_spinning()) add_reason(row, Reason::active_idle);
    row.valid = row.sector_j && std::none_of(row.reasons.begin(), row.reasons.end(), spoils);
  }

  /// Sectors that another level served are charged to it; one without a number would leave them to
  /// this row.
  void look_at_others(std::size_t column) {
    LevelRow& row = plan_.rows[column];
    for (const Loop& loop : plan_.loops) {
      if (loop.row != column) continue;
      for (const Level level : kAllLevels) {
        const auto other = column_of(row.key, level);
        if (level == row.key.level || share_at(loop.served, level) < kLeastStray) continue;
        if (other && fit_ && fit_->sector_j[*other]) continue;
        add_reason(row, Reason::unpaid_level);
        row.detail =
            fmt::format("{:.1f} % by {}", 100 * share_at(loop.served, level), to_string(level));
      }
    }
  }

  std::optional<Budget> increment_of(std::size_t column, const std::optional<Budget>& path) const {
    const Level level = plan_.rows[column].key.level;
    if (!path || level == Level::shared || level == Level::l1) return path;
    const auto before =
        column_of(plan_.rows[column].key, static_cast<Level>(static_cast<int>(level) - 1));
    if (!before) return std::nullopt;
    const auto nearer = path_of(*before);
    if (!nearer) return std::nullopt;
    return uncertainty::difference(*path, *nearer);
  }

  /// Wider than it should be by what more runs narrow: not by what nobody counted.
  bool is_wide(std::size_t column) const {
    if (!fit_ || !fit_->sector_j[column]) return false;
    const Interval path = *on_scale(fit_->sector_j[column]);
    return half_width_of(path) > options_.target * std::abs(path.value);
  }

  /// The run in which most bytes came.
  void look_at_fastest(std::size_t column) {
    LevelRow& row = plan_.rows[column];
    const double idle_u_w = baselines_.idle_u_w();
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      if (plan_.loops[i].row != column) continue;
      const double sectors = total_of(plan_.loops[i].served);
      for (const Point& point : points_of(i)) {
        if (is_limited(point)) add_reason(row, Reason::clocks_limited);
        const double all = sectors * point.iterations;
        const double bytes_per_s = kSectorBytes * all / point.length.count();
        if (bytes_per_s <= row.bytes_per_s.value_or(0.0)) continue;
        row.bytes_per_s = bytes_per_s;
        row.power_w = point.energy_j.value() / point.length.count();
        row.clock_hz = point.clock_hz;
        row.above_idle_j = on_scale(above_idle(point, idle_u_w).scaled(1 / all));
      }
    }
  }

  std::vector<std::size_t> loops_to_repeat() const {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      const std::size_t row = plan_.loops[i].row;
      if (row != kNoRow && (is_wide(row) || !plan_.rows[row].sector_j)) {
        wanted.push_back(i);
      }
    }
    if (wanted.empty()) return wanted;
    for (std::size_t i = 0; i < plan_.loops.size(); ++i) {
      if (plan_.loops[i].row == kNoRow) wanted.push_back(i);
    }
    return wanted;
  }

  Result<void> measure_chains() {
    auto chains = make_chains(load_, sizes_);
    if (!chains) return Unexpected(chains.error());
    length_ = std::min(length_, kChain);
    std::vector<PointOf> points;
    for (std::size_t i = 0; i < chains->size(); ++i) {
      for (const double stretch : (*chains)[i].stretches) {
        points.push_back({points_.size() + i, (*chains)[i].pattern.copies,
                          (*chains)[i].kernel.get(), 1.0, stretch});
      }
    }
    if (auto played = play(std::move(points), options_.budget, "energy by threads of a block");
        !played) {
      return Unexpected(played.error());
    }
    const double idle_u_w = baselines_.idle_u_w();
    std::vector<ChainRun> runs;
    const auto spin = baselines_.spin_at(1.0);
    if (!spin) {
      table_.notes.emplace_back("what spinning draws is not known: no energies by threads");
      return {};
    }
    for (const Point& point : baselines_.steady(chain_points_)) {
      const Chain& chain = (*chains)[point.of.row - points_.size()];
      runs.push_back({&chain, above_idle(point, idle_u_w), spin->scaled(point.length.count()),
                      point.iterations});
    }
    table_.sweep = sweep_of(runs);
    table_.lines = lines_of(runs);
    return {};
  }

  Result<void> measure_products() {
    if (counters_ == nullptr || table_.verified_by == "time") {
      table_.notes.emplace_back(
          "products of matrices are predicted from hardware counters, which could not be read");
      return {};
    }
    auto products = make_products(load_, *counters_);
    if (!products) return Unexpected(products.error());
    std::vector<PointOf> points;
    for (std::size_t i = 0; i < products->size(); ++i) {
      for (const auto& kernel : {(*products)[i].kernel, (*products)[i].twin}) {
        points.push_back({points_.size() + i, 0, kernel.get(), 1.0, kProductStretch});
      }
    }
    chain_points_.clear();
    length_ = kChain;
    for (int round = 0; round < kProductRounds; ++round) {
      auto played = play(points, 2 * options_.budget, "products of matrices");
      if (!played) return Unexpected(played.error());
    }
    for (const Product& product : *products) {
      const auto run = product_run(*product.kernel);
      const auto twin = product_run(*product.twin);
      if (!run || !twin) continue;
      auto predicted = predict_product(
          product, *run, *twin, [&](Level level, kernels::MemoryOperation operation) {
            const auto column = column_of({level, operation, kernels::Data::random}, level);
            return column ? path_of(*column) : std::nullopt;
          });
      if (predicted) table_.products.push_back(std::move(*predicted));
    }
    return {};
  }

  /// All stretches of a kernel together.
  std::optional<ProductRun> product_run(const kernels::Kernel& kernel) const {
    const auto spin = baselines_.spin_at(1.0);
    if (!spin) return std::nullopt;
    ProductRun all;
    std::vector<Budget> above;
    std::vector<Budget> idle;
    std::vector<Budget> spinning;
    const double idle_u_w = baselines_.idle_u_w();
    for (const Point& point : baselines_.steady(chain_points_)) {
      if (point.of.kernel != &kernel) continue;
      above.push_back(above_idle(point, idle_u_w));
      idle.push_back(point.idle_j);
      spinning.push_back(spin->scaled(point.length.count()));
      all.iterations += point.iterations;
    }
    if (above.empty()) return std::nullopt;
    all.above_idle_j = uncertainty::sum(above);
    all.idle_j = uncertainty::sum(idle);
    all.spin_j = uncertainty::sum(spinning);
    return all;
  }

  /// Without counters, a level that is no faster than the next one was not what served.
  void compare_speeds() {
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      LevelRow& row = plan_.rows[i];
      if (row.served || row.key.level == Level::dram || row.key.level == Level::shared) continue;
      const auto next = column_of(row.key, static_cast<Level>(static_cast<int>(row.key.level) + 1));
      if (!next || !row.bytes_per_s || !plan_.rows[*next].bytes_per_s) continue;
      if (*row.bytes_per_s > kFaster * *plan_.rows[*next].bytes_per_s) continue;
      const bool store_at_l1 =
          row.key.level == Level::l1 && row.key.operation == kernels::MemoryOperation::store;
      add_reason(row, store_at_l1 ? Reason::write_through : Reason::wrong_level);
      row.valid = false;
      if (row.key.level != Level::l2) continue;
      add_reason(plan_.rows[*next], Reason::wrong_level);
      plan_.rows[*next].valid = false;
    }
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      LevelRow& row = plan_.rows[i];
      if (row.served || row.key.level != Level::dram || !row.valid) continue;
      const auto walked = static_cast<double>(pattern_for(row.key, 8, sizes_).region);
      if (walked >= kBeyondL2 * sizes_.l2_bytes) continue;
      add_reason(row, Reason::wrong_level);
      row.detail = "the array is hardly larger than L2";
      row.valid = false;
    }
  }

  Table conclude() {
    compare_speeds();
    if (lost_ > 0) {
      table_.notes.push_back(fmt::format(
          "of {} recordings the readings gave no idle power (the GPU lost, or too few readings)",
          lost_));
    }
    table_.levels = plan_.rows;
    table_.idle_w = baselines_.idle_w();
    table_.spin_w = baselines_.spin_w();
    table_.clock_hz = baselines_.clock_hz();
    table_.scale = baselines_.scale();
    table_.calibrated = !set_.devices.front().known.for_estimates().calibrations.empty();
    table_.took = spent();
    table_.interrupted = stopped();
    return std::move(table_);
  }

  devices::DeviceSet& set_;
  load::Load& load_;
  counters::Counters* counters_;
  const Options& options_;
  HostTime began_;
  std::mt19937_64 chance_;
  Table table_;
  Sizes sizes_;
  Plan plan_;
  std::vector<std::vector<Point>> points_;  ///< by loop
  std::vector<Point> chain_points_;
  microbenchmark::Baselines baselines_;
  std::shared_ptr<const kernels::Kernel> spin_;
  std::optional<LevelFit> fit_;
  std::string fit_failure_;
  Seconds length_ = kShortest;
  int windows_ = 0;
  int lost_ = 0;  ///< recordings without idle
};

}  // namespace

Result<Table> measure_memory(devices::DeviceSet& set, const devices::Environment& environment,
                             const Options& options) {
  if (set.devices.size() != 1) {
    return Unexpected(Errc::invalid_argument,
                      "energies of memory accesses are measured on one device at a time; name it "
                      "with --device");
  }
  const HostTime began = set.clock->now();
  if (!options.only_caches) {
    const auto known = microbenchmark::know_sensors(set, environment,
                                                    {.polling = options.polling,
                                                     .budget = options.budget,
                                                     .seed = options.seed,
                                                     .progress = options.progress,
                                                     .stop = options.stop});
    if (!known) return Unexpected(known.error());
  }
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  std::unique_ptr<counters::Counters> counters;
  if (options.counters) counters = devices::make_counters(set.devices.front());
  Measuring measuring(set, **load, counters.get(), options, began);
  return measuring.measure();
}

}  // namespace truewatt::memory
