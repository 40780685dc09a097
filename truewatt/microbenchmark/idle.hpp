#pragma once

#include <map>
#include <span>
#include <vector>

#include "truewatt/microbenchmark/batch.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::microbenchmark {

/// The idle beneath kernels of several recordings: how far it moves, and what that makes of the
/// energies above it. Pure functions.

/// Idle's random errors and its changes, from as many batches' `idle_change_w`: the standard
/// uncertainty of a baseline between two such windows.
double idle_uncertainty(std::span<const double> changes_w);

/// Which batches have idle that moved no more than others' (5 robust standard deviations, and 2 W):
/// in the others something else ran. All, where there are fewer than four.
std::vector<bool> steady_batches(std::span<const double> changes_w);

/// How much of a mean of these points is of each batch.
std::map<int, double> shares_by_batch(std::span<const Point> points);

/// How much of idle's error stays in a mean of these points, which share it within a batch: 1 for
/// one batch, 1 / sqrt(n) for n with as many points each. 0 without points.
double idle_share(std::span<const Point> points);

/// `budget` with its random part as one error that is alike in all results that rest on it.
uncertainty::Budget as_baseline(const uncertainty::Budget& budget);

/// The energy of stretch number `run`: what readings stray from their model by is another error in
/// every stretch, as stretches follow each other in random order, and how they scatter shows it.
/// Pure.
uncertainty::Budget as_in_random_order(const uncertainty::Budget& budget, int run);

}  // namespace truewatt::microbenchmark
