#include "truewatt/instructions/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "truewatt/experiment/session.hpp"
#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {
namespace {

using uncertainty::Budget;
using uncertainty::Cause;

constexpr KnownPlays kPlays{.length = Seconds(0.4), .plays = 2};

/// Of all pairs of two joules, those that are of two kinds: 1 - sum of squared shares.
double of_two_kinds(std::span<const double> parts) {
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (!(sum > 0)) return 0.0;
  double alike = 0.0;
  for (const double part : parts) alike += part / sum * (part / sum);
  return 1 - alike;
}

/// Root of the sum of squares of what each pair of kinds is of all pairs of joules.
double spread_of_kinds(std::span<const double> parts) {
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  double squares = 0.0;
  for (std::size_t i = 0; sum > 0 && i < parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      squares += std::pow(2 * parts[i] * parts[j] / (sum * sum), 2);
    }
  }
  return std::sqrt(squares);
}

/// What the pair drew beside its rows.
Budget share_of(const PlayedKernel& played) {
  const double watts = std::accumulate(played.parts_w.begin(), played.parts_w.end(), 0.0);
  return uncertainty::difference(*played.measured_w, *played.rows_w)
      .scaled(1 / (watts * of_two_kinds(played.parts_w)));
}

MixedPair pair_of(const PlayedKernel& played) {
  const KnownKernel& known = *played.known;
  MixedPair pair{.name = std::string(known.name), .detail = played.detail};
  for (const KnownPart& part : known.parts) {
    pair.per_iteration.emplace_back(part.instruction, part.copies);
  }
  if (!played.measured_w) return pair;
  pair.rows_w = uncertainty::interval_on_scale(*played.rows_w);
  pair.measured_w = uncertainty::interval_on_scale(*played.measured_w);
  pair.share = share_of(played).value();
  return pair;
}

}  // namespace

std::span<const KnownKernel> mixed_pairs() {
  static const std::vector<KnownKernel> all{
      {"sums and bits", {{"add.f32", 48}, {"xor.b32", 48}}},
      {"products and integers", {{"mul.f32", 48}, {"mad.lo.s32", 48}}},
      {"bits and integers", {{"xor.b32", 48}, {"add.s32", 48}}},
      {"double and single multiply-adds", {{"fma.rn.f64", 32}, {"fma.rn.f32", 64}}},
      {"sums and products", {{"add.f32", 48}, {"mul.f32", 48}}},
      {"double sums and bits", {{"add.f64", 32}, {"xor.b32", 64}}},
      {"integer products and bits", {{"mul.lo.u32", 48}, {"xor.b32", 48}}},
      {"half and single sums", {{"add.f16x2", 48}, {"add.f32", 48}}},
      {"bits of three and of two", {{"lop3.b32", 48}, {"xor.b32", 48}}},
      {"matrices and multiply-adds", {{"mma.sync.m16n8k16.f32.f16", 8}, {"fma.rn.f32", 64}}},
  };
  return all;
}

std::vector<KnownKernel> mixed_pairs_of(std::span<const RowKey> keys) {
  const auto is_there = [&](const KnownPart& part) {
    return std::any_of(keys.begin(), keys.end(), [&](const RowKey& key) {
      return key == RowKey{.instruction = std::string(part.instruction)};
    });
  };
  std::vector<KnownKernel> pairs;
  for (const KnownKernel& pair : mixed_pairs()) {
    if (std::all_of(pair.parts.begin(), pair.parts.end(), is_there)) pairs.push_back(pair);
  }
  return pairs;
}

Seconds mixing_takes(std::size_t pairs, const devices::DeviceSet& set) {
  return known_kernels_take(pairs, kPlays, set);
}

Result<std::optional<Mixing>> measure_mixing(devices::DeviceSet& set, load::Load& load,
                                             const Options& options, const Observations& seen,
                                             std::span<const KnownKernel> pairs, int& windows) {
  experiment::say(options.progress, std::nullopt, "measuring: loops of two instructions");
  const auto played = play_known(set, load, options, seen, pairs, kPlays, windows);
  if (!played) return Unexpected(played.error());
  std::vector<Budget> shares;
  for (const PlayedKernel& one : *played) {
    if (one.measured_w) shares.push_back(share_of(one));
  }
  auto mixing = mixing_of(shares);
  if (!mixing) return mixing;
  for (const PlayedKernel& one : *played) mixing->pairs.push_back(pair_of(one));
  return mixing;
}

std::optional<Mixing> mixing_of(std::span<const Budget> shares) {
  if (shares.size() < kFewestPairs) return std::nullopt;
  const Budget mean = uncertainty::mean_of_runs(shares).budget;
  double squares = 0.0;
  for (const Budget& share : shares) squares += std::pow(share.value() - mean.value(), 2);
  const double freedom = static_cast<double>(shares.size()) - 1;
  return Mixing{.share = mean.value(),
                .share_u = mean.precision(),
                .scatter = numerics::student_widening(freedom) * std::sqrt(squares / freedom)};
}

Budget drawn_by_mixing(const Mixing& mixing, std::span<const double> parts) {
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  const double pairs = of_two_kinds(parts);
  Budget drawn(mixing.share * pairs * sum);
  drawn.add(Cause::model, sum * numerics::quadrature({mixing.share_u * pairs,
                                                      mixing.scatter * spread_of_kinds(parts)}));
  return drawn;
}

}  // namespace truewatt::instructions
