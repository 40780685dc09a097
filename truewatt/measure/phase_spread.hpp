#pragma once

#include <vector>

#include "truewatt/base/time.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/trace/trace.hpp"

// Phases of the sensors' update periods at which work begins (docs/method.md, section 12).
namespace truewatt::measure {

/// The update periods whose phases matter: those of the GPU's usable sources, each once; empty
/// where none is known. Pure.
std::vector<Seconds> periods_of(const Profile* profile);

/// The same as a recording shows them: of a source that changed too seldom nothing. Pure.
std::vector<Seconds> periods_of(const Recording& recording);

/// Both lists' periods, each once: those that differ by less than half a percent are one.
std::vector<Seconds> merged(std::vector<Seconds> periods, const std::vector<Seconds>& more);

/// Those of the set's devices as far as they are known beforehand.
std::vector<Seconds> periods_known(const devices::DeviceSet& set);

/// ... once each was recorded: of devices that nobody characterized as the recordings, one per
/// device, show them.
std::vector<Seconds> periods_shown(const devices::DeviceSet& set,
                                   const std::vector<Recording>& recordings);

/// That of most sensors, where nothing is known (Yang 2024, fig. 14).
inline constexpr Seconds kUsualPeriod{0.1};

/// The shortest pause after each of `count` groups of executions, two or more, of this length with
/// which their begins fill every one of the periods, at least one: few of one period exactly
/// evenly, few of several nearly as evenly as that goes, more so that no gap is much wider than if
/// they were even. Shorter than the longest period. Pure.
Seconds shortest_even_pause(Seconds group, int count, const std::vector<Seconds>& periods);

/// Begins one after the other, each as far as it goes from the phases of all those before it, in
/// every one of the periods at once.
class PhaseSpread {
 public:
  /// Of the usual period where there is none.
  explicit PhaseSpread(std::vector<Seconds> periods);

  /// Where they turn out to be others.
  void set_periods(std::vector<Seconds> periods);
  const std::vector<Seconds>& periods() const { return periods_; }

  /// How long to wait where the next could begin `later` than the first could: less than the
  /// longest period. Of those that would be as good the shortest.
  Seconds next(Seconds later);

 private:
  std::vector<Seconds> periods_;
  std::vector<Seconds> begins_;
};

}  // namespace truewatt::measure
