#include "truewatt/memory/chains.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "truewatt/memory/share_fit.hpp"

namespace truewatt::memory {
namespace {

using uncertainty::Budget;

constexpr unsigned kThreads[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

constexpr double kBlockShares[] = {0.125, 0.25, 0.5};

/// From little to much: by threads of a block on all multiprocessors, then by multiprocessors.
std::vector<Parallelism> parallelisms() {
  std::vector<Parallelism> all;
  for (const unsigned threads : kThreads) all.push_back({threads, 1.0});
  for (const double share : kBlockShares) all.push_back({kThreads[std::size(kThreads) - 1], share});
  return all;
}

std::vector<double> stretches_of(Level level, const Parallelism& parallel, bool divide) {
  const bool is_line = parallel == Parallelism{1, 1.0} || parallel == Parallelism{1024, 1.0};
  if (level == Level::l1 && !divide && is_line) return {0.75, 1.0, 2.0};
  return {1.0};
}

double sectors_of(const ChainRun& run) {
  return run.iterations * run.chain->pattern.copies * sectors_per_access(run.chain->pattern);
}

enum class Above { idle, spin };

/// Joules of an access of a thread, by chain.
using AccessEnergies = std::map<const Chain*, Budget>;

/// One mean for each chain, fitted together: how runs scatter shows in all of them, as a share of
/// all that the board drew.
AccessEnergies accesses_of(const std::vector<ChainRun>& runs, Above above) {
  std::map<const Chain*, std::size_t> columns;
  for (const ChainRun& run : runs) columns.emplace(run.chain, columns.size());
  std::vector<std::vector<double>> accesses(columns.size(), std::vector<double>(runs.size(), 0.0));
  std::vector<Budget> joules;
  std::vector<double> wholes;
  for (const ChainRun& run : runs) {
    wholes.push_back(run.gross_j);
    accesses[columns.at(run.chain)][joules.size()] = run.iterations * run.chain->pattern.copies;
    joules.push_back(above == Above::idle ? run.joules
                                          : uncertainty::difference(run.joules, run.spin));
  }
  const auto fitted = fit_shares(accesses, joules, wholes);
  AccessEnergies energies;
  if (!fitted) return energies;
  for (const auto& [chain, column] : columns) energies.emplace(chain, (*fitted)[column]);
  return energies;
}

const Budget* find_access(const AccessEnergies& energies, Level level, const Parallelism& parallel,
                          bool divide) {
  for (const auto& [chain, joules] : energies) {
    if (chain->level == level && chain->parallel == parallel && chain->divide == divide) {
      return &joules;
    }
  }
  return nullptr;
}

/// Slope and coefficient of determination of joules over accesses.
void fit_line(AccessLine& line) {
  const auto n = static_cast<double>(line.points.size());
  double x = 0;
  double y = 0;
  for (const LinePoint& point : line.points) {
    x += point.accesses / n;
    y += point.joules / n;
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const LinePoint& point : line.points) {
    xx += (point.accesses - x) * (point.accesses - x);
    xy += (point.accesses - x) * (point.joules - y);
    yy += (point.joules - y) * (point.joules - y);
  }
  if (xx <= 0 || yy <= 0) return;
  line.sector_j = xy / xx;
  line.r_squared = xy * xy / (xx * yy);
}

}  // namespace

std::vector<Chain> plan_chains(const Sizes& sizes) {
  std::vector<Chain> chains;
  for (const bool divide : {false, true}) {
    for (const Level level : kAllLevels) {
      for (const Parallelism& parallel : parallelisms()) {
        if (divide && parallel.share < 1.0) continue;
        Chain chain{.level = level,
                    .parallel = parallel,
                    .divide = divide,
                    .pattern = chain_for(level, parallel.threads, divide, sizes),
                    .stretches = stretches_of(level, parallel, divide)};
        if (step_bytes(chain.pattern) > chain.pattern.region) continue;
        chain.kernel = kernels::make_access_kernel(chain.pattern);
        chains.push_back(std::move(chain));
      }
    }
  }
  return chains;
}

Result<std::vector<Chain>> make_chains(load::Load& load, const Sizes& sizes) {
  std::vector<Chain> chains;
  for (Chain& chain : plan_chains(sizes)) {
    const auto compiled = load.compile(chain.kernel);
    if (!compiled && compiled.error().code == Errc::device) return Unexpected(compiled.error());
    if (compiled) chains.push_back(std::move(chain));
  }
  return chains;
}

std::vector<SweepPoint> sweep_of(std::span<const ChainRun> runs) {
  const AccessEnergies above_idle = accesses_of({runs.begin(), runs.end()}, Above::idle);
  std::vector<ChainRun> on_all{runs.begin(), runs.end()};
  std::erase_if(on_all, [](const ChainRun& run) { return run.chain->parallel.share < 1.0; });
  const AccessEnergies above_spin = accesses_of(on_all, Above::spin);
  std::vector<SweepPoint> sweep;
  for (const Level level : kAllLevels) {
    for (const Parallelism& parallel : parallelisms()) {
      const Budget* access = find_access(above_idle, level, parallel, false);
      if (access == nullptr) continue;
      const auto chain = std::find_if(runs.begin(), runs.end(), [&](const ChainRun& run) {
        return run.chain->level == level && run.chain->parallel == parallel;
      });
      SweepPoint point{.level = level, .parallel = parallel};
      point.sector_j = uncertainty::interval_on_scale(
          access->scaled(1 / sectors_per_access(chain->chain->pattern)));
      const Budget* with = find_access(above_spin, level, parallel, true);
      const Budget* without = find_access(above_spin, level, parallel, false);
      if (with != nullptr && without != nullptr) {
        point.division_j = uncertainty::interval_on_scale(uncertainty::difference(*with, *without));
      }
      sweep.push_back(point);
    }
  }
  return sweep;
}

std::vector<ParallelFit> fits_of(std::span<const ChainRun> runs) {
  const AccessEnergies energies = accesses_of({runs.begin(), runs.end()}, Above::idle);
  std::vector<ParallelFit> fits;
  for (const Parallelism& parallel : parallelisms()) {
    std::vector<double> measured_w;
    std::vector<double> fitted_w;
    std::set<const Chain*> chains;
    for (const ChainRun& run : runs) {
      const auto access = energies.find(run.chain);
      if (run.chain->parallel != parallel || access == energies.end()) continue;
      chains.insert(run.chain);
      measured_w.push_back(run.joules.value() / run.seconds);
      fitted_w.push_back(access->second.value() * run.iterations * run.chain->pattern.copies /
                         run.seconds);
    }
    // Chains that ran once each are explained whatever they drew.
    if (chains.size() < 2 || measured_w.size() <= chains.size()) continue;
    fits.push_back({parallel, measured_w.size(), r_squared_of(measured_w, fitted_w)});
  }
  return fits;
}

std::vector<AccessLine> lines_of(std::span<const ChainRun> runs) {
  std::vector<AccessLine> lines;
  for (const ChainRun& run : runs) {
    if (run.chain->stretches.size() < 2) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const AccessLine& other) {
      return other.threads == run.chain->parallel.threads;
    });
    if (line == lines.end()) line = lines.insert(line, {.threads = run.chain->parallel.threads});
    line->points.push_back({sectors_of(run), run.joules.value()});
  }
  for (AccessLine& line : lines) fit_line(line);
  std::erase_if(lines, [](const AccessLine& line) { return line.points.size() < 3; });
  std::sort(lines.begin(), lines.end(),
            [](const AccessLine& a, const AccessLine& b) { return a.threads < b.threads; });
  return lines;
}

}  // namespace truewatt::memory
