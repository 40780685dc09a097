#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/model/catalogue.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::catalogue {

/// One quantity as it was measured, beside what the catalogue has, in seconds.
struct ComparedQuantity {
  std::string_view name;  ///< "update_period_s", "averaging_window_s"
  Interval measured;
  Interval published;
  bool agrees = false;
};

/// A measured source held against the catalogue.
struct SourceComparison {
  SourceId source;
  std::optional<Response> response;  ///< as measured; absent: not seen
  /// The code of Fig. 14 that fits best; absent when none is near or too little was measured.
  std::optional<std::string> best_code;
  /// What is published about this source of this family: one entry for each possible age of the
  /// driver; none when nobody published about it.
  std::vector<Entry> published;
  std::optional<Entry> against;  ///< the one of them that the comparison is with: the nearest
  std::optional<bool> agrees;    ///< absent: nothing to compare with, or too little was measured
  std::vector<ComparedQuantity> quantities;
  std::vector<Finding> also;  ///< findings that contradict Fig. 14 as this measurement does
};

/// Holds one source against the catalogue. A filter counts as a window of twice its time constant,
/// W + 2 C (docs/method.md, section 6), unless it spans several updates, which is the logarithmic
/// response; a ramp whose window was not fitted counts with 1.25 times its rise (10 to 90 %).
/// Quantities agree where the measured interval meets the published value's: 5 % for the update
/// period, 30 % for the window (kPeriodShare, kWindowShare). The best code is the nearest one by
/// the logarithms of both, no further than half way to its neighbours in Fig. 14. Without a family
/// only the best code is told; of energy counters and sample buffers nothing is. Pure.
SourceComparison compare(const SourceProfile& measured, std::optional<Family> family,
                         const DriverHints& hints = {});

/// Every source of a profile, with the profile's own sources and driver as the hints. The family
/// is that of the device's name unless one is given.
std::vector<SourceComparison> compare(const Profile& profile,
                                      std::optional<Family> family = std::nullopt);

/// As it stands in a profile. Nothing for sources that the catalogue does not speak about.
std::optional<CatalogueMatch> match_of(const SourceComparison& comparison);

}  // namespace truewatt::catalogue
