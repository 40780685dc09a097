#include "truewatt/energy/observe/sparse_samples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {

double samples_apart(const std::vector<ObservedReading>& counts) {
  constexpr std::size_t kFewest = 10;
  constexpr std::size_t kOneOf = 5;  // neighbours
  constexpr double kLonger = 1.5;
  constexpr double kWithLength = 0.4;
  std::vector<double> powers;  // of the length, with which counts go; 1 where it is drawn evenly
  double seconds = 0.0;
  double intervals = 0.0;
  double before = 0.0;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const double length = counts[i].is_first ? 0.0 : counts[i].time - counts[i - 1].time;
    seconds += length;
    intervals += length > 0 ? 1.0 : 0.0;
    const bool both = length > 0 && before > 0 && counts[i].value > 0 && counts[i - 1].value > 0;
    if (both && std::max(length, before) > kLonger * std::min(length, before)) {
      powers.push_back(std::log(counts[i].value / counts[i - 1].value) / std::log(length / before));
    }
    before = length;
  }
  if (powers.size() < kFewest || kOneOf * powers.size() < counts.size()) return 0.0;
  return *numerics::median(std::move(powers)) < kWithLength ? seconds / intervals : 0.0;
}

}  // namespace truewatt::energy
