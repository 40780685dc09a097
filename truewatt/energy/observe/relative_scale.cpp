#include "truewatt/energy/observe/relative_scale.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// By how much two sources of one board differ otherwise from run to run.
constexpr double kGainRunToRun = 0.002;
constexpr double kOffsetRunToRun = 0.3;  // W

const Calibration* calibration_of(const Knowledge& knowledge, SourceId source) {
  const auto found = std::find_if(knowledge.calibrations.begin(), knowledge.calibrations.end(),
                                  [&](const Calibration& one) { return one.source == source; });
  return found == knowledge.calibrations.end() ? nullptr : &*found;
}

const EnergyAgreement* agreement_of(const Knowledge& knowledge, SourceId counter, SourceId power) {
  const SourceProfile* profile =
      knowledge.profile ? find_source(*knowledge.profile, counter) : nullptr;
  if (!profile || !profile->counter) return nullptr;
  const auto& all = profile->counter->agreement;
  const auto found = std::find_if(all.begin(), all.end(), [&](const EnergyAgreement& one) {
    return one.source == power && one.power_w && *one.power_w > 0;
  });
  return found == all.end() ? nullptr : &*found;
}

/// Reading = gain * power + offset, for both.
void relate(ObservedSource& source, const Calibration& own, const Calibration& scale) {
  for (ObservedReading& reading : source.readings) {
    const double watts = (reading.value - own.offset_w.value) / own.gain.value;
    reading.value = watts * scale.gain.value + scale.offset_w.value;
  }
  const double gain_sd =
      numerics::quadrature({standard_uncertainty_of(own.gain) / own.gain.value,
                            standard_uncertainty_of(scale.gain) / scale.gain.value, kGainRunToRun});
  const double offset_sd =
      numerics::quadrature({standard_uncertainty_of(own.offset_w),
                            standard_uncertainty_of(scale.offset_w), kOffsetRunToRun});
  source.gain_sd = std::min(source.gain_sd, gain_sd);
  source.offset_sd = std::min(source.offset_sd, offset_sd);
}

/// Both tell one mean power at `power_w`: what the ratio leaves open is an offset there, and a gain
/// about it that idle limits.
void relate(ObservedSource& source, const EnergyAgreement& agreement) {
  for (ObservedReading& reading : source.readings) reading.value *= agreement.ratio.value;
  const double pivot = *agreement.power_w * agreement.ratio.value;
  const double by_idle = source.offset_sd / pivot;
  source.gain_sd = 1 / std::sqrt(1 / (source.gain_sd * source.gain_sd) + 1 / (by_idle * by_idle));
  source.offset_sd =
      pivot * numerics::quadrature({standard_uncertainty_of(agreement.ratio), kGainRunToRun});
  source.pivot_w = pivot;
}

}  // namespace

void put_on_one_scale(ObservedBoard& board, const Knowledge& knowledge) {
  if (board.sources.empty()) return;
  const SourceId scale = board.sources.front().source;
  const Calibration* of_scale = calibration_of(knowledge, scale);
  for (std::size_t i = 1; i < board.sources.size(); ++i) {
    ObservedSource& source = board.sources[i];
    if (source.look == Look::counter) continue;
    const Calibration* own = calibration_of(knowledge, source.source);
    if (own && of_scale) {
      relate(source, *own, *of_scale);
    } else if (const auto* agreement = agreement_of(knowledge, scale, source.source);
               agreement && board.sources.front().integrates) {
      // What adds up samples differs from power readings by the rhythm of what runs, too.
      relate(source, *agreement);
    }
  }
}

}  // namespace truewatt::energy
