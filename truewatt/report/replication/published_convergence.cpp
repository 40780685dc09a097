#include "truewatt/report/replication/published_convergence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "truewatt/report/page/assets.hpp"

namespace truewatt::report {
namespace {

/// load_ms,shifts,processing,repetitions,mean_error_percent,std_percent
struct PublishedRow {
  double load_ms = 0.0;
  int delays = 0;
  replication::Telling telling = replication::Telling::as_read;
  replication::ConvergencePoint point;
};

double number_of(std::string_view text) {
  double number = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::array<std::string_view, 6> cells_of(std::string_view line) {
  std::array<std::string_view, 6> cells;
  for (std::string_view& cell : cells) {
    const auto comma = std::min(line.find(','), line.size());
    cell = line.substr(0, comma);
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return cells;
}

PublishedRow row_of(std::string_view line) {
  const auto cells = cells_of(line);
  const int shifts = static_cast<int>(number_of(cells[1]));
  return {.load_ms = number_of(cells[0]),
          .delays = shifts == 1 ? 0 : shifts,
          .telling =
              cells[2] == "raw" ? replication::Telling::as_read : replication::Telling::corrected,
          .point = {.executions = static_cast<int>(number_of(cells[3])),
                    .mean = number_of(cells[4]) / 100,
                    .spread = number_of(cells[5]) / 100}};
}

}  // namespace

std::vector<replication::ConvergenceCurve> published_convergence(Seconds execution) {
  constexpr double kSameLength = 0.1;
  std::vector<replication::ConvergenceCurve> curves;
  std::string_view rest = kPublishedConvergence;
  for (bool head = true; !rest.empty(); head = false) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const PublishedRow row = row_of(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool same = std::abs(1e3 * execution.count() / row.load_ms - 1) < kSameLength;
    if (head || row.load_ms <= 0 || !same) continue;
    auto curve = std::find_if(curves.begin(), curves.end(), [&row](const auto& one) {
      return one.telling == row.telling && one.delays == row.delays;
    });
    if (curve == curves.end()) {
      curves.push_back({.telling = row.telling, .delays = row.delays});
      curve = curves.end() - 1;
    }
    curve->points.push_back(row.point);
  }
  return curves;
}

}  // namespace truewatt::report
