#include "truewatt/instructions/known_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "truewatt/instructions/instruction_kernel.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/machine_code/survival.hpp"
#include "truewatt/microbenchmark/batch.hpp"
#include "truewatt/microbenchmark/pace.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {
namespace {

using microbenchmark::PointOf;
using uncertainty::Budget;

const MeasuredRow* row_of(const Observations& seen, std::string_view instruction) {
  const RowKey key{std::string(instruction), kernels::Optimization::O3, kernels::Operands::random};
  const auto found = std::find_if(seen.rows.begin(), seen.rows.end(), [&](const MeasuredRow& row) {
    return row.planned.row.key == key;
  });
  return found == seen.rows.end() || !found->own.above_spin_pj ? nullptr : &*found;
}

/// A kernel, and what was seen of it.
struct Trial {
  PlayedKernel played;
  std::shared_ptr<const kernels::Kernel> kernel;
  std::vector<Point> points;
};

Trial trial_of(const KnownKernel& known, load::Load& load, const Observations& seen) {
  Trial trial{.played = {.known = &known}};
  for (const KnownPart& part : known.parts) {
    if (row_of(seen, part.instruction) != nullptr) continue;
    trial.played.detail = fmt::format("{} has no number at O3", part.instruction);
    return trial;
  }
  auto kernel = make_known(known);
  const auto code = load.compile(kernel);
  if (!code) {
    trial.played.detail = code.error().message;
  } else if (const auto why = what_is_missing(known, (*code)->image)) {
    trial.played.detail = *why;
  } else {
    trial.kernel = std::move(kernel);
  }
  return trial;
}

/// Watts above idle at the rate of the point, and each part's own. The loop's are what it took
/// beside the parts in loops of their own, on average.
std::vector<Budget> rows_w(const KnownKernel& known, const Observations& seen, const Point& point) {
  std::vector<Budget> parts;
  Budget loop;
  const double iterations = 1e-12 * point.iterations / point.length.count();
  const double share = 1.0 / static_cast<double>(known.parts.size());
  for (const KnownPart& part : known.parts) {
    const Slopes& own = row_of(seen, part.instruction)->own;
    parts.push_back(own.above_spin_pj->scaled(part.copies * iterations));
    const Budget both[] = {loop, own.loop_pj->scaled(share * iterations)};
    loop = uncertainty::sum(both);
  }
  parts.push_back(loop);
  return parts;
}

Budget measured_w(const Point& point) {
  return uncertainty::difference(point.energy_j, point.idle_j).scaled(1 / point.length.count());
}

void conclude(Trial& trial, const Observations& seen) {
  PlayedKernel& played = trial.played;
  const auto spin = seen.baselines.spin_at(1.0);
  if (trial.kernel == nullptr) return;
  if (trial.points.empty() || !spin) {
    played.detail = "its energy, or what spinning draws, was not seen";
    return;
  }
  const bool limited = std::any_of(trial.points.begin(), trial.points.end(),
                                   [](const Point& point) { return point.limited; });
  if (limited) {
    played.detail = "a limit lowered the clock, at which the table's energies are others";
    return;
  }
  std::vector<Budget> said;
  std::vector<Budget> measured;
  played.parts_w.assign(played.known->parts.size(), 0.0);
  for (const Point& point : trial.points) {
    std::vector<Budget> parts = rows_w(*played.known, seen, point);
    for (std::size_t i = 0; i < played.parts_w.size(); ++i) {
      played.parts_w[i] += parts[i].value() / static_cast<double>(trial.points.size());
    }
    parts.push_back(*spin);
    said.push_back(uncertainty::sum(parts));
    measured.push_back(measured_w(point));
  }
  played.rows_w = uncertainty::mean_of_runs(said).budget;
  played.measured_w = uncertainty::mean_of_runs(measured).budget;
}

/// The same random order again and again, so that no kernel follows itself; once where there is
/// only one.
std::vector<PointOf> order_of(const std::vector<Trial>& trials, int plays, std::uint64_t seed) {
  std::vector<PointOf> once;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].kernel != nullptr) once.push_back({i, 1, trials[i].kernel, 1.0});
  }
  std::mt19937_64 chance(seed);
  std::shuffle(once.begin(), once.end(), chance);
  std::vector<PointOf> points;
  if (once.size() == 1) plays = 1;
  for (int play = 0; play < plays; ++play) points.insert(points.end(), once.begin(), once.end());
  return points;
}

microbenchmark::Pace pace_for(const devices::DeviceSet& set) {
  const auto& profile = set.devices.front().known.profile;
  return microbenchmark::pace_of(profile ? &*profile : nullptr);
}

}  // namespace

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

std::vector<std::string_view> rows_needed_by(std::span<const KnownKernel> kernels) {
  std::vector<std::string_view> rows;
  for (const KnownKernel& known : kernels) {
    for (const KnownPart& part : known.parts) rows.push_back(part.instruction);
  }
  return rows;
}

Seconds known_kernels_take(std::size_t kernels, const KnownPlays& plays,
                           const devices::DeviceSet& set) {
  const microbenchmark::Pace pace = pace_for(set);
  return microbenchmark::length_of_batch(static_cast<std::size_t>(plays.plays) * kernels,
                                         std::max(plays.length, pace.shortest), pace.idle);
}

Result<std::vector<PlayedKernel>> play_known(devices::DeviceSet& set, load::Load& load,
                                             const Options& options, const Observations& seen,
                                             std::span<const KnownKernel> kernels,
                                             const KnownPlays& plays, int& windows) {
  std::vector<Trial> trials;
  for (const KnownKernel& known : kernels) trials.push_back(trial_of(known, load, seen));
  const std::vector<PointOf> points = order_of(trials, plays.plays, options.seed);
  if (!points.empty()) {
    const microbenchmark::Pace pace = pace_for(set);
    auto batch = microbenchmark::play_batch(set, load, points,
                                            {.polling = options.polling,
                                             .estimate = options.estimate,
                                             .length = std::max(plays.length, pace.shortest),
                                             .settles = pace.settles,
                                             .idle = pace.idle,
                                             .first_run = windows,
                                             .stop = options.stop});
    if (!batch) return Unexpected(batch.error());
    windows += batch->windows;
    for (Point& point : batch->points) trials[point.of.row].points.push_back(std::move(point));
  }
  std::vector<PlayedKernel> played;
  for (Trial& trial : trials) {
    conclude(trial, seen);
    played.push_back(std::move(trial.played));
  }
  return played;
}

}  // namespace truewatt::instructions
