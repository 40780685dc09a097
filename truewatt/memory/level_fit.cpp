#include "truewatt/memory/level_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "truewatt/memory/share_fit.hpp"

namespace truewatt::memory {
namespace {

using uncertainty::Budget;

/// A column that is never more than this share of a run's sectors says nothing of its level.
constexpr double kLeastShare = 0.2;

/// Columns of the fit: what stands where.
struct Columns {
  std::vector<std::size_t> beside;
  std::vector<std::size_t> levels;
};

/// What the runs have any of.
std::vector<std::size_t> beside_in(std::span<const FitRun> runs) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < runs.front().beside.size(); ++i) {
    const auto has = [&](const FitRun& run) { return run.beside[i] != 0; };
    if (std::any_of(runs.begin(), runs.end(), has)) columns.push_back(i);
  }
  return columns;
}

std::vector<std::size_t> levels_in(std::span<const FitRun> runs) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < runs.front().sectors.size(); ++i) {
    const auto has = [&](const FitRun& run) {
      const double all = std::accumulate(run.sectors.begin(), run.sectors.end(), 0.0);
      return all > 0 && run.sectors[i] > kLeastShare * all;
    };
    if (std::any_of(runs.begin(), runs.end(), has)) columns.push_back(i);
  }
  return columns;
}

Result<std::vector<Budget>> fit_columns(std::span<const FitRun> runs, const Columns& columns) {
  std::vector<std::vector<double>> amounts(columns.beside.size() + columns.levels.size());
  std::vector<Budget> joules;
  std::vector<double> wholes;
  for (const FitRun& run : runs) {
    auto column = amounts.begin();
    for (const std::size_t i : columns.beside) (column++)->push_back(run.beside[i]);
    for (const std::size_t i : columns.levels) (column++)->push_back(run.sectors[i]);
    joules.push_back(run.joules);
    wholes.push_back(std::max(std::abs(run.joules.value()), run.joules.precision()));
  }
  return fit_shares(amounts, joules, wholes);
}

double fitted(const FitRun& run, const LevelFit& fit) {
  double joules = 0.0;
  for (std::size_t i = 0; i < fit.beside_j.size(); ++i) {
    if (fit.beside_j[i]) joules += run.beside[i] * fit.beside_j[i]->value();
  }
  for (std::size_t i = 0; i < fit.sector_j.size(); ++i) {
    if (fit.sector_j[i]) joules += run.sectors[i] * fit.sector_j[i]->value();
  }
  return joules;
}

void look_at_residuals(std::span<const FitRun> runs, LevelFit& fit) {
  std::vector<double> measured_w;
  std::vector<double> fitted_w;
  for (const FitRun& run : runs) {
    const double joules = fitted(run, fit);
    fit.residuals.push_back({run.kernel, run.joules.value(), joules});
    measured_w.push_back(run.joules.value() / run.seconds);
    fitted_w.push_back(joules / run.seconds);
  }
  fit.r_squared = r_squared_of(measured_w, fitted_w);
}

}  // namespace

Result<LevelFit> fit_levels(std::span<const FitRun> runs) {
  if (runs.empty()) return Unexpected(Errc::insufficient_data, "no run has an energy");
  LevelFit fit;
  fit.beside_j.resize(runs.front().beside.size());
  fit.sector_j.resize(runs.front().sectors.size());
  fit.not_positive.resize(runs.front().sectors.size());
  Columns columns{beside_in(runs), levels_in(runs)};
  while (true) {
    const auto found = fit_columns(runs, columns);
    if (!found) return Unexpected(found.error());
    const auto of_levels = std::span(*found).subspan(columns.beside.size());
    const auto least =
        std::min_element(of_levels.begin(), of_levels.end(),
                         [](const Budget& a, const Budget& b) { return a.value() < b.value(); });
    if (least != of_levels.end() && least->value() < 0) {
      const auto at = columns.levels.begin() + (least - of_levels.begin());
      fit.not_positive[*at] = true;
      columns.levels.erase(at);
      continue;
    }
    for (std::size_t i = 0; i < columns.beside.size(); ++i) {
      fit.beside_j[columns.beside[i]] = (*found)[i];
    }
    for (std::size_t i = 0; i < columns.levels.size(); ++i) {
      fit.sector_j[columns.levels[i]] = of_levels[i];
    }
    look_at_residuals(runs, fit);
    return fit;
  }
}

}  // namespace truewatt::memory
