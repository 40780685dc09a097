#pragma once

#include <optional>

#include "truewatt/cli/options.hpp"
#include "truewatt/devices/device_set.hpp"

namespace truewatt::cli {

/// What `characterize --protocol yang` was asked for.
struct YangArguments {
  std::optional<double> budget_s;  ///< absent: the whole protocol
  std::optional<int> repetitions;  ///< of everything; absent: the paper's 8 and 32
};

/// Plays Yang 2024's protocol, prints its table, writes its profile where asked. Its profile is not
/// kept for later measurements: its intervals hold no bias.
int characterize_by_yang(const CommonOptions& common, const YangArguments& arguments,
                         devices::DeviceSet& set, const devices::Environment& environment);

}  // namespace truewatt::cli
