#include "truewatt/instructions/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>

#include "truewatt/experiment/session.hpp"
#include "truewatt/instructions/instruction_kernel.hpp"
#include "truewatt/instructions/judgement.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/machine_code/survival.hpp"
#include "truewatt/microbenchmark/batch.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {
namespace {

using microbenchmark::PointOf;
using uncertainty::Budget;

constexpr Seconds kPlay{1.0};
constexpr int kPlays = 3;
constexpr double kPure = 0.05;
constexpr double kMixed = 0.10;

const MeasuredRow* row_of(const Observations& seen, std::string_view instruction) {
  const RowKey key{std::string(instruction), kernels::Optimization::O3, kernels::Operands::random};
  const auto found = std::find_if(seen.rows.begin(), seen.rows.end(), [&](const MeasuredRow& row) {
    return row.planned.row.key == key;
  });
  return found == seen.rows.end() || !found->own.above_spin_pj ? nullptr : &*found;
}

/// A kernel, and what was seen of it.
struct Trial {
  const KnownKernel& known;
  VerifiedKernel result;
  std::shared_ptr<const kernels::Kernel> kernel;
  std::vector<Point> points;
};

Trial trial_of(const KnownKernel& known, load::Load& load, const Observations& seen) {
  Trial trial{.known = known,
              .result = {.name = std::string(known.name), .allowed = known.allowed}};
  for (const KnownPart& part : known.parts) {
    trial.result.per_iteration.emplace_back(part.instruction, part.copies);
    if (row_of(seen, part.instruction) != nullptr) continue;
    trial.result.detail = fmt::format("{} has no number at O3", part.instruction);
    return trial;
  }
  auto kernel = make_known(known);
  const auto code = load.compile(kernel);
  if (!code) {
    trial.result.detail = code.error().message;
  } else if (const auto why = what_is_missing(known, (*code)->image)) {
    trial.result.detail = *why;
  } else {
    trial.kernel = std::move(kernel);
  }
  return trial;
}

/// Watts above idle at the rate of the point. The loop's own are what it took beside the parts in
/// loops of their own, on average.
Budget predicted_w(const KnownKernel& known, const Observations& seen, const Budget& spin,
                   const Point& point) {
  std::vector<Budget> parts{spin};
  const double iterations = 1e-12 * point.iterations / point.length.count();
  const double share = 1.0 / static_cast<double>(known.parts.size());
  for (const KnownPart& part : known.parts) {
    const Slopes& own = row_of(seen, part.instruction)->own;
    parts.push_back(own.above_spin_pj->scaled(part.copies * iterations));
    parts.push_back(own.loop_pj->scaled(share * iterations));
  }
  return uncertainty::sum(parts);
}

Budget measured_w(const Point& point) {
  return uncertainty::difference(point.energy_j, point.idle_j).scaled(1 / point.length.count());
}

Interval on_scale(const std::vector<Budget>& runs) {
  return uncertainty::interval_on_scale(uncertainty::mean_of_runs(runs).budget);
}

void conclude(Trial& trial, const Observations& seen) {
  const auto spin = seen.baselines.spin_at(1.0);
  if (trial.kernel == nullptr) return;
  if (trial.points.empty() || !spin) {
    trial.result.detail = "its energy, or what spinning draws, was not seen";
    return;
  }
  const bool limited = std::any_of(trial.points.begin(), trial.points.end(),
                                   [](const Point& point) { return point.limited; });
  if (limited) {
    trial.result.detail = "a limit lowered the clock, at which the table's energies are others";
    return;
  }
  std::vector<Budget> predicted;
  std::vector<Budget> measured;
  for (const Point& point : trial.points) {
    predicted.push_back(predicted_w(trial.known, seen, *spin, point));
    measured.push_back(measured_w(point));
  }
  trial.result.predicted_w = on_scale(predicted);
  trial.result.measured_w = on_scale(measured);
  trial.result.off = trial.result.predicted_w->value / trial.result.measured_w->value - 1;
}

/// The same random order again and again, so that no kernel follows itself; once where there is
/// only one.
std::vector<PointOf> order_of(const std::vector<Trial>& trials, std::uint64_t seed) {
  std::vector<PointOf> once;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].kernel != nullptr) once.push_back({i, 1, trials[i].kernel, 1.0});
  }
  std::mt19937_64 chance(seed);
  std::shuffle(once.begin(), once.end(), chance);
  std::vector<PointOf> points;
  const int plays = once.size() > 1 ? kPlays : 1;
  for (int play = 0; play < plays; ++play) points.insert(points.end(), once.begin(), once.end());
  return points;
}

}  // namespace

std::span<const KnownKernel> known_kernels() {
  static const std::vector<KnownKernel> all{
      {"multiply-adds", kPure, {{"fma.rn.f32", 120}}},
      {"multiply-adds and integers", kMixed, {{"fma.rn.f32", 64}, {"add.s32", 32}}},
      {"integers, bits and products",
       kMixed,
       {{"mad.lo.s32", 32}, {"xor.b32", 32}, {"mul.f32", 32}}},
      {"double and single", kMixed, {{"fma.rn.f64", 16}, {"fma.rn.f32", 48}, {"add.f32", 32}}},
  };
  return all;
}

std::shared_ptr<const kernels::Kernel> make_known(const KnownKernel& known) {
  std::vector<kernels::MixedPart> parts;
  for (const KnownPart& part : known.parts) {
    parts.push_back({kernels::find_instruction(part.instruction), part.copies});
  }
  return make_mixed(std::string(known.name), std::move(parts));
}

std::optional<std::string> what_is_missing(const KnownKernel& known,
                                           std::span<const std::byte> image) {
  if (image.empty()) return std::nullopt;
  const auto body = machine_code::loop_body(image, kernels::kInstructionEntry);
  if (!body) return body.error().message;
  for (const KnownPart& part : known.parts) {
    machine_code::Expansion expansion;
    for (const auto& one : body->opcodes) {
      expansion.per_instruction.push_back({one.opcode, one.count / part.copies});
    }
    expansion.total = static_cast<double>(body->instructions) / part.copies;
    auto why = machine_code::survived(*kernels::find_instruction(part.instruction),
                                      kernels::Optimization::O3, body->sm, expansion);
    if (why) return why;
  }
  return std::nullopt;
}

std::vector<std::string_view> verification_rows() {
  std::vector<std::string_view> rows;
  for (const KnownKernel& known : known_kernels()) {
    for (const KnownPart& part : known.parts) rows.push_back(part.instruction);
  }
  return rows;
}

Seconds verification_takes() {
  return microbenchmark::length_of_batch(kPlays * known_kernels().size(), kPlay);
}

Result<std::vector<VerifiedKernel>> verify_kernels(devices::DeviceSet& set, load::Load& load,
                                                   const Options& options, const Observations& seen,
                                                   int& windows) {
  experiment::say(options.progress, std::nullopt, "measuring: kernels of known counts");
  std::vector<Trial> trials;
  for (const KnownKernel& known : known_kernels()) trials.push_back(trial_of(known, load, seen));
  const std::vector<PointOf> points = order_of(trials, options.seed);
  if (!points.empty()) {
    auto batch = microbenchmark::play_batch(set, load, points,
                                            {.polling = options.polling,
                                             .estimate = options.estimate,
                                             .length = kPlay,
                                             .first_run = windows,
                                             .stop = options.stop});
    if (!batch) return Unexpected(batch.error());
    windows += batch->windows;
    for (Point& point : batch->points) trials[point.of.row].points.push_back(std::move(point));
  }
  std::vector<VerifiedKernel> verified;
  for (Trial& trial : trials) {
    conclude(trial, seen);
    verified.push_back(std::move(trial.result));
  }
  return verified;
}

}  // namespace truewatt::instructions
