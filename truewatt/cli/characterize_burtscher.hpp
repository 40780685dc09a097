#pragma once

#include <optional>

#include "truewatt/cli/options.hpp"
#include "truewatt/replication/burtscher/burtscher_protocol.hpp"
#include "truewatt/report/replication/burtscher_html.hpp"

namespace truewatt::cli {

/// What a run file of this protocol has as its load.
inline constexpr const char* kBurtscherLoad = "characterize --protocol burtscher";

/// Plays Burtscher 2014's protocol, prints its tables, writes profile and page where asked. Its
/// profile is not kept for later measurements: its intervals hold no bias. `budget_s` absent:
/// whatever it takes.
int characterize_by_burtscher(const CommonOptions& common, std::optional<double> budget_s,
                              devices::DeviceSet& set, const devices::Environment& environment);

/// The page of a run of the protocol; `metadata` says how it was made.
report::BurtscherPage page_of(const replication::BurtscherRun& run,
                              const store::Metadata& metadata);

}  // namespace truewatt::cli
