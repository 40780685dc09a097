#pragma once

#include <optional>
#include <string_view>

namespace truewatt::report {

/// Errors of Fig. 18 of paper 000 for one workload, means of the magnitudes over its three cases,
/// as shares.
struct PublishedErrors {
  double naive = 0.0;
  double good_practice = 0.0;
};

/// Of a workload by our name of it ("sgemm", "fft", ...); nothing for one that is not the paper's.
std::optional<PublishedErrors> published_errors(std::string_view workload);

}  // namespace truewatt::report
