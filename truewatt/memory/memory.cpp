#include "truewatt/memory/memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "truewatt/experiment/session.hpp"
#include "truewatt/memory/caches.hpp"
#include "truewatt/memory/chain_rounds.hpp"
#include "truewatt/memory/counting.hpp"
#include "truewatt/memory/judgement.hpp"
#include "truewatt/memory/level_rounds.hpp"
#include "truewatt/memory/observed_fit.hpp"
#include "truewatt/memory/product_rounds.hpp"
#include "truewatt/memory/rounds.hpp"
#include "truewatt/memory/scope_rounds.hpp"
#include "truewatt/microbenchmark/known_sensors.hpp"

namespace truewatt::memory {
namespace {

/// The budget has room for the sensor of the memory if it is so many times as long.
constexpr double kScopeShare = 8.0;
/// Of the budget, that the levels may take before the chains have their turn.
constexpr double kLevelsShare = 0.55;
/// What an unknown sensor's characterization takes of a budget.
constexpr double kCharacterizes = 0.1;

class Measuring {
 public:
  Measuring(devices::DeviceSet& set, load::Load& load, counters::Counters* counters,
            const Options& options, HostTime began)
      : set_(set),
        load_(load),
        counting_(counters, options),
        options_(options),
        rounds_(set, load, options, began, seen_),
        levels_(rounds_, seen_, options) {
    table_.device = set.devices.front().sensor->device();
    table_.start = set.clock->realtime_now();
    table_.tool_version = TRUEWATT_VERSION;
    if (!options.only_caches) table_.notes = set.notes;  // which are about energies
  }

  Result<Table> measure() {
    if (auto found = look_for_caches(); !found) return Unexpected(found.error());
    if (!options_.only_caches && !stopped()) {
      if (auto made = prepare(); !made) return Unexpected(made.error());
      prepared_ = rounds_.spent();
      const auto complete = levels_.measure(options_.sweep ? kLevelsShare * end() : end(), end());
      if (!complete) return Unexpected(complete.error());
      if (options_.sweep && *complete && !stopped()) {
        if (auto done = add_chains(); !done) leave_out("energies by threads", done.error());
        if (auto done = levels_.repeat(end()); !done) return Unexpected(done.error());
      } else if (options_.sweep && !stopped()) {
        note_chains("energies by threads are missing: the levels took all of the time");
      } else if (!*complete && !stopped()) {
        note_levels();
      }
      if (!stopped()) {
        if (auto done = add_scope(); !done) leave_out("readings of the memory", done.error());
      }
      if (options_.products && !stopped()) {
        if (auto done = add_products(); !done) leave_out("products", done.error());
      }
    }
    return conclude();
  }

 private:
  bool stopped() const { return options_.stop.stop_requested(); }

  void say(double share, const std::string& what) const {
    experiment::say(options_.progress, share, what);
  }

  /// What the levels' energies need is not spent on the caches, unless these are all that is asked.
  Seconds caches_until() const {
    constexpr double kShare = 1.0 / 3;
    return options_.only_caches ? CacheOptions{}.count_until : kShare * options_.budget;
  }

  Result<void> look_for_caches() {
    auto found = find_caches(load_, {.counters = counting_.counters(),
                                     .spent = [&] { return rounds_.spent(); },
                                     .count_until = caches_until(),
                                     .progress =
                                         [&](double share) {
                                           say((options_.only_caches ? 1.0 : 0.05) * share,
                                               "looking for the caches");
                                         },
                                     .stopped = [&] { return stopped(); }});
    if (!found && counting_.counters() != nullptr) {
      counting_.refuse(found.error());
      return look_for_caches();
    }
    if (!found) return Unexpected(found.error());
    table_.caches = std::move(*found);
    if (table_.caches.l1_bytes) seen_.sizes.l1_bytes = *table_.caches.l1_bytes;
    if (table_.caches.l2_bytes) seen_.sizes.l2_bytes = *table_.caches.l2_bytes;
    if (options_.counted) seen_.sizes = {options_.counted->l1_bytes, options_.counted->l2_bytes};
    table_.verified_by = counting_.verified_by();
    if (options_.only_caches) counting_.note_refusal(table_.notes);
    return {};
  }

  /// What was measured before stays.
  void leave_out(const std::string& what, const Error& error) {
    table_.notes.push_back(fmt::format("{} are missing: {}", what, error.message));
  }

  Result<void> prepare() {
    auto asked = counting_.look_elsewhere(load_, seen_.sizes, table_.notes);
    if (!asked) return asked;
    say(0.06, "compiling the loops");
    auto plan = make_plan(load_, counting_.counters(), seen_.sizes);
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
    const Seconds takes = length_of_scope();
    return has_scope() && options_.budget > kScopeShare * takes ? options_.budget - takes
                                                                : options_.budget;
  }

  bool has_scope() const { return reads_memory(set_.devices.front()); }

  Result<void> add_chains() {
    auto energies = measure_chains(load_, rounds_, seen_, end());
    if (!energies) return Unexpected(energies.error());
    table_.sweep = std::move(energies->sweep);
    table_.chain_fits = std::move(energies->fits);
    table_.lines = std::move(energies->lines);
    if (energies->unsteady > 0) {
      table_.notes.push_back(
          fmt::format("{} of {} chains (energies by threads) have no energy: idle moved while they "
                      "were measured",
                      energies->unsteady, energies->chains));
    }
    if (energies->limited > 0) {
      table_.notes.push_back(
          fmt::format("{} of {} chains (energies by threads) are left out: a limit lowered the "
                      "clock, at which accesses cost less",
                      energies->limited, energies->chains));
    }
    if (energies->missing > 0 && !stopped()) {
      note_chains(fmt::format("of {} chains (energies by threads) {} had no turn", energies->chains,
                              energies->missing));
    }
    return {};
  }

  /// Which rows are missing, and the budget in which every loop has a turn.
  void note_levels() {
    const std::size_t missing = levels_.without_turn();
    if (missing == 0) return;
    const Seconds all = (prepared_ + rounds_.least_length()) / (1 - kCharacterizes) + scope();
    table_.notes.push_back(fmt::format("{} of {} rows had no turn; --budget {:.0f} reaches all",
                                       missing, seen_.plan.rows.size(), in_tens(all)));
  }

  /// Why chains are missing, and the budget in which each has a turn: of what the levels leave.
  void note_chains(const std::string& what) {
    const Seconds chains = length_of_chains(rounds_, seen_.sizes) / (1 - kLevelsShare);
    const Seconds levels = (prepared_ + rounds_.least_length()) / kLevelsShare;
    table_.notes.push_back(
        fmt::format("{}; --budget {:.0f} reaches all, --no-sweep does without them", what,
                    in_tens(std::max(chains, levels) + scope())));
  }

  Seconds scope() const { return has_scope() ? length_of_scope() : Seconds(0); }
  static double in_tens(Seconds length) { return 10 * std::ceil(length.count() / 10); }

  Result<void> add_scope() {
    if (!has_scope()) return {};
    const auto scope = measure_scope(rounds_, seen_, options_);
    if (!scope) return Unexpected(scope.error());
    table_.scope = *scope;
    return {};
  }

  Result<void> add_products() {
    counters::Counters* counters = table_.verified_by != "time" ? counting_.counters() : nullptr;
    if (counters == nullptr && !table_.caches.l2_bytes) {
      table_.notes.emplace_back(
          "products of matrices are missing: neither counters nor the size of L2 say what their "
          "sectors cost");
      return {};
    }
    auto products = measure_products(load_, counters, rounds_, seen_, 2 * options_.budget);
    if (!products) return Unexpected(products.error());
    table_.products = std::move(products->predicted);
    if (counters == nullptr && !table_.products.empty()) {
      table_.notes.emplace_back(
          "sectors of products of matrices are computed from their tiles and the size of L2, not "
          "counted: the predictions' intervals hold what L2 and DRAM may have served");
    }
    if (!products->missing.empty()) {
      table_.notes.push_back(fmt::format(
          "products of {} rows are not predicted: a level that serves them has no number, or the "
          "time ended",
          fmt::join(products->missing, ", ")));
    }
    if (!products->limited.empty()) {
      table_.notes.push_back(fmt::format(
          "products of {} rows are not predicted: a limit lowered the clock, at which sectors cost "
          "less than the table says",
          fmt::join(products->limited, ", ")));
    }
    return {};
  }

  /// What other work does to stretches, beside what the fit leaves.
  void note_strays() {
    constexpr double kStray = 0.5;
    const auto strays =
        std::count_if(table_.residuals.begin(), table_.residuals.end(), [](const Residual& one) {
          return std::abs(one.measured_j - one.fitted_j) > kStray * std::abs(one.fitted_j);
        });
    if (strays == 0) return;
    table_.notes.push_back(fmt::format(
        "{} of {} stretches took over half more or less than the joint fit says: did another "
        "process use the GPU, or the driver stall? `residuals` in the JSON has them",
        strays, table_.residuals.size()));
  }

  Table conclude() {
    tell_levels_apart(seen_);
    conclude_fit(seen_, table_);
    note_strays();
    if (auto note = seen_.baselines.note_of_active_idle()) table_.notes.push_back(*std::move(note));
    if (rounds_.lost() > 0) {
      table_.notes.push_back(
          fmt::format("the readings of {} recording{} gave no idle power (the GPU lost, or too few "
                      "readings)",
                      rounds_.lost(), rounds_.lost() == 1 ? "" : "s"));
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
  Counting counting_;
  const Options& options_;
  Table table_;
  Observations seen_;
  Rounds rounds_;
  LevelRounds levels_;
  Seconds prepared_{0};  ///< spent before the levels
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

}  // namespace truewatt::memory
