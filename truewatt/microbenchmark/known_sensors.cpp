#include "truewatt/microbenchmark/known_sensors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/characterize/characterization.hpp"

namespace truewatt::microbenchmark {
namespace {

/// Of the budget, and how little and how much that may be.
constexpr double kCharacterizeShare = 0.1;
constexpr Seconds kLeastToCharacterize{15};
constexpr Seconds kMostToCharacterize{60};

}  // namespace

Result<void> know_sensors(devices::DeviceSet& set, const devices::Environment& environment,
                          const KnownSensorsOptions& options) {
  devices::DeviceKnowledge& known = set.devices.front().known;
  if (known.profile) return {};
  const Seconds budget =
      std::clamp(kCharacterizeShare * options.budget, kLeastToCharacterize, kMostToCharacterize);
  const auto found =
      characterize::characterize(set, environment,
                                 {.polling = options.polling,
                                  .budget = budget,
                                  .seed = options.seed,
                                  .scopes = false,
                                  .progress = experiment::part_of(options.progress, 0, 10),
                                  .stop = options.stop});
  if (!found) return Unexpected(found.error());
  known.profile = found->profile;
  set.notes = {fmt::format(
      "no profile of this device was saved, so its sensors were characterized first ({:.0f} s); "
      "`truewatt characterize` keeps one",
      budget.count())};
  return {};
}

}  // namespace truewatt::microbenchmark
