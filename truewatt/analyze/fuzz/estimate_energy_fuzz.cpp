#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/testing/fuzz/invariants.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

using namespace truewatt;

namespace {

void require_sound(const std::optional<energy::EnergyInterval>& energy) {
  if (!energy) return;
  const Interval& joules = energy->interval;
  trace::require(std::isfinite(joules.value), "energies are finite");
  trace::require(joules.lower <= joules.value && joules.value <= joules.upper,
                 "energies lie in their intervals");
  trace::require(energy->standard_uncertainty >= 0.0, "uncertainties are not negative");
}

/// A profile that describes every source, so that they are read together.
Profile profile_of(const Recording& recording) {
  Profile profile;
  for (const Trace& trace : recording.traces) {
    SourceProfile source{.source = trace.source};
    source.update_period_s = interval95({0.1, 1e-5});
    source.fitted =
        FittedModel{interval95({0.025, 1e-3}), interval95({0.013, 1e-3}), interval95({0.03, 1e-3})};
    source.duty = 0.5;
    profile.sources.push_back(source);
  }
  return profile;
}

void estimate(const Recording& recording, const Window& window, const Profile* profile) {
  if (!(window.begin < window.end)) return;
  const auto found = energy::estimate_energy(recording, window, {.profile = profile}, {});
  require_sound(found.energy);
  require_sound(found.net_energy);
  trace::require(found.energy || !found.reasons.empty(), "what is missing has its reason");
  trace::require(found.energy || !found.resolved, "what is missing is not resolved");
}

}  // namespace

/// Any log that can be read gives sound energies, over all of it and over its middle third.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto log = trace::parse_nvidia_smi_log(trace::as_text(data, size));
  if (!log) return 0;
  for (const Recording& recording : log->recordings) {
    for (const Trace& trace : recording.traces) {
      const Nanoseconds third = (trace.end - trace.begin) / 3;
      estimate(recording, {trace.begin, trace.end, "all"}, nullptr);
      estimate(recording, {trace.begin + third, trace.end - third, "middle"}, nullptr);
      const Profile profile = profile_of(recording);
      estimate(recording, {trace.begin + third, trace.end - third, "middle"}, &profile);
    }
  }
  return 0;
}
