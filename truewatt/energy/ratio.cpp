#include "truewatt/energy/ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::energy {
namespace {

/// Terms of a budget that are errors of what is known of a source: they stand on both sides.
constexpr std::array<std::string_view, 3> kCommonCauses = {"lag", "model", "relative_gain"};
/// What a load in step with its sensor hides is hidden in every run.
constexpr std::string_view kPhaseLock = "phase_lock";

bool is_common_cause(std::string_view term) {
  return std::find(kCommonCauses.begin(), kCommonCauses.end(), term) != kCommonCauses.end();
}

const std::optional<EnergyInterval>& energy_of(const EnergyEstimate& one, Quantity quantity) {
  return quantity == Quantity::gross ? one.energy : one.net_energy;
}

double total_of(const std::vector<EnergyEstimate>& devices, Quantity quantity) {
  double sum = 0.0;
  for (const EnergyEstimate& one : devices) sum += energy_of(one, quantity)->interval.value;
  return sum;
}

bool can_be_compared(const std::vector<EnergyEstimate>& devices, Quantity quantity) {
  const auto has = [quantity](const EnergyEstimate& one) {
    return energy_of(one, quantity).has_value();
  };
  return !devices.empty() && std::all_of(devices.begin(), devices.end(), has) &&
         total_of(devices, quantity) > 0;
}

/// The same board, seen by the same source.
bool is_same_sensor(const EnergyEstimate& a, const EnergyEstimate& b) {
  return a.device.uuid == b.device.uuid && a.source == b.source;
}

/// J, of the budget's term of this name; 0 without one.
double term_of(const EnergyEstimate& estimate, std::string_view name) {
  for (const BudgetTerm& term : estimate.budget) {
    if (term.term == name) return term.standard_uncertainty.value();
  }
  return 0.0;
}

/// What gain and offset leave of the gross energy, J. Where the budget has them as one, net energy,
/// which knows no offset, tells them apart.
struct GainAndOffset {
  double gain_j = 0.0;
  double offset_j = 0.0;
};

GainAndOffset parts_of_gain(const EnergyEstimate& estimate) {
  if (const double offset = term_of(estimate, "offset"); offset > 0) {
    return {term_of(estimate, "gain"), offset};
  }
  const double both = estimate.energy->gain_uncertainty;
  const auto& net = estimate.net_energy;
  if (!net || net->interval.value == 0.0) return {0.0, both};
  const double relative = net->gain_uncertainty / std::abs(net->interval.value);
  const double gain = std::min(both, relative * std::abs(estimate.energy->interval.value));
  return {gain, std::sqrt(both * both - gain * gain)};
}

/// Relative standard uncertainties by term and type.
class Terms {
 public:
  void add(std::string_view term, char type, double relative) {
    double& share = shares_[{std::string(term), type}];
    share = numerics::quadrature({share, relative});
  }
  std::vector<RatioTerm> list() const {
    std::vector<RatioTerm> terms;
    for (const auto& [key, share] : shares_) {
      if (share > 0) terms.push_back({key.first, share, key.second});
    }
    return terms;
  }

 private:
  std::map<std::pair<std::string, char>, double> shares_;
};

/// Terms of one pair's ratio. Everything relative to the totals.
class PairTerms {
 public:
  PairTerms(const RunPair& pair, Quantity quantity)
      : pair_(pair),
        quantity_(quantity),
        total_a_(total_of(pair.a, quantity)),
        total_b_(total_of(pair.b, quantity)) {}

  bool gain_cancels() const {
    return pair_.a.size() == pair_.b.size() &&
           std::equal(pair_.a.begin(), pair_.a.end(), pair_.b.begin(), is_same_sensor);
  }

  void add_shared(Terms& terms) const {
    if (quantity_ == Quantity::net) {
      add_parameter(terms, "gain",
                    [](const EnergyEstimate& one) { return one.net_energy->gain_uncertainty; });
      return;
    }
    add_parameter(terms, "gain",
                  [](const EnergyEstimate& one) { return parts_of_gain(one).gain_j; });
    add_parameter(terms, "offset",
                  [](const EnergyEstimate& one) { return parts_of_gain(one).offset_j; });
    for (const std::string_view cause : kCommonCauses) {
      add_parameter(terms, cause,
                    [cause](const EnergyEstimate& one) { return term_of(one, cause); });
    }
  }

  void add_hidden(Terms& terms) const {
    if (quantity_ == Quantity::net) return;
    each([&](const EnergyEstimate& one, double total) {
      terms.add(kPhaseLock, 'B', term_of(one, kPhaseLock) / total);
    });
  }

  void add_random(Terms& terms) const {
    each([&](const EnergyEstimate& one, double total) {
      if (quantity_ == Quantity::net) {
        const EnergyInterval& net = *one.net_energy;
        const double squares = net.standard_uncertainty * net.standard_uncertainty -
                               net.gain_uncertainty * net.gain_uncertainty;
        terms.add("readings", 'A', std::sqrt(std::max(0.0, squares)) / total);
        return;
      }
      for (const BudgetTerm& term : one.budget) {
        if (term.term == "gain" || term.term == "offset" || is_common_cause(term.term)) continue;
        terms.add(term.term, term.type, term.standard_uncertainty.value() / total);
      }
    });
  }

 private:
  /// A parameter of each board's sensor, by what it makes of either side, J.
  template <class Joules>
  void add_parameter(Terms& terms, std::string_view name, Joules joules) const {
    if (!gain_cancels()) {
      each([&](const EnergyEstimate& one, double total) {
        terms.add(name, 'B', joules(one) / total);
      });
      return;
    }
    for (std::size_t i = 0; i < pair_.a.size(); ++i) {
      const double difference = joules(pair_.a[i]) / total_a_ - joules(pair_.b[i]) / total_b_;
      constexpr double kRounding = 1e-12;
      terms.add(name, 'B', std::abs(difference) > kRounding ? std::abs(difference) : 0.0);
    }
  }

  template <class Use>
  void each(Use use) const {
    for (const EnergyEstimate& one : pair_.a) use(one, total_a_);
    for (const EnergyEstimate& one : pair_.b) use(one, total_b_);
  }

  const RunPair& pair_;
  Quantity quantity_;
  double total_a_;
  double total_b_;
};

numerics::Summary summary_of_logarithms(std::span<const RunPair> pairs, Quantity quantity) {
  std::vector<double> logarithms;
  for (const RunPair& pair : pairs) {
    logarithms.push_back(std::log(total_of(pair.b, quantity) / total_of(pair.a, quantity)));
  }
  return *numerics::summarize(logarithms);
}

}  // namespace

std::optional<EnergyRatio> energy_ratio(std::span<const RunPair> pairs, Quantity quantity) {
  const auto can = [quantity](const RunPair& pair) {
    return can_be_compared(pair.a, quantity) && can_be_compared(pair.b, quantity);
  };
  if (pairs.empty() || !std::all_of(pairs.begin(), pairs.end(), can)) return std::nullopt;
  // What does not change from pair to pair is that of the first.
  const PairTerms first(pairs.front(), quantity);
  Terms terms;
  first.add_shared(terms);
  const numerics::Summary summary = summary_of_logarithms(pairs, quantity);
  if (summary.count > 1) {
    const auto freedom = static_cast<double>(summary.count - 1);
    terms.add("scatter", 'A', summary.standard_error() * numerics::student_widening(freedom));
    first.add_hidden(terms);
  } else {
    first.add_random(terms);
  }
  EnergyRatio result{.budget = terms.list(), .gain_cancels = first.gain_cancels()};
  double squares = 0.0;
  for (const RatioTerm& term : result.budget) squares += term.relative * term.relative;
  const double relative = std::sqrt(squares);
  const double ratio = std::exp(summary.mean);
  // By the logarithm, so that a ratio that is known badly stays above zero.
  const double factor = std::exp(kCoverageFactor95 * relative);
  result.ratio = {ratio, ratio / factor, ratio * factor, 0.95};
  result.standard_uncertainty = ratio * relative;
  return result;
}

}  // namespace truewatt::energy
