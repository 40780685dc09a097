#include "truewatt/identification/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "truewatt/numerics/summary.hpp"

namespace truewatt::identification {
namespace {

constexpr int kRefitIterations = 15;

/// Draws blocks of neighbours, one after the other, until there are as many as there were.
std::vector<double> drawn(const std::vector<double>& values, std::size_t block,
                          std::mt19937_64& rng) {
  std::vector<double> result;
  const std::size_t starts = values.size() - block + 1;
  while (result.size() < values.size()) {
    const auto from = static_cast<std::ptrdiff_t>(rng() % starts);
    const std::size_t count = std::min(block, values.size() - result.size());
    const auto begin = values.begin() + from;
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  return result;
}

/// Turns the signs of every other block, by chance.
std::vector<double> turned(std::vector<double> values, std::size_t block, std::mt19937_64& rng) {
  double sign = 1.0;
  // Where the first block ends is chance too: else the same neighbours would always turn together.
  const std::size_t first = rng() % block;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k == 0 || (k + block - first) % block == 0) sign = (rng() >> 63) != 0 ? 1.0 : -1.0;
    values[k] *= sign;
  }
  return values;
}

}  // namespace

std::vector<Parameters> bootstrap(const FitData& data, const JointFit& fit,
                                  const BootstrapOptions& options) {
  const JointFit here = fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
  const std::size_t count = here.residuals.size();
  if (count == 0) return {};
  const auto usual = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
  const std::size_t block =
      std::clamp<std::size_t>(options.block > 0 ? options.block : usual, 1, count);
  std::vector<double> standardized(count);
  for (std::size_t k = 0; k < count; ++k) standardized[k] = here.residuals[k] / here.sds[k];
  std::vector<energy::Tick> readings(data.readings.begin(), data.readings.end());
  std::mt19937_64 rng(options.seed);
  std::vector<Parameters> replicates;
  for (int i = 0; i < options.replicates; ++i) {
    const std::vector<double> errors = options.resampling == Resampling::moved
                                           ? drawn(standardized, block, rng)
                                           : turned(standardized, block, rng);
    for (std::size_t k = 0; k < count; ++k) {
      const double modelled = data.readings[k].value - here.residuals[k];
      readings[k].value = modelled + here.sds[k] * errors[k];
    }
    const FitData again{readings, data.work, data.measured, data.kernel};
    replicates.push_back(
        fit_from(again, fit.structure, fit.parameters, fit.noise_sd_w, kRefitIterations)
            .parameters);
  }
  return replicates;
}

double spread_of(const std::vector<Parameters>& replicates, Parameter parameter) {
  std::vector<double> values;
  for (const Parameters& one : replicates) values.push_back(one[parameter]);
  const auto summary = numerics::summarize(values);
  return summary ? summary->sd : 0.0;
}

}  // namespace truewatt::identification
