#include "truewatt/memory/memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "truewatt/experiment/session.hpp"
#include "truewatt/memory/caches.hpp"
#include "truewatt/memory/chains.hpp"
#include "truewatt/memory/judgement.hpp"
#include "truewatt/memory/products.hpp"
#include "truewatt/memory/rounds.hpp"
#include "truewatt/microbenchmark/known_sensors.hpp"
#include "truewatt/microbenchmark/spin.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::Point;
using microbenchmark::PointOf;
using uncertainty::Budget;

constexpr Seconds kChain{0.6};
/// Two of each show how they scatter.
constexpr int kChainRounds = 2;
/// Products are few and count.
constexpr double kProductStretch = 2.0;
constexpr int kProductRounds = 2;
/// Of walks while the sensor of the memory is looked at, which averages over a second.
constexpr Seconds kScopeStretch{4.0};
/// The budget has room for that if it is so many times as long.
constexpr double kScopeShare = 8.0;
/// Of the budget, that the levels may take before the chains have their turn.
constexpr double kLevelsShare = 0.55;

class Measuring {
 public:
  Measuring(devices::DeviceSet& set, load::Load& load, counters::Counters* counters,
            const Options& options, HostTime began)
      : set_(set),
        load_(load),
        counters_(counters),
        options_(options),
        rounds_(set, load, options, began, seen_) {
    table_.device = set.devices.front().sensor->device();
    table_.start = set.clock->realtime_now();
    table_.tool_version = TRUEWATT_VERSION;
    table_.notes = set.notes;
  }

  Result<Table> measure() {
    if (auto found = look_for_caches(); !found) return Unexpected(found.error());
    if (!options_.only_caches && !stopped()) {
      if (auto made = prepare(); !made) return Unexpected(made.error());
      const auto complete = measure_levels(options_.sweep ? kLevelsShare * end() : end());
      if (!complete) return Unexpected(complete.error());
      if (options_.sweep && *complete && !stopped()) {
        if (auto done = measure_chains(); !done) leave_out("energies by threads", done.error());
        if (auto done = repeat_levels(end()); !done) return Unexpected(done.error());
      }
      if (!stopped()) {
        if (auto done = measure_scope(); !done) leave_out("readings of the memory", done.error());
      }
      if (options_.products && !stopped()) {
        if (auto done = measure_products(); !done) leave_out("products", done.error());
      }
    }
    return conclude();
  }

 private:
  bool stopped() const { return options_.stop.stop_requested(); }

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
      not_counted_ = found.error();
      counters_ = nullptr;
      return look_for_caches();
    }
    if (!found) return Unexpected(found.error());
    table_.caches = std::move(*found);
    if (table_.caches.l1_bytes) seen_.sizes.l1_bytes = *table_.caches.l1_bytes;
    if (table_.caches.l2_bytes) seen_.sizes.l2_bytes = *table_.caches.l2_bytes;
    table_.verified_by = counters_ != nullptr ? std::string(counters_->name()) : "time";
    if (options_.only_caches) say_not_counted();
    return {};
  }

  void say_not_counted() {
    if (not_counted_) table_.notes.push_back(refused(*not_counted_));
  }

  /// Where this process has no counters, another one may have some for the launches of the plan.
  Result<void> count_elsewhere() {
    const bool wanted =
        options_.only_elsewhere || (not_counted_ && not_counted_->code == Errc::unavailable);
    if (!options_.elsewhere || !wanted) {
      say_not_counted();
      return {};
    }
    say(0.06, "counting in another process");
    const auto spin = load_.compile(microbenchmark::make_spin());
    if (!spin) return Unexpected(spin.error());
    auto counted = options_.elsewhere({.l1_bytes = seen_.sizes.l1_bytes,
                                       .l2_bytes = seen_.sizes.l2_bytes,
                                       .products = options_.products,
                                       .compute_capability = (*spin)->compute_capability});
    if (!counted) {
      say_not_counted();
      table_.notes.push_back(refused(counted.error()));
      return {};
    }
    elsewhere_ = std::move(*counted);
    counters_ = elsewhere_.get();
    table_.notes.push_back(
        fmt::format("the caches were found by time; {} counted the launches that verify the levels",
                    counters_->name()));
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
    if (auto asked = count_elsewhere(); !asked) return asked;
    say(0.06, "compiling the loops");
    auto plan = make_plan(load_, counters_, seen_.sizes);
    if (!plan) return Unexpected(plan.error());
    seen_.plan = std::move(*plan);
    const auto prepared = rounds_.prepare();
    if (!prepared) return Unexpected(prepared.error());
    table_.compute_capability = *prepared;
    table_.verified_by = seen_.plan.verified_by;
    table_.notes.insert(table_.notes.end(), seen_.plan.notes.begin(), seen_.plan.notes.end());
    return {};
  }

  /// Of the budget, all but what the sensor of the memory takes where there is one.
  Seconds end() const {
    const Seconds takes = 2 * kScopeStretch + microbenchmark::length_of_batch(2, kChain);
    return reads_memory() && options_.budget > kScopeShare * takes ? options_.budget - takes
                                                                   : options_.budget;
  }

  /// Once every loop, if need be with all the time there is, then again until `until` what is not
  /// known well. False: loops had no turn.
  Result<bool> measure_levels(Seconds until) {
    rounds_.choose_length(until);
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < seen_.plan.loops.size(); ++i) all.push_back(i);
    const auto played = rounds_.play_loops(all, end(), "every level");
    if (!played) return Unexpected(played.error());
    fit_and_judge(seen_, options_.target);
    if (!*played) return false;
    if (auto done = repeat_levels(until); !done) return Unexpected(done.error());
    return true;
  }

  Result<void> repeat_levels(Seconds until) {
    while (!stopped()) {
      const std::vector<std::size_t> wanted = loops_to_repeat();
      if (wanted.empty()) break;
      const auto played = rounds_.play_loops(wanted, until, "again what is not known to 5 %");
      if (!played) return Unexpected(played.error());
      fit_and_judge(seen_, options_.target);
      if (!*played) break;
    }
    return {};
  }

  /// Those of rows that are too wide or met a limit, and then all twins.
  std::vector<std::size_t> loops_to_repeat() const {
    std::vector<std::size_t> wanted;
    const Plan& plan = seen_.plan;
    for (std::size_t i = 0; i < plan.loops.size(); ++i) {
      const std::size_t row = plan.loops[i].row;
      if (row == kNoRow) continue;
      if (is_wide(seen_, row, options_.target) || !plan.rows[row].sector_j ||
          (needs_fewer(seen_, i) && !has_tried_fewer(seen_, i))) {
        wanted.push_back(i);
      }
    }
    if (wanted.empty()) return wanted;
    for (std::size_t i = 0; i < plan.loops.size(); ++i) {
      if (plan.loops[i].row == kNoRow) wanted.push_back(i);
    }
    return wanted;
  }

  Result<void> measure_chains() {
    auto chains = make_chains(load_, seen_.sizes);
    if (!chains) return Unexpected(chains.error());
    const std::size_t first = seen_.points.size();
    std::vector<PointOf> points;
    for (std::size_t i = 0; i < chains->size(); ++i) {
      const Chain& chain = (*chains)[i];
      for (const double stretch : chain.stretches) {
        points.push_back(
            {first + i, chain.pattern.copies, chain.kernel, chain.parallel.share, stretch});
      }
    }
    rounds_.shorten(kChain);
    for (int round = 0; round < kChainRounds; ++round) {
      const auto played = rounds_.play(points, end(), "energy by threads and blocks");
      if (!played) return Unexpected(played.error());
    }
    const auto spin = seen_.baselines.spin_at(1.0);
    if (!spin) {
      return Unexpected(Errc::insufficient_data, "what spinning draws is not known");
    }
    const double idle_u_w = seen_.baselines.idle_u_w();
    std::vector<ChainRun> runs;
    for (const Point& point : seen_.baselines.steady(seen_.others)) {
      runs.push_back({&(*chains)[point.of.row - first], above_idle(point, idle_u_w),
                      spin->scaled(point.length.count()), point.energy_j.value(),
                      point.iterations});
    }
    table_.sweep = sweep_of(runs);
    table_.lines = lines_of(runs);
    return {};
  }

  bool reads_memory() const {
    const auto& sources = set_.devices.front().sensor->sources();
    return std::any_of(sources.begin(), sources.end(), [](const sensor::SourceStatus& one) {
      return one.source.scope == Scope::memory && !counts_energy(one.source);
    });
  }

  /// The last loop of a row, which has most accesses.
  std::optional<std::size_t> loop_of(Level level) const {
    const auto column =
        column_of(seen_, {level, kernels::MemoryOperation::load, kernels::Data::random}, level);
    std::optional<std::size_t> last;
    for (std::size_t i = 0; column && i < seen_.plan.loops.size(); ++i) {
      if (seen_.plan.loops[i].row == *column && seen_.plan.rows[*column].valid) last = i;
    }
    return last;
  }

  /// Nothing where no source reads the memory alone, and where it draws no more for DRAM's loads.
  Result<void> measure_scope() {
    const auto l2 = loop_of(Level::l2);
    const auto dram = loop_of(Level::dram);
    if (!reads_memory() || !l2 || !dram) return {};
    std::vector<PointOf> points;
    for (const std::size_t i : {*l2, *dram}) {
      const Loop& loop = seen_.plan.loops[i];
      points.push_back(
          {i, loop.pattern.copies, loop.kernel, 1.0, kScopeStretch / rounds_.length()});
    }
    const auto played = rounds_.play(points, options_.budget, "what the memory's own sensor reads");
    if (!played) return Unexpected(played.error());
    fit_and_judge(seen_, options_.target);
    const auto read = [&](std::size_t loop) -> const Point* {
      const auto& all = seen_.points[loop];
      const auto found =
          std::find_if(all.rbegin(), all.rend(), [](const Point& point) { return point.memory_w; });
      return found != all.rend() ? &*found : nullptr;
    };
    const Point* near = read(*l2);
    const Point* far = read(*dram);
    if (near == nullptr || far == nullptr || *far->memory_w <= *near->memory_w) return {};
    table_.scope = {*near->memory_w, *far->memory_w,
                    kSectorBytes * total_of(seen_.plan.loops[*dram].served) * far->iterations /
                        far->length.count()};
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
    for (const Product& product : *products) {
      for (const auto& kernel : {product.kernel, product.twin}) {
        points.push_back({seen_.points.size(), 0, kernel, 1.0, kProductStretch});
      }
    }
    seen_.others.clear();
    rounds_.shorten(kChain);
    for (int round = 0; round < kProductRounds; ++round) {
      const auto played = rounds_.play(points, 2 * options_.budget, "products of matrices");
      if (!played) return Unexpected(played.error());
    }
    for (const Product& product : *products) {
      const auto run = product_run(*product.kernel);
      const auto twin = product_run(*product.twin);
      if (!run || !twin) continue;
      const auto predicted = predict_product(
          product, *run, *twin, [&](Level level, kernels::MemoryOperation operation) {
            const auto column = column_of(seen_, {level, operation, kernels::Data::random}, level);
            return column ? path_of(seen_, *column) : std::nullopt;
          });
      if (predicted) table_.products.push_back(*predicted);
    }
    return {};
  }

  /// All stretches of a kernel together.
  std::optional<ProductRun> product_run(const kernels::Kernel& kernel) const {
    const auto spin = seen_.baselines.spin_at(1.0);
    if (!spin) return std::nullopt;
    ProductRun all;
    std::vector<Budget> above;
    std::vector<Budget> idle;
    std::vector<Budget> spinning;
    const double idle_u_w = seen_.baselines.idle_u_w();
    for (const Point& point : seen_.baselines.steady(seen_.others)) {
      if (point.of.kernel.get() != &kernel) continue;
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

  Table conclude() {
    compare_speeds(seen_);
    conclude_fit(seen_, table_);
    if (rounds_.lost() > 0) {
      table_.notes.push_back(fmt::format(
          "of {} recordings the readings gave no idle power (the GPU lost, or too few readings)",
          rounds_.lost()));
    }
    table_.idle_w = seen_.baselines.idle_w();
    table_.spin_w = seen_.baselines.spin_w();
    table_.clock_hz = seen_.baselines.clock_hz();
    table_.scale = seen_.baselines.scale();
    table_.calibrated = !set_.devices.front().known.for_estimates().calibrations.empty();
    table_.took = rounds_.spent();
    table_.interrupted = stopped();
    return std::move(table_);
  }

  devices::DeviceSet& set_;
  load::Load& load_;
  counters::Counters* counters_;
  std::unique_ptr<counters::Counters> elsewhere_;
  std::optional<Error> not_counted_;  ///< why this process did not count
  const Options& options_;
  Table table_;
  Observations seen_;
  Rounds rounds_;
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
  if (options.counters && !options.only_elsewhere) {
    counters = devices::make_counters(set.devices.front());
  }
  Measuring measuring(set, **load, counters.get(), options, began);
  return measuring.measure();
}

Result<void> launch_what_is_counted(devices::DeviceSet& set,
                                    const devices::Environment& environment,
                                    counters::Counters& marks, const CountedPlan& plan) {
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  // The driver is open, and has a context, with the first kernel.
  const auto spin = (*load)->compile(microbenchmark::make_spin());
  if (!spin) return Unexpected(spin.error());
  const auto made =
      make_plan(**load, &marks, {.l1_bytes = plan.l1_bytes, .l2_bytes = plan.l2_bytes});
  if (!made) return Unexpected(made.error());
  if (made->verified_by != marks.name()) {
    return Unexpected(Errc::device, fmt::format("{}", fmt::join(made->notes, "; ")));
  }
  if (!plan.products) return {};
  const auto products = make_products(**load, marks);
  if (!products) return Unexpected(products.error());
  return {};
}

}  // namespace truewatt::memory
