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

/// Whether a sensor follows stretches of a second; why none does otherwise.
Result<void> usable(const Profile& profile) {
  std::string why;
  for (const SourceProfile& source : profile.sources) {
    if (source.verdict != SourceVerdict::unusable) return {};
    why += fmt::format("\n  {}: {}", to_string(source.source),
                       source.reasons.empty() ? "no readings" : explain(source.reasons.front()));
  }
  return Unexpected(Errc::unavailable,
                    fmt::format("no power sensor of {} tells what kernels take that follow one "
                                "another every second:{}",
                                profile.device.name, why));
}

}  // namespace

Result<void> know_sensors(devices::DeviceSet& set, const devices::Environment& environment,
                          const KnownSensorsOptions& options) {
  devices::DeviceKnowledge& known = set.devices.front().known;
  if (known.profile) return usable(*known.profile);
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
  return usable(*known.profile);
}

}  // namespace truewatt::microbenchmark
