#include "truewatt/microbenchmark/known_sensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "truewatt/characterize/characterization.hpp"
#include "truewatt/characterize/scope_experiment.hpp"
#include "truewatt/experiment/session.hpp"

namespace truewatt::microbenchmark {
namespace {

/// Of the budget, and how little and how much that may be.
constexpr double kCharacterizeShare = 0.1;
constexpr Seconds kLeastToCharacterize{15};
constexpr Seconds kMostToCharacterize{60};
/// Where that tells too little, in which a reading a second shows its window; where it leaves most
/// of the budget.
constexpr Seconds kMoreToCharacterize{25};
constexpr double kMostOfBudget = 0.5;

/// Of the board's power; a memory's sensor is another matter.
bool shows_board(const SourceProfile& source) {
  return source.source.scope == Scope::gpu || source.source.scope == Scope::module;
}

/// Whether more time may tell what no sensor of the GPU told: it had too few readings, or what a
/// reading is a mean of stayed open, as of looks that leave time out.
bool told_too_little(const Profile& profile) {
  bool too_little = false;
  for (const SourceProfile& source : profile.sources) {
    if (!shows_board(source)) continue;
    const bool is_open = has_reason(source, ProfileReason::averaging_window_not_resolved);
    if (source.fitted && !is_open) return false;
    too_little = too_little || is_open || has_reason(source, ProfileReason::too_few_readings);
  }
  return too_little;
}

std::string_view why_unusable(const SourceProfile& source) {
  if (!source.reasons.empty()) return explain(source.reasons.front());
  return explain(is_too_slow(source) ? ProfileReason::time_constant_too_long
                                     : ProfileReason::no_readings);
}

/// Whether a sensor of the GPU follows stretches of a second; why none does otherwise.
Result<void> usable(const Profile& profile) {
  std::string why;
  for (const SourceProfile& source : profile.sources) {
    if (!shows_board(source)) continue;
    if (source.verdict != SourceVerdict::unusable && !is_too_slow(source)) return {};
    why += fmt::format("\n  {}: {}", to_string(source.source), why_unusable(source));
  }
  if (why.empty()) {
    return Unexpected(Errc::unavailable,
                      fmt::format("{} has no power sensor and no energy counter; `truewatt doctor` "
                                  "says what NVML answers",
                                  profile.device.name));
  }
  return Unexpected(Errc::unavailable,
                    fmt::format("no power sensor of {} can show what each of several kernels "
                                "takes that follow one another every second:{}",
                                profile.device.name, why));
}

/// What the set says once its sensors were characterized: warnings stay, of a profile that is not
/// used too; what nobody knew of the sensors is known now.
std::vector<std::string> notes_after(const devices::DeviceSet& set, Seconds took) {
  std::vector<std::string> notes;
  std::copy_if(set.notes.begin(), set.notes.end(), std::back_inserter(notes),
               [](const std::string& note) { return note.starts_with("warning: "); });
  const auto& reservations = set.devices.front().known.reservations;
  const bool is_ignored = std::find(reservations.begin(), reservations.end(),
                                    energy::Reason::profile_ignored) != reservations.end();
  notes.push_back(fmt::format(
      "no profile of this device was {}, so its sensors were characterized first ({:.0f} s); "
      "`truewatt characterize{}` keeps one",
      is_ignored ? "given" : "saved", took.count(), set.simulated() ? " --json FILE" : ""));
  return notes;
}

}  // namespace

Result<void> know_sensors(devices::DeviceSet& set, const devices::Environment& environment,
                          const KnownSensorsOptions& options) {
  devices::DeviceKnowledge& known = set.devices.front().known;
  if (known.profile) return usable(*known.profile);
  const bool is_superchip = characterize::is_superchip(set);
  const Seconds least = is_superchip ? characterize::kLeastScopeBudget : kLeastToCharacterize;
  const Seconds budget =
      std::clamp(kCharacterizeShare * options.budget, least, kMostToCharacterize);
  const HostTime began = set.clock->now();
  const auto look = [&](Seconds time) {
    return characterize::characterize(set, environment,
                                      {.polling = options.polling,
                                       .budget = time,
                                       .seed = options.seed,
                                       .progress = experiment::part_of(options.progress, 0, 10),
                                       .stop = options.stop});
  };
  auto found = look(budget);
  const auto spent = [&] { return Seconds(set.clock->now() - began); };
  if (found && told_too_little(found->profile) && budget < kMoreToCharacterize &&
      spent() + kMoreToCharacterize <= kMostOfBudget * options.budget &&
      !options.stop.stop_requested()) {
    found = look(kMoreToCharacterize);
  }
  if (!found) return Unexpected(found.error());
  known.profile = found->profile;
  if (options.stop.stop_requested()) {
    set.notes.clear();
    return {};
  }
  const double took = spent().count();
  set.notes = notes_after(set, Seconds(took));
  if (auto good = usable(*known.profile); !good) {
    if (known.profile->sources.empty()) return good;
    return Unexpected(good.error().code,
                      fmt::format("{}\nThe sensors were characterized for {:.0f} s; `truewatt "
                                  "characterize --budget 120` may find what that did not, and "
                                  "keeps it",
                                  good.error().message, took));
  }
  return {};
}

}  // namespace truewatt::microbenchmark
