#pragma once

#include <functional>
#include <optional>
#include <string>

namespace truewatt::experiment {

/// How far long work has come: a share in [0, 1] where that is known, and what is being done.
using Progress = std::function<void(std::optional<double>, const std::string&)>;

}  // namespace truewatt::experiment
