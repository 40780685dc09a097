#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace truewatt::report {

/// Errors of Fig. 18 of Yang 2024 for one workload, by its three cases (an RTX 3090's instant and
/// averaged reading, an A100's), as shares with their signs.
struct PublishedErrors {
  std::vector<double> naive;
  std::vector<double> good_practice;
};

/// Of a workload by our name of it ("sgemm", "fft", ...); nothing for one that is not the paper's.
std::optional<PublishedErrors> published_errors(std::string_view workload);

}  // namespace truewatt::report
