#pragma once

#include <string>
#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::analyze {

/// Notes of what in a source's readings a reader should know: readings that no board gives are left
/// out; a sensor shows one number from first to last.
void add_remarks(const Recording& recording, const Trace& trace, std::vector<std::string>& notes);

/// Notes of labels whose windows overlap.
void add_remarks(const std::vector<Window>& windows, const std::vector<energy::LabelResult>& labels,
                 std::vector<std::string>& notes);

}  // namespace truewatt::analyze
