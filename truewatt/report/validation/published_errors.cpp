#include "truewatt/report/validation/published_errors.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "truewatt/report/page/assets.hpp"

namespace truewatt::report {
namespace {

/// Our names, in the order of the file's columns after method and case.
constexpr std::array<std::string_view, 9> kInOrder = {"sgemm",    "fft",           "jpeg",
                                                      "stereo",   "black_scholes", "quasirandom",
                                                      "resnet50", "retinanet",     "bert"};

/// The cell of a line of comma-separated values.
std::string_view cell_at(std::string_view line, std::size_t column) {
  for (std::size_t i = 0; i < column; ++i) {
    line.remove_prefix(std::min(line.find(',') + 1, line.size()));
  }
  return line.substr(0, line.find(','));
}

double share_of(std::string_view percent) {
  double value = 0.0;
  std::from_chars(percent.data(), percent.data() + percent.size(), value);
  return value / 100.0;
}

}  // namespace

std::optional<PublishedErrors> published_errors(std::string_view workload) {
  const auto* const found = std::find(kInOrder.begin(), kInOrder.end(), workload);
  if (found == kInOrder.end()) return std::nullopt;
  const auto column = static_cast<std::size_t>(found - kInOrder.begin()) + 2;
  PublishedErrors errors;
  std::string_view rest = kPublishedErrors;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string_view method = cell_at(line, 0);
    if (method == "naive") errors.naive.push_back(share_of(cell_at(line, column)));
    if (method == "good_practice") {
      errors.good_practice.push_back(share_of(cell_at(line, column)));
    }
  }
  return errors;
}

}  // namespace truewatt::report
