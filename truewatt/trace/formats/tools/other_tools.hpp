#pragma once

#include <optional>
#include <string_view>

#include "truewatt/base/result.hpp"

namespace truewatt::trace {

/// What a file that begins like this is, where it is known and holds no readings to work with: an
/// error that says so, and how to record them. Energy logs of Zeus and CodeCarbon, the table of
/// plain `nvidia-smi`, its XML, metrics of dcgm-exporter.
std::optional<Error> recognise_other_tool(std::string_view start);

}  // namespace truewatt::trace
