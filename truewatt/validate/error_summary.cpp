#include "truewatt/validate/error_summary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

namespace truewatt::validate {
namespace {

constexpr std::string_view kUnresolvedToo = ", unresolved too";

ErrorSummary summary_of(const std::string& name, const std::vector<double>& errors) {
  ErrorSummary summary{.name = name, .count = static_cast<int>(errors.size())};
  double squares = 0.0;
  for (const double error : errors) {
    summary.mean_absolute += std::abs(error) / static_cast<double>(errors.size());
    squares += error * error;
    summary.largest = std::max(summary.largest, std::abs(error));
  }
  summary.rms = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, errors.size())));
  return summary;
}

}  // namespace

std::vector<ErrorSummary> summaries_of(const std::vector<ValidatedWorkload>& workloads) {
  std::map<std::string, std::vector<double>> errors;
  for (const ValidatedWorkload& workload : workloads) {
    for (const auto& [name, error] : workload.errors) errors[name].push_back(error);
    const auto add = [&](const std::string& name, const ToldEnergy& told) {
      if (told.error && told.resolved) errors[name].push_back(*told.error);
      if (told.error) errors[name + std::string(kUnresolvedToo)].push_back(*told.error);
    };
    add("truewatt, one run", workload.one_run);
    add("truewatt, good practice", workload.practice);
  }
  // Twice only where they are not the same.
  std::erase_if(errors, [&errors](const auto& one) {
    const auto& [name, all] = one;
    if (!name.ends_with(kUnresolvedToo)) return false;
    const auto resolved = errors.find(name.substr(0, name.size() - kUnresolvedToo.size()));
    return resolved != errors.end() && resolved->second.size() == all.size();
  });
  std::vector<ErrorSummary> summaries;
  for (const auto& [name, all] : errors) summaries.push_back(summary_of(name, all));
  return summaries;
}

}  // namespace truewatt::validate
