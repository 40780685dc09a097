#include "truewatt/energy/observe/counter_looks.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {

Summed summed_by(const ObservedSource& source) {
  constexpr double kFine = 4e-3;  // s
  if (source.look != Look::counter) return Summed::nothing;
  if (source.looks) return Summed::looks;
  if (source.integrates) return Summed::all;
  const bool is_coarse =
      source.is_characterized && source.blur <= 0 && source.sampled_every > kFine;
  return is_coarse ? Summed::samples : Summed::unknown;
}

std::vector<TimeSpan> looks_of(const ObservedSource& source, std::size_t reading) {
  constexpr double kMost = 200.0;
  if (!source.looks || reading == 0 || source.readings[reading].is_first) return {};
  const double end = source.readings[reading].time;
  const double span = end - source.readings[reading - 1].time;
  const double count = std::max(1.0, std::round(span / source.looks->every));
  const double some = std::min(count, kMost);
  const double every = source.looks->every * count / some;
  const double length = source.looks->length * count / some;
  std::vector<TimeSpan> looks;
  for (double back = some - 1; back >= 0; --back) {
    looks.push_back({end - back * every - length, end - back * every});
  }
  return looks;
}

double look_length(const ObservedSource& source) {
  return source.looks ? source.looks->length : source.window;
}

double look_period(const ObservedSource& source) {
  return source.looks ? source.looks->every : source.period;
}

}  // namespace truewatt::energy
