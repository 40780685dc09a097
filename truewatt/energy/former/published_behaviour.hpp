#pragma once

#include <optional>
#include <span>

#include "truewatt/energy/former/estimate_energy.hpp"
#include "truewatt/energy/former/padded_energy.hpp"

namespace truewatt::energy {

// Published behaviour where nobody characterized the device (docs/method.md, section 5): a prior
// that gives way to the recording. Pure functions.

/// What is published about one source, held against its recording.
struct Published {
  const SourceProfile* source = nullptr;  ///< null: nothing, or the recording contradicts it
  bool listed = false;                    ///< something is published
  std::optional<bool> agrees;             ///< absent: nothing to hold it against
};

/// Looks `source` up and compares the update periods. Nothing beside a profile.
Published published_about(SourceId source, const Knowledge& knowledge,
                          const std::optional<Interval>& recorded_period_s,
                          std::span<const ticks::Tick> ticks);
/// The same after the energy's own look at the readings' age.
Published judged(Published published, const PaddedEnergy& energy);

/// Share of the time that a source looks at, where that is published to be a part. That it looks
/// all the time is not believed unseen.
std::optional<double> published_duty(const Published& published);

/// Whose knowledge there is about the device; nothing without any.
std::optional<ProfileUse> profile_use(const Knowledge& knowledge);

}  // namespace truewatt::energy
