#include "truewatt/instructions/one_thread.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "truewatt/experiment/session.hpp"
#include "truewatt/instructions/instruction_kernel.hpp"
#include "truewatt/instructions/row_energy.hpp"
#include "truewatt/microbenchmark/batch.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {
namespace {

using kernels::Optimization;
using microbenchmark::PointOf;
using uncertainty::Budget;

constexpr Seconds kStretch{0.5};
constexpr std::size_t kRowsOfBatch = 34;
/// What lengthens its loop by less hides beneath the loop's own waits: Eq. 1 tells nothing of it.
constexpr double kHidden = 0.01;
/// Loops without instructions, beside the rows of every batch; numbers behind all rows'.
constexpr std::size_t kOverheadO3 = static_cast<std::size_t>(-3);
constexpr std::size_t kOverheadO0 = static_cast<std::size_t>(-2);

bool is_of_table_one(std::string_view key) {
  const kernels::Instruction* row = kernels::find_instruction(key);
  return row != nullptr && !row->paper.empty();
}

/// Where the board's energy of one thread goes in an iteration, and how long that takes.
struct Iteration {
  Budget energy_j;
  double idle_j = 0.0;
  double seconds = 0.0;
};

Iteration iteration_of(const Point& point) {
  return {point.energy_j.scaled(1 / point.iterations), point.idle_j.value() / point.iterations,
          point.length.count() / point.iterations};
}

Iteration mean_of(const std::vector<Point>& points) {
  Iteration mean;
  std::vector<Budget> energies;
  for (const Point& point : points) {
    const Iteration one = iteration_of(point);
    energies.push_back(one.energy_j);
    mean.idle_j += one.idle_j / static_cast<double>(points.size());
    mean.seconds += one.seconds / static_cast<double>(points.size());
  }
  mean.energy_j = uncertainty::mean_of_runs(energies).budget;
  return mean;
}

class OneThread {
 public:
  OneThread(devices::DeviceSet& set, load::Load& load, const OneThreadOptions& options,
            Table& table)
      : set_(set), load_(load), options_(options), table_(table), windows_(options.first_run) {}

  Result<void> measure() {
    std::vector<PointOf> points = compile();
    std::size_t without_turn = 0;
    for (std::size_t from = 0; from < points.size(); from += kRowsOfBatch) {
      const std::size_t until = std::min(points.size(), from + kRowsOfBatch);
      std::vector<PointOf> some(points.begin() + static_cast<std::ptrdiff_t>(from),
                                points.begin() + static_cast<std::ptrdiff_t>(until));
      while (!some.empty() && left() < takes(some.size())) {
        some.pop_back();
        ++without_turn;
      }
      if (some.empty() || options_.options.stop.stop_requested()) continue;
      if (auto played = play(std::move(some)); !played) return played;
    }
    if (without_turn > 0) {
      table_.notes.push_back(fmt::format(
          "{} rows had no time for the one-thread protocol; give more --budget", without_turn));
    }
    conclude();
    return {};
  }

  static Seconds takes(std::size_t rows) {
    return microbenchmark::length_of_batch(rows + 2, kStretch);
  }

 private:
  Seconds left() const {
    return options_.options.budget - Seconds(set_.clock->now() - options_.began);
  }

  std::shared_ptr<const kernels::Kernel> loop_of(const Row& row, unsigned copies) const {
    return make_loop({.instruction = kernels::find_instruction(row.key.instruction),
                      .optimization = row.key.optimization,
                      .operands = row.key.operands,
                      .copies = copies,
                      .grid = kernels::Grid::one_thread});
  }

  bool is_wanted(const Row& row) const {
    const auto needs_it = [&](const Row& other) {
      return other.partner == row.key.instruction && is_of_table_one(other.key.instruction);
    };
    return is_of_table_one(row.key.instruction) ||
           std::any_of(table_.rows.begin(), table_.rows.end(), needs_it);
  }

  /// The rows that run, and the loops without instructions that they need.
  std::vector<PointOf> compile() {
    std::vector<PointOf> points;
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      const Row& row = table_.rows[i];
      if (row.points.empty() || !is_wanted(row)) continue;
      const auto kernel = loop_of(row, kOneThreadCopies);
      const bool unoptimized = row.key.optimization == Optimization::O0;
      auto& overhead = overheads_[unoptimized ? kOverheadO0 : kOverheadO3];
      if (!overhead) overhead = loop_of(row, 0);
      if (!load_.compile(kernel) || !load_.compile(overhead)) continue;
      kernels_.push_back(kernel);
      points.push_back({i, kOneThreadCopies, kernel, 1.0});
    }
    return points;
  }

  Result<void> play(std::vector<PointOf> points) {
    for (const auto& [which, kernel] : overheads_) points.push_back({which, 0, kernel, 1.0});
    const Options& options = options_.options;
    experiment::say(options.progress, std::nullopt, "measuring: one thread, as Arafa et al. do");
    auto batch = microbenchmark::play_batch(set_, load_, points,
                                            {.polling = options.polling,
                                             .estimate = options.estimate,
                                             .length = kStretch,
                                             .first_run = windows_,
                                             .stop = options.stop});
    if (!batch) return Unexpected(batch.error());
    windows_ += batch->windows;
    for (Point& point : batch->points) seen_[point.of.row].push_back(std::move(point));
    return {};
  }

  /// What an iteration takes more than the loop alone; nothing where one of them was not seen.
  std::optional<Iteration> beyond_overhead(std::size_t row) const {
    const bool unoptimized = table_.rows[row].key.optimization == Optimization::O0;
    const auto total = seen_.find(row);
    const auto overhead = seen_.find(unoptimized ? kOverheadO0 : kOverheadO3);
    if (total == seen_.end() || overhead == seen_.end()) return std::nullopt;
    return less(mean_of(total->second), mean_of(overhead->second));
  }

  static Iteration less(const Iteration& a, const Iteration& b) {
    return {uncertainty::difference(a.energy_j, b.energy_j), a.idle_j - b.idle_j,
            a.seconds - b.seconds};
  }

  std::optional<std::size_t> partner_of(const Row& row) const {
    RowKey key = row.key;
    key.instruction = row.partner;
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      if (table_.rows[i].key == key) return i;
    }
    return std::nullopt;
  }

  void conclude() {
    std::vector<std::string> hidden;
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      Row& row = table_.rows[i];
      auto own = beyond_overhead(i);
      if (!own || !is_of_table_one(row.key.instruction)) continue;
      const double kernel = mean_of(seen_.at(i)).seconds;
      if (kernels::find_instruction(row.partner) != nullptr) {
        const auto partner = partner_of(row);
        const auto others = partner ? beyond_overhead(*partner) : std::nullopt;
        if (!others) continue;
        own = less(*own, *others);
      }
      if (own->seconds < kHidden * kernel) {
        hidden.push_back(row.key.instruction);
        continue;
      }
      const double copies = kOneThreadCopies;
      const Budget energy = own->energy_j.scaled(1 / copies).without(uncertainty::is_scale);
      row.one_thread = OneThreadRow{.energy_j = uncertainty::interval_of(energy),
                                    .idle_j = own->idle_j / copies,
                                    .instruction = Seconds(own->seconds / copies),
                                    .kernel = Seconds(kernel * kOneThreadIterations)};
    }
    if (hidden.empty()) return;
    table_.notes.push_back(
        fmt::format("one thread's loop hardly takes longer with {} than without: Eq. 1 tells "
                    "nothing of what hides in its waits",
                    fmt::join(hidden, ", ")));
  }

  devices::DeviceSet& set_;
  load::Load& load_;
  const OneThreadOptions& options_;
  Table& table_;
  std::vector<std::shared_ptr<const kernels::Kernel>> kernels_;
  std::map<std::size_t, std::shared_ptr<const kernels::Kernel>> overheads_;
  std::map<std::size_t, std::vector<Point>> seen_;  ///< by row of the table
  int windows_;
};

}  // namespace

Seconds one_thread_takes(const std::vector<RowKey>& keys) {
  const auto rows =
      static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), [](const RowKey& key) {
        return is_of_table_one(key.instruction);
      }));
  const std::size_t batches = (rows + kRowsOfBatch - 1) / kRowsOfBatch;
  return static_cast<double>(batches) * OneThread::takes(0) + static_cast<double>(rows) * kStretch;
}

Result<void> measure_one_thread(devices::DeviceSet& set, load::Load& load,
                                const OneThreadOptions& options, Table& table) {
  return OneThread(set, load, options, table).measure();
}

}  // namespace truewatt::instructions
