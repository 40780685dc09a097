#include "truewatt/instructions/reader_errors.hpp"

#include <cmath>
#include <map>

#include "truewatt/calibrate/metered_play.hpp"

namespace truewatt::instructions {
namespace {

std::optional<double> metered_power_w(const trace::MeterTrace& meter, const HostSpan& span) {
  const auto energy =
      calibrate::metered_execution(meter, {span.begin, span.end, ""}, 1, Seconds(0));
  if (!energy || span.length() <= Nanoseconds(0)) return std::nullopt;
  return energy->value() / Seconds(span.length()).count();
}

/// The stretch's energy above idle.
std::optional<double> reference_j(const Point& point, const trace::MeterTrace* meter) {
  if (meter == nullptr) return point.energy_j.value() - point.idle_j.value();
  const auto power = metered_power_w(*meter, point.span);
  const auto idle = metered_power_w(*meter, point.idle_span);
  if (!power || !idle) return std::nullopt;
  return (*power - *idle) * point.length.count();
}

/// Sums of one reader's errors.
struct Sums {
  int count = 0;
  double shares = 0.0;
  double squares = 0.0;
};

void add(std::map<energy::Reader, Sums>& sums, const Point& point, const trace::MeterTrace* meter) {
  if (point.readers_j.empty()) return;
  const auto reference = reference_j(point, meter);
  if (!reference || *reference <= 0) return;
  for (const auto& [reader, joules] : point.readers_j) {
    Sums& of_reader = sums[reader];
    ++of_reader.count;
    of_reader.shares += std::abs(joules / *reference - 1);
    of_reader.squares += std::pow(joules - *reference, 2);
  }
}

}  // namespace

std::vector<ReaderErrors> reader_errors(const Observations& seen, const trace::MeterTrace* meter) {
  std::map<energy::Reader, Sums> sums;
  for (const MeasuredRow& row : seen.rows) {
    for (const Point& point : row.points) add(sums, point, meter);
  }
  for (const auto& [optimization, points] : seen.empty) {
    for (const Point& point : points) add(sums, point, meter);
  }
  std::vector<ReaderErrors> errors;
  for (const auto& [reader, of_reader] : sums) {
    errors.push_back({.reader = reader,
                      .count = of_reader.count,
                      .mape = of_reader.shares / of_reader.count,
                      .rmse_j = std::sqrt(of_reader.squares / of_reader.count)});
  }
  return errors;
}

}  // namespace truewatt::instructions
