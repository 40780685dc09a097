#include "truewatt/instructions/verification.hpp"

#include "truewatt/experiment/session.hpp"
#include "truewatt/instructions/mixing.hpp"

namespace truewatt::instructions {
namespace {

using uncertainty::Budget;

constexpr KnownPlays kPlays{.length = Seconds(1.0), .plays = 3};
constexpr double kPure = 0.05;
constexpr double kMixed = 0.10;

VerifiedKernel verified(const PlayedKernel& played, const std::optional<Mixing>& mixing) {
  const KnownKernel& known = *played.known;
  VerifiedKernel result{.name = std::string(known.name),
                        .allowed = known.parts.size() > 1 ? kMixed : kPure,
                        .detail = played.detail};
  for (const KnownPart& part : known.parts) {
    result.per_iteration.emplace_back(part.instruction, part.copies);
  }
  if (!played.measured_w) return result;
  std::vector<Budget> parts{*played.rows_w};
  if (mixing) parts.push_back(drawn_by_mixing(*mixing, played.parts_w));
  result.predicted_w = uncertainty::interval_on_scale(uncertainty::sum(parts));
  result.measured_w = uncertainty::interval_on_scale(*played.measured_w);
  result.off = result.predicted_w->value / result.measured_w->value - 1;
  return result;
}

}  // namespace

std::span<const KnownKernel> verified_kernels() {
  static const std::vector<KnownKernel> all{
      {"multiply-adds", {{"fma.rn.f32", 120}}},
      {"multiply-adds and integers", {{"fma.rn.f32", 64}, {"add.s32", 32}}},
      {"integers, bits and products", {{"mad.lo.s32", 32}, {"xor.b32", 32}, {"mul.f32", 32}}},
      {"double and single", {{"fma.rn.f64", 16}, {"fma.rn.f32", 48}, {"add.f32", 32}}},
  };
  return all;
}

Seconds verification_takes(const devices::DeviceSet& set) {
  return known_kernels_take(verified_kernels().size(), kPlays, set);
}

Result<std::vector<VerifiedKernel>> verify_kernels(devices::DeviceSet& set, load::Load& load,
                                                   const Options& options, const Observations& seen,
                                                   const std::optional<Mixing>& mixing,
                                                   int& windows) {
  experiment::say(options.progress, std::nullopt, "measuring: kernels of known counts");
  const auto played = play_known(set, load, options, seen, verified_kernels(), kPlays, windows);
  if (!played) return Unexpected(played.error());
  std::vector<VerifiedKernel> all;
  for (const PlayedKernel& one : *played) all.push_back(verified(one, mixing));
  return all;
}

}  // namespace truewatt::instructions
