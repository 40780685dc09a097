#include "truewatt/model/catalogue_profile.hpp"

#include <algorithm>
#include <string>

#include "truewatt/model/catalogue.hpp"
#include "truewatt/model/metered_boards.hpp"
#include "truewatt/model/observation_model.hpp"
#include "truewatt/model/product_names.hpp"

namespace truewatt::catalogue {
namespace {

/// The first day of SC'24.
constexpr const char* kPublished = "2024-11-17T00:00:00Z";

/// Yang 2024, Fig. 7: the logarithmic response grows over 200 ms.
constexpr Seconds kLogarithmicRise{0.2};

/// A short window in front of the 13 ms filter cannot be excluded (joint fit to traces of an H200).
constexpr Interval kWindowBeforeFilter{0.0, 0.0, 0.0022, 0.95};

/// Fits to recorded traces: K40m 0 ms, A100 2.5, H200 3.5 (a client's instant reading 16), RTX 3090
/// 4 (its average 21 +- 5).
constexpr Interval kDelay{0.004, 0.0, 0.026, 0.95};

Range around(Seconds value, double share) { return {value * (1 - share), value * (1 + share)}; }

Range scaled(const Range& range, double factor) {
  return {range.lower * factor, range.upper * factor};
}

void widen(std::optional<Range>& range, const std::optional<Range>& by) {
  if (!by) return;
  range = range ? Range{std::min(range->lower, by->lower), std::max(range->upper, by->upper)} : *by;
}

Seconds middle(const Range& range) { return (range.lower + range.upper) / 2.0; }

Interval interval_of(Seconds value, const Range& range) {
  return {value.count(), range.lower.count(), range.upper.count(), 0.95};
}

/// One name begins with the other: "K40m" speaks of K40, "K20" of K20X.
bool speaks_of(const Finding& finding, const std::string& model) {
  const std::string_view board = finding.board;
  return !board.empty() && (board.starts_with(model) || std::string_view(model).starts_with(board));
}

/// What is published about one source of a product.
struct Published {
  const Product& product;
  SourceId source;
  std::vector<const Behaviour*> behaviours;  ///< supported ones, the latest drivers' last
  std::vector<Finding> findings;             ///< about these behaviours
};

std::optional<Range> ranges_of(const Published& published, std::optional<Seconds> Behaviour::*value,
                               double share, std::optional<Range> Finding::*seen) {
  std::optional<Range> range;
  for (const Behaviour* behaviour : published.behaviours) {
    const auto& stated = behaviour->*value;
    if (stated) widen(range, around(*stated, share));
  }
  if (!range) return range;
  for (const Finding& finding : published.findings) widen(range, finding.*seen);
  return range;
}

/// The time constant that was found on this model, or else recorded on another one of its family.
std::optional<Seconds> found_time_constant(const Published& published) {
  std::optional<Seconds> recorded;
  for (const Finding& finding : published.findings) {
    if (!finding.time_constant) continue;
    if (speaks_of(finding, published.product.model)) return middle(*finding.time_constant);
    if (finding.provenance == Provenance::recorded) recorded = middle(*finding.time_constant);
  }
  return recorded;
}

/// A capacitor that nobody fitted, from how long readings rise.
Interval capacitor_from_rises(const Published& published) {
  const Seconds value = kLogarithmicRise / kRiseOfFilter;
  std::optional<Range> range = around(value, kWindowShare);
  for (const Finding& finding : published.findings) {
    if (finding.rise_time) widen(range, scaled(*finding.rise_time, 1 / kRiseOfFilter));
  }
  return interval_of(value, *range);
}

/// Window and time constant. A fitted filter takes the place of a published window.
void fill_window(SourceProfile& profile, const Published& published) {
  const Behaviour& latest = *published.behaviours.back();
  const auto window =
      ranges_of(published, &Behaviour::averaging_window, kWindowShare, &Finding::averaging_window);
  const auto constant = found_time_constant(published);
  if (latest.response == Response::logarithmic) {
    profile.time_constant_s = constant ? interval_of(*constant, around(*constant, kWindowShare))
                                       : capacitor_from_rises(published);
  } else if (constant && window) {
    profile.time_constant_s = interval_of(*constant, scaled(*window, 0.5));
    profile.averaging_window_s = kWindowBeforeFilter;
  } else if (window && latest.averaging_window) {
    profile.averaging_window_s = interval_of(*latest.averaging_window, *window);
  }
}

void fill_rise_time(SourceProfile& profile, const Published& published) {
  std::optional<Range> range;
  for (const Finding& finding : published.findings) widen(range, finding.rise_time);
  if (range) profile.rise_time_s = interval_of(middle(*range), *range);
}

ResponseClass response_of(const SourceProfile& profile, Response published) {
  if (published == Response::estimated) return ResponseClass::estimated;
  if (profile.time_constant_s) return ResponseClass::exponential;
  return published == Response::ramp ? ResponseClass::ramp : ResponseClass::instant;
}

/// Share of the time that the source looks at, where all of the intervals agree about it.
void judge_duty(SourceProfile& profile, bool window_is_known) {
  if (profile.response == ResponseClass::estimated) {
    profile.verdict = SourceVerdict::unusable;
    return;
  }
  const Interval none{0.0, 0.0, 0.0, 0.95};
  const Interval window = profile.averaging_window_s.value_or(none);
  const Interval lag = profile.time_constant_s.value_or(none);
  const Interval period = profile.update_period_s.value_or(none);
  const Interval looks = equivalent_window(window, lag);
  if (looks.lower >= period.upper) {
    profile.duty = 1.0;
    profile.verdict =
        window.lower > period.upper ? SourceVerdict::trailing : SourceVerdict::complete;
  } else if (window_is_known && looks.upper < period.lower) {
    profile.duty = looks.value / period.value;
    profile.verdict = SourceVerdict::part_time;
  } else {
    profile.reasons.emplace_back(ProfileReason::duty_unknown);
  }
}

void add_reasons(SourceProfile& profile, const Published& published) {
  profile.reasons.emplace_back(ProfileReason::from_catalogue);
  const bool contradicted = std::any_of(published.findings.begin(), published.findings.end(),
                                        [](const Finding& finding) { return finding.contradicts; });
  if (contradicted) profile.reasons.emplace_back(ProfileReason::catalogue_contradicted);
  if (published.behaviours.size() > 1) {
    profile.reasons.emplace_back(ProfileReason::driver_age_unknown);
  }
  if (published.product.family == Family::gh200 && profile.source.scope == Scope::gpu) {
    profile.reasons.emplace_back(ProfileReason::module_scope);
  }
  profile.reasons.emplace_back(ProfileReason::uncalibrated_gain);
}

SourceProfile profile_of(const Published& published) {
  const Behaviour& latest = *published.behaviours.back();
  SourceProfile profile{.source = published.source};
  add_reasons(profile, published);
  const auto period =
      ranges_of(published, &Behaviour::update_period, kPeriodShare, &Finding::update_period);
  if (period && latest.update_period) {
    profile.update_period_s = interval_of(*latest.update_period, *period);
    profile.delay_s = kDelay;
  }
  fill_window(profile, published);
  fill_rise_time(profile, published);
  profile.response = response_of(profile, latest.response);
  judge_duty(profile, latest.averaging_window.has_value());
  const BoardPrior prior = board_prior();
  profile.gain = interval95(prior.gain);
  profile.offset_w = interval95(prior.offset_w);
  return profile;
}

Published published_of(const Product& product, SourceId source, const DriverHints& hints) {
  Published published{product, source, {}, {}};
  auto& behaviours = published.behaviours;
  for (const Entry& entry : find_entries(product.family, source, hints)) {
    const bool listed =
        std::find(behaviours.begin(), behaviours.end(), entry.behaviour) != behaviours.end();
    if (!entry.behaviour->supported()) continue;
    if (listed) std::erase(behaviours, entry.behaviour);
    behaviours.push_back(entry.behaviour);
  }
  for (const Finding& finding : findings(product.family)) {
    const bool about =
        std::any_of(behaviours.begin(), behaviours.end(),
                    [&](const Behaviour* behaviour) { return behaviour->code == finding.code; });
    if (about) published.findings.push_back(finding);
  }
  return published;
}

/// The sources that are published about, each once.
std::vector<SourceId> sources_of(Family family) {
  std::vector<SourceId> sources;
  for (const Entry& entry : entries(family)) {
    const bool listed = std::find(sources.begin(), sources.end(), entry.source) != sources.end();
    if (!listed) sources.push_back(entry.source);
  }
  return sources;
}

}  // namespace

std::optional<Profile> fallback_profile(const DeviceIdentity& device,
                                        const std::vector<SourceId>& answering) {
  const auto product = find_product(device.name);
  if (!product) return std::nullopt;
  const DriverHints hints{answering, device.driver};
  Profile profile{.device = device, .created = kPublished};
  for (const SourceId source : sources_of(product->family)) {
    const bool answers = answering.empty() ||
                         std::find(answering.begin(), answering.end(), source) != answering.end();
    if (!answers) continue;
    const Published published = published_of(*product, source, hints);
    if (!published.behaviours.empty()) profile.sources.push_back(profile_of(published));
  }
  return profile.sources.empty() ? std::nullopt : std::optional(std::move(profile));
}

}  // namespace truewatt::catalogue
