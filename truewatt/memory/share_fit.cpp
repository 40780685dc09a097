#include "truewatt/memory/share_fit.hpp"

#include <cmath>

namespace truewatt::memory {

using uncertainty::Budget;

Result<std::vector<Budget>> fit_shares(const std::vector<std::vector<double>>& amounts,
                                       std::span<const Budget> joules,
                                       std::span<const double> wholes) {
  constexpr double kPico = 1e12;
  std::vector<std::vector<double>> design = amounts;
  std::vector<Budget> shares;
  for (std::size_t run = 0; run < joules.size(); ++run) {
    const double size = kPico * wholes[run];
    for (auto& column : design) column[run] /= size;
    shares.push_back(joules[run].scaled(kPico / size));
  }
  auto fitted = uncertainty::regress(design, shares);
  if (!fitted) return Unexpected(fitted.error());
  for (Budget& coefficient : fitted->coefficients) coefficient = coefficient.scaled(1 / kPico);
  return std::move(fitted->coefficients);
}

double r_squared_of(std::span<const double> measured, std::span<const double> fitted) {
  double mean = 0.0;
  for (const double one : measured) mean += one / static_cast<double>(measured.size());
  double left = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    left += std::pow(measured[i] - fitted[i], 2);
    all += std::pow(measured[i] - mean, 2);
  }
  return all > 0 ? 1.0 - left / all : 0.0;
}

}  // namespace truewatt::memory
