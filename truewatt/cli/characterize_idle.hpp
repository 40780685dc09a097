#pragma once

#include "truewatt/cli/options.hpp"

namespace truewatt::cli {

/// Stands on every rung of idle for at most `budget_s` seconds and prints what each draws; JSON and
/// page where asked. Nothing is kept.
int characterize_idle(const CommonOptions& common, double budget_s, devices::DeviceSet& set,
                      const devices::Environment& environment);

}  // namespace truewatt::cli
