#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::catalogue {

/// How far one board may be from what is published about its family, in shares: every spreadsheet
/// row that does not contradict Fig. 14 lies within them.
inline constexpr double kPeriodShare = 0.05;
inline constexpr double kWindowShare = 0.30;

/// 10 to 90 % of a first-order filter take so many time constants: ln 9.
inline constexpr double kRiseOfFilter = 2.1972245773362196;

/// A profile for a GPU that nobody has characterized, from what is published about its family, with
/// intervals as wide as that is worth: 5 % of the update period, 30 % of the window (a filter's
/// time constant likewise), or out to the findings that contradict Fig. 14, where these lie
/// further; gain and offset from board_prior(). `answering` are the sources that answer on the
/// device, which tell the age of its driver; empty: not known.
///
/// Every source carries the reason `from_catalogue`, and with it
///   catalogue_contradicted  findings disagree about it (findings())
///   driver_age_unknown      drivers of several ages are possible, and all their behaviours are in
///   duty_unknown            the intervals do not tell a part-time source from one that always
///                           looks; `duty` and `verdict` are absent then
///   module_scope            it sees more than the GPU
///   uncalibrated_gain       gain and offset are a prior, not a measurement
/// Energy counters and sample buffers are not in it: nothing is published about them. There is no
/// recommended source, and `created` is the day of the paper. Nothing for a product that
/// find_product() does not know or whose family supports no source.
///
/// Meant for: whoever looks for a device's profile and finds none (store::find_profile) may give
/// this one to energy::Knowledge, with a note in the result that says so. It must never be saved
/// as the device's own, and an estimate that rests on it must carry its reasons.
std::optional<Profile> fallback_profile(const DeviceIdentity& device,
                                        const std::vector<SourceId>& answering = {});

}  // namespace truewatt::catalogue
