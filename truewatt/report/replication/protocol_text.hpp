#pragma once

#include <string>
#include <vector>

#include "truewatt/model/profile.hpp"
#include "truewatt/replication/yang/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// The table of Yang 2024's protocol with its own numbers. Form as above. Pure.
std::string protocol_text(const Profile& profile, const std::vector<std::string>& notes,
                          const TextOptions& options = {});

/// The tables of Burtscher 2014's protocol, with what is published beside. Form as above. Pure.
std::string burtscher_text(const Profile& profile, const std::vector<std::string>& notes,
                           const TextOptions& options = {});

/// Per source and load a table of errors and spreads by the number of executions, as read, with
/// the paper's corrections and by truewatt, and what these numbers come to. UTF-8, ends with a
/// newline. Pure.
std::string convergence_text(const replication::Convergence& convergence,
                             const TextOptions& options = {});

}  // namespace truewatt::report
