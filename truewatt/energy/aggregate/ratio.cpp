#include "truewatt/energy/aggregate/ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

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

/// What the gain may be off by, as a share of the energy.
double relative_gain(const EnergyEstimate& estimate) {
  const double energy = std::abs(estimate.energy ? estimate.energy->interval.value : 0.0);
  return energy > 0 ? gain_and_offset(estimate).gain_j / energy : 0.0;
}

bool is_uncalibrated(const EnergyEstimate& estimate) {
  return std::find(estimate.reasons.begin(), estimate.reasons.end(), Reason::uncalibrated_gain) !=
         estimate.reasons.end();
}

/// The same board, seen by the same source, whose gain is known from the same calibration: one of
/// another quality is another.
bool is_same_sensor(const EnergyEstimate& a, const EnergyEstimate& b) {
  constexpr double kOtherQuality = 2.0;
  const double gain_a = relative_gain(a);
  const double gain_b = relative_gain(b);
  return a.device.uuid == b.device.uuid && a.source == b.source &&
         is_uncalibrated(a) == is_uncalibrated(b) && gain_a <= kOtherQuality * gain_b &&
         gain_b <= kOtherQuality * gain_a;
}

auto of_term(std::string_view term) {
  return [term](const EnergyEstimate& one) { return term_of(one, term); };
}

/// Relative standard uncertainties by term and type.
class Terms {
 public:
  void add(std::string_view term, char type, double relative) {
    double& share = shares_[{std::string(term), type}];
    share = numerics::quadrature({share, relative});
  }
  double quadrature() const {
    double squares = 0.0;
    for (const auto& [key, share] : shares_) squares += share * share;
    return std::sqrt(squares);
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

/// Terms of the ratio, everything relative to the totals. Every pair has the energies, in order of
/// devices.
class PairTerms {
 public:
  PairTerms(const std::vector<RunPair>& pairs, Quantity quantity)
      : pairs_(pairs),
        quantity_(quantity),
        gain_cancels_(is_one_set_of_sensors()),
        mean_(mean_of_pairs()) {}

  bool gain_cancels() const { return gain_cancels_; }
  /// Of the pairs' ratios, the logarithm.
  double logarithm() const { return mean_.value; }

  /// What a board and its source are wrong by in every run.
  void add_shared(Terms& terms) const {
    const Quantity quantity = quantity_;
    add_parameter(terms, "gain", Within::linear, [quantity](const EnergyEstimate& one) {
      return quantity == Quantity::net ? one.net_energy->gain_uncertainty
                                       : gain_and_offset(one).gain_j;
    });
    if (quantity_ == Quantity::gross) {
      add_parameter(terms, "offset", Within::linear,
                    [](const EnergyEstimate& one) { return gain_and_offset(one).offset_j; });
    }
    // One pair's net energies have these in what they call readings.
    if (quantity_ == Quantity::net && pairs_.size() == 1) return;
    for (const std::string_view cause : kCommonCauses) {
      add_parameter(terms, cause, Within::quadrature,
                    [cause](const EnergyEstimate& one) { return term_of(one, cause); });
    }
  }

  /// What several pairs do not know of their mean, after all else.
  void add_several(Terms& terms, EndsAt ends_at) const {
    double quantum = 0.0;
    double misfit = 0.0;
    double hidden = 0.0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      quantum += mean_.weights[i] * relative_of(pairs_[i], of_term(kQuantum));
      misfit += mean_.weights[i] * relative_of(pairs_[i], of_term(kMisfitTerm));
      hidden += mean_.weights[i] * std::pow(relative_of(pairs_[i], of_term(kPhaseLock)), 2);
    }
    terms.add(kQuantum, 'B', quantum);
    terms.add(kMisfitTerm, 'B', misfit);
    // Hidden in every run; nothing says that it is hidden alike on both sides.
    terms.add(kPhaseLock, 'B', std::sqrt(hidden));
    const TermsOfRuns runs = terms_beside(mean_, terms.quadrature(), ends_at);
    terms.add(kScatter, 'A', runs.scatter);
    terms.add(kWithinRuns, 'B', runs.within);
  }

  /// What one pair's two budgets say besides.
  void add_random(Terms& terms) const {
    each(pairs_.front(), [&](const EnergyEstimate& one, double total) {
      if (quantity_ == Quantity::net) {
        terms.add("readings", 'A', one.net_energy->without_gain() / total);
        return;
      }
      for (const BudgetTerm& term : one.budget) {
        if (term.term == "gain" || term.term == "offset" || is_common_cause(term.term)) continue;
        terms.add(term.term, term.type, term.standard_uncertainty.value() / total);
      }
    });
  }

 private:
  /// Quadrature of what both runs of a pair do not know, over their totals.
  template <class Joules>
  double relative_of(const RunPair& pair, Joules joules) const {
    double squares = 0.0;
    each(pair, [&](const EnergyEstimate& one, double total) {
      squares += std::pow(joules(one) / total, 2);
    });
    return std::sqrt(squares);
  }

  std::optional<OwnDoubt> own_doubt_of_pair(const RunPair& pair) const {
    const auto is_known = [](const EnergyEstimate& one) { return own_doubt_of(one).has_value(); };
    if (!std::all_of(pair.a.begin(), pair.a.end(), is_known)) return std::nullopt;
    if (!std::all_of(pair.b.begin(), pair.b.end(), is_known)) return std::nullopt;
    const auto own = [&](double OwnDoubt::*member) {
      return relative_of(
          pair, [member](const EnergyEstimate& one) { return (*own_doubt_of(one)).*member; });
    };
    return OwnDoubt{own(&OwnDoubt::random), own(&OwnDoubt::all)};
  }

  MeanOfRuns mean_of_pairs() const {
    std::vector<RunValue> runs;
    for (const RunPair& pair : pairs_) {
      runs.push_back({std::log(total_of(pair.b, quantity_) / total_of(pair.a, quantity_)),
                      own_doubt_of_pair(pair)});
    }
    if (runs.size() > 1) return mean_of_runs(runs, 1.0);
    return {.value = runs.front().value, .weights = {1.0}};
  }

  /// How a parameter of several boards adds up on a side whose sensors are not the other's: boards
  /// of one kind may all be off the same way.
  enum class Within { linear, quadrature };

  bool is_one_set_of_sensors() const {
    const std::vector<EnergyEstimate>& sensors = pairs_.front().a;
    const auto has_them = [&sensors](const std::vector<EnergyEstimate>& run) {
      return std::equal(sensors.begin(), sensors.end(), run.begin(), run.end(), is_same_sensor);
    };
    return std::all_of(pairs_.begin(), pairs_.end(), [&has_them](const RunPair& pair) {
      return has_them(pair.a) && has_them(pair.b);
    });
  }

  /// A parameter of each board's sensor, by what it makes of either side, J: mean of the pairs.
  template <class Joules>
  void add_parameter(Terms& terms, std::string_view name, Within within, Joules joules) const {
    if (!gain_cancels_) {
      double a = 0.0;
      double b = 0.0;
      for (std::size_t k = 0; k < pairs_.size(); ++k) {
        a += mean_.weights[k] * share_of(pairs_[k].a, within, joules);
        b += mean_.weights[k] * share_of(pairs_[k].b, within, joules);
      }
      terms.add(name, 'B', numerics::quadrature({a, b}));
      return;
    }
    for (std::size_t i = 0; i < pairs_.front().a.size(); ++i) {
      double difference = 0.0;
      for (std::size_t k = 0; k < pairs_.size(); ++k) {
        const RunPair& pair = pairs_[k];
        difference += mean_.weights[k] * (joules(pair.a[i]) / total_of(pair.a, quantity_) -
                                          joules(pair.b[i]) / total_of(pair.b, quantity_));
      }
      constexpr double kRounding = 1e-12;
      terms.add(name, 'B', std::abs(difference) > kRounding ? std::abs(difference) : 0.0);
    }
  }

  template <class Joules>
  double share_of(const std::vector<EnergyEstimate>& side, Within within, Joules joules) const {
    double sum = 0.0;
    double squares = 0.0;
    for (const EnergyEstimate& one : side) {
      sum += joules(one);
      squares += joules(one) * joules(one);
    }
    return (within == Within::linear ? sum : std::sqrt(squares)) / total_of(side, quantity_);
  }

  template <class Use>
  void each(const RunPair& pair, Use use) const {
    for (const EnergyEstimate& one : pair.a) use(one, total_of(pair.a, quantity_));
    for (const EnergyEstimate& one : pair.b) use(one, total_of(pair.b, quantity_));
  }

  const std::vector<RunPair>& pairs_;
  Quantity quantity_;
  bool gain_cancels_;
  MeanOfRuns mean_;  ///< of the pairs' ratios, as their logarithms
};

/// The pairs that have the energies, in order of devices.
std::vector<RunPair> comparable(std::span<const RunPair> pairs, Quantity quantity) {
  std::vector<RunPair> kept;
  for (const RunPair& pair : pairs) {
    if (!can_be_compared(pair.a, quantity) || !can_be_compared(pair.b, quantity)) continue;
    kept.push_back(pair);
    for (std::vector<EnergyEstimate>* side : {&kept.back().a, &kept.back().b}) {
      std::sort(side->begin(), side->end(), [](const EnergyEstimate& x, const EnergyEstimate& y) {
        return x.device.uuid < y.device.uuid;
      });
    }
  }
  return kept;
}

}  // namespace

std::optional<EnergyRatio> energy_ratio(std::span<const RunPair> all, Quantity quantity,
                                        EndsAt ends_at) {
  const std::vector<RunPair> pairs = comparable(all, quantity);
  if (pairs.empty()) return std::nullopt;
  const PairTerms of_pairs(pairs, quantity);
  Terms terms;
  of_pairs.add_shared(terms);
  if (pairs.size() > 1) {
    of_pairs.add_several(terms, ends_at);
  } else {
    of_pairs.add_random(terms);
  }
  EnergyRatio result{
      .budget = terms.list(), .gain_cancels = of_pairs.gain_cancels(), .pairs = pairs.size()};
  const double relative = terms.quadrature();
  const double ratio = std::exp(of_pairs.logarithm());
  // By the logarithm, so that a ratio that is known badly stays above zero.
  const double factor = std::exp(kCoverageFactor95 * relative);
  result.ratio = {ratio, ratio / factor, ratio * factor, 0.95};
  result.standard_uncertainty = ratio * relative;
  return result;
}

}  // namespace truewatt::energy
