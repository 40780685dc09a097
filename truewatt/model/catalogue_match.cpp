#include "truewatt/model/catalogue_match.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "truewatt/model/catalogue_profile.hpp"
#include "truewatt/model/product_names.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::catalogue {
namespace {

/// Half way between neighbouring codes, as factors: update periods of 15 and 20 ms; windows of 25
/// and 100 ms.
const double kNearPeriod = std::sqrt(20.0 / 15.0);
constexpr double kNearWindow = 2.0;

/// Findings are ranges over several boards already; one more board may lie so far beside them.
constexpr double kFindingShare = 0.10;

/// 10 to 90 % of a boxcar's ramp take 0.8 windows.
constexpr double kRiseOfRamp = 0.8;

/// A measured source in the terms of Fig. 14.
struct Look {
  std::optional<Interval> period;
  std::optional<Interval> window;
  std::optional<Response> response;
};

Interval times(const Interval& interval, double factor) {
  return {interval.value * factor, interval.lower * factor, interval.upper * factor,
          interval.level};
}

Interval plus(const Interval& a, const Interval& b) {
  return {a.value + b.value, a.lower + b.lower, a.upper + b.upper, a.level};
}

/// Of the filter; of one that was seen but not fitted, from its rise.
std::optional<Interval> time_constant_of(const SourceProfile& measured) {
  if (measured.time_constant_s) return measured.time_constant_s;
  if (measured.response != ResponseClass::exponential || !measured.rise_time_s) return std::nullopt;
  return times(*measured.rise_time_s, 1 / kRiseOfFilter);
}

/// A filter that takes several updates to rise, and no longer window in front of it.
bool is_logarithmic(const SourceProfile& measured) {
  const auto constant = time_constant_of(measured);
  if (!constant || !measured.update_period_s) return false;
  const bool window_rules =
      measured.averaging_window_s && measured.averaging_window_s->value > constant->value;
  return !window_rules && kRiseOfFilter * constant->value > measured.update_period_s->value;
}

std::optional<Interval> equivalent_window(const SourceProfile& measured) {
  const auto& window = measured.averaging_window_s;
  const auto constant = time_constant_of(measured);
  if (window && constant) return plus(*window, times(*constant, 2.0));
  if (window) return window;
  if (constant) return times(*constant, 2.0);
  if (measured.response != ResponseClass::ramp || !measured.rise_time_s) return std::nullopt;
  return times(*measured.rise_time_s, 1 / kRiseOfRamp);
}

/// A window over several updates, whatever its response was called.
bool trails(const Look& look) {
  constexpr double kSeveral = 1.5;
  return look.window && look.period && look.window->value > kSeveral * look.period->value;
}

Look look_of(const SourceProfile& measured) {
  Look look{.period = measured.update_period_s};
  if (measured.response == ResponseClass::estimated) {
    look.response = Response::estimated;
  } else if (is_logarithmic(measured)) {
    look.response = Response::logarithmic;
  } else {
    look.window = equivalent_window(measured);
    if (measured.response == ResponseClass::ramp || trails(look)) {
      look.response = Response::ramp;
    } else if (look.window || measured.response == ResponseClass::instant) {
      look.response = Response::instant;
    }
  }
  return look;
}

/// Instant and ramp differ by the window alone; the others are of another kind.
bool same_kind(Response a, Response b) {
  const auto is_window = [](Response response) {
    return response == Response::instant || response == Response::ramp;
  };
  return a == b || (is_window(a) && is_window(b));
}

/// |ln(a/b)| in units of the nearness, infinite when it is further than that.
double distance(double a, Seconds b, double near) {
  const double far = std::abs(std::log(a / b.count())) / std::log(near);
  return far <= 1.0 ? far : std::numeric_limits<double>::infinity();
}

/// How far a code is from what was measured; infinite when it does not fit.
double distance(const Look& look, const Behaviour& behaviour) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (!behaviour.supported() || !same_kind(*look.response, behaviour.response)) return kFar;
  if (behaviour.response == Response::estimated) return 0.0;
  if (!look.period || !behaviour.update_period) return kFar;
  const double by_period = distance(look.period->value, *behaviour.update_period, kNearPeriod);
  if (!behaviour.averaging_window) return by_period;
  if (!look.window) return kFar;
  return numerics::quadrature(
      {by_period, distance(look.window->value, *behaviour.averaging_window, kNearWindow)});
}

std::optional<std::string> best_code(const Look& look) {
  if (!look.response) return std::nullopt;
  const Behaviour* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Behaviour& behaviour : legend()) {
    const double far = distance(look, behaviour);
    if (far < least) {
      least = far;
      best = &behaviour;
    }
  }
  return best ? std::optional<std::string>(best->code) : std::nullopt;
}

ComparedQuantity compare_quantity(std::string_view name, const Interval& measured, Seconds value,
                                  double share) {
  const Interval published{value.count(), value.count() * (1 - share), value.count() * (1 + share),
                           0.95};
  const bool meet = measured.lower <= published.upper && measured.upper >= published.lower;
  return {name, measured, published, meet};
}

std::vector<ComparedQuantity> quantities_of(const Look& look, const Behaviour& behaviour) {
  std::vector<ComparedQuantity> quantities;
  if (look.period && behaviour.update_period) {
    quantities.push_back(
        compare_quantity("update_period_s", *look.period, *behaviour.update_period, kPeriodShare));
  }
  if (look.window && behaviour.averaging_window) {
    quantities.push_back(compare_quantity("averaging_window_s", *look.window,
                                          *behaviour.averaging_window, kWindowShare));
  }
  return quantities;
}

/// Whether a measured source is as published; nothing when too little was measured.
std::optional<bool> agrees(const Look& look, const Behaviour& behaviour,
                           const std::vector<ComparedQuantity>& quantities) {
  if (!behaviour.supported()) return false;
  if (look.response && !same_kind(*look.response, behaviour.response)) return false;
  const bool all = std::all_of(quantities.begin(), quantities.end(),
                               [](const ComparedQuantity& quantity) { return quantity.agrees; });
  if (!all) return false;
  const std::size_t wanted =
      (behaviour.update_period ? 1U : 0U) + (behaviour.averaging_window ? 1U : 0U);
  const bool enough = look.response.has_value() && quantities.size() == wanted;
  return enough ? std::optional(true) : std::nullopt;
}

/// Fills in the comparison with one published entry.
SourceComparison held_against(SourceComparison comparison, const Look& look, const Entry& entry) {
  comparison.against = entry;
  comparison.quantities = quantities_of(look, *entry.behaviour);
  comparison.agrees = agrees(look, *entry.behaviour, comparison.quantities);
  return comparison;
}

/// Agreement first, then not knowing, then a supported behaviour.
int rank(const SourceComparison& comparison) {
  if (!comparison.agrees) return 1;
  if (*comparison.agrees) return 0;
  return comparison.against->behaviour->supported() ? 2 : 3;
}

/// A measured quantity that is not as the figure has it, but as a finding has.
bool meets(const std::vector<ComparedQuantity>& quantities, std::string_view name,
           const std::optional<Range>& seen) {
  if (!seen) return false;
  return std::any_of(quantities.begin(), quantities.end(), [&](const ComparedQuantity& quantity) {
    return quantity.name == name && !quantity.agrees &&
           quantity.measured.lower <= seen->upper.count() * (1 + kFindingShare) &&
           quantity.measured.upper >= seen->lower.count() * (1 - kFindingShare);
  });
}

std::vector<Finding> findings_that_agree(const SourceComparison& comparison) {
  const Entry& entry = *comparison.against;
  std::vector<Finding> agreeing;
  for (const Finding& finding : findings(entry.family)) {
    if (!finding.contradicts || finding.code != entry.behaviour->code) continue;
    if (meets(comparison.quantities, "update_period_s", finding.update_period) ||
        meets(comparison.quantities, "averaging_window_s", finding.averaging_window)) {
      agreeing.push_back(finding);
    }
  }
  return agreeing;
}

bool is_published(SourceId source) {
  return source.kind == SourceKind::power_usage || source.kind == SourceKind::power_average ||
         source.kind == SourceKind::power_instant;
}

}  // namespace

SourceComparison compare(const SourceProfile& measured, std::optional<Family> family,
                         const DriverHints& hints) {
  SourceComparison comparison{.source = measured.source};
  if (!is_published(measured.source)) return comparison;
  const Look look = look_of(measured);
  comparison.response = look.response;
  comparison.best_code = best_code(look);
  if (!family) return comparison;
  comparison.published = find_entries(*family, measured.source, hints);
  std::optional<SourceComparison> best;
  for (const Entry& entry : comparison.published) {
    SourceComparison candidate = held_against(comparison, look, entry);
    if (!best || rank(candidate) <= rank(*best)) best = std::move(candidate);
  }
  if (!best) return comparison;
  if (best->agrees == false) best->also = findings_that_agree(*best);
  return *best;
}

std::vector<SourceComparison> compare(const Profile& profile, std::optional<Family> family) {
  if (!family) {
    const auto product = find_product(profile.device.name);
    if (product) family = product->family;
  }
  DriverHints hints{.version = profile.device.driver};
  for (const SourceProfile& source : profile.sources) hints.answering.push_back(source.source);
  std::vector<SourceComparison> comparisons;
  for (const SourceProfile& source : profile.sources) {
    comparisons.push_back(compare(source, family, hints));
  }
  return comparisons;
}

std::optional<CatalogueMatch> match_of(const SourceComparison& comparison) {
  if (!comparison.best_code && !comparison.agrees) return std::nullopt;
  return CatalogueMatch{comparison.best_code, comparison.agrees};
}

}  // namespace truewatt::catalogue
