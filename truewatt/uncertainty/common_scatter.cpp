#include "truewatt/uncertainty/common_scatter.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <iterator>
#include <vector>

namespace truewatt::uncertainty {
namespace {

constexpr std::size_t kFewestFits = 5;
/// Of fits of one kind, one in a thousand scatters more.
constexpr double kOfAnotherKind = 0.999;
/// As good as known.
constexpr double kMostFreedom = 1000.0;

/// Expectation of the logarithm of a mean square over its variance.
double log_bias(double freedom) {
  return boost::math::digamma(freedom / 2) - std::log(freedom / 2);
}

/// Freedom whose trigamma(freedom / 2) is this.
double freedom_of(double variance_of_log) {
  if (!(variance_of_log > boost::math::trigamma(kMostFreedom / 2))) return kMostFreedom;
  double low = 1e-3;
  double high = kMostFreedom;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (boost::math::trigamma(middle / 2) > variance_of_log ? low : high) = middle;
  }
  return low;
}

std::optional<Scatter> by_moments(std::span<const Scatter> fits) {
  if (fits.size() < kFewestFits) return std::nullopt;
  const auto n = static_cast<double>(fits.size());
  double mean = 0.0;
  double of_sampling = 0.0;
  double all = 0.0;
  for (const Scatter& fit : fits) {
    all += fit.freedom;
    mean += (std::log(fit.variance) - log_bias(fit.freedom)) / n;
    of_sampling += boost::math::trigamma(fit.freedom / 2) / n;
  }
  double spread = 0.0;
  for (const Scatter& fit : fits) {
    spread += std::pow(std::log(fit.variance) - log_bias(fit.freedom) - mean, 2) / (n - 1);
  }
  // It is known no better than all residuals together tell.
  const double freedom = std::min(freedom_of(spread - of_sampling), all);
  return Scatter{std::exp(mean + log_bias(freedom)), freedom};
}

std::vector<Scatter> alike(std::span<const Scatter> fits, const Scatter& common) {
  std::vector<Scatter> found;
  std::copy_if(fits.begin(), fits.end(), std::back_inserter(found),
               [&](const Scatter& fit) { return !is_of_another_kind(fit, common); });
  return found;
}

}  // namespace

bool is_of_another_kind(const Scatter& fit, const Scatter& common) {
  if (fit.freedom <= 0) return false;
  const boost::math::fisher_f ratio(fit.freedom, common.freedom);
  return fit.variance > common.variance * boost::math::quantile(ratio, kOfAnotherKind);
}

std::optional<Scatter> common_scatter(std::span<const Scatter> all) {
  std::vector<Scatter> fits;
  std::copy_if(all.begin(), all.end(), std::back_inserter(fits),
               [](const Scatter& fit) { return fit.variance > 0 && fit.freedom > 0; });
  if (fits.size() < kFewestFits) return std::nullopt;
  std::vector<double> variances;
  for (const Scatter& fit : fits) variances.push_back(fit.variance);
  const auto middle = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
  std::nth_element(variances.begin(), middle, variances.end());
  const auto first = by_moments(alike(fits, {*middle, kMostFreedom}));
  if (!first) return std::nullopt;
  return by_moments(alike(fits, *first));
}

Scatter moderated(const Scatter& own, const std::optional<Scatter>& common) {
  if (!common) return own;
  if (is_of_another_kind(own, *common)) return own;
  const double freedom = own.freedom + common->freedom;
  return {(own.freedom * own.variance + common->freedom * common->variance) / freedom, freedom};
}

}  // namespace truewatt::uncertainty
