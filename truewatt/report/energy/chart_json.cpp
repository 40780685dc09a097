#include "truewatt/report/energy/chart_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/report/energy/html_estimate.hpp"
#include "truewatt/report/page/figure.hpp"
#include "truewatt/report/page/json_values.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;

constexpr std::size_t kMostShaded = 2000;  ///< shaded stretches; finer ones are merged

double milli(double watts) { return std::round(watts * 1e3) / 1e3; }

Json series_json(const ChartSeries& series) {
  Json times = Json::array();
  Json powers = Json::array();
  for (const ChartPoint& point : series.points) {
    times.push_back(micro(point.t_s));
    powers.push_back(point.power_w ? Json(milli(*point.power_w)) : Json(nullptr));
  }
  return {{"name", series.name},
          {"role", series.role},
          {"steps", series.steps},
          {"t", std::move(times)},
          {"v", std::move(powers)}};
}

struct Shade {
  double begin_s = 0.0;
  double end_s = 0.0;
};

/// Activity as it can be seen: stretches closer to each other than `grain` seconds are one.
std::vector<Shade> merged_activity(const Section& section, double grain) {
  std::vector<Shade> merged;
  for (const ActivityInterval& activity : section.recording.activity) {
    const Shade shade{seconds_between(section.origin, activity.begin),
                      seconds_between(section.origin, activity.end)};
    if (!merged.empty() && shade.begin_s - merged.back().end_s < grain) {
      merged.back().end_s = std::max(merged.back().end_s, shade.end_s);
    } else {
      merged.push_back(shade);
    }
  }
  return merged;
}

std::vector<Shade> shown_activity(const Section& section) {
  const auto& activity = section.recording.activity;
  if (activity.size() <= kMostShaded) return merged_activity(section, 0.0);
  const double length = seconds_between(activity.front().begin, activity.back().end);
  return merged_activity(section, length / static_cast<double>(kMostShaded));
}

Json windows_json(const Section& section) {
  Json windows = Json::array();
  for (const Window& window : section.recording.windows) {
    windows.push_back({{"begin", micro(seconds_between(section.origin, window.begin))},
                       {"end", micro(seconds_between(section.origin, window.end))},
                       {"label", window.label}});
  }
  return windows;
}

Json activity_json(const Section& section) {
  Json stretches = Json::array();
  for (const Shade& shade : shown_activity(section)) {
    stretches.push_back({{"begin", micro(shade.begin_s)}, {"end", micro(shade.end_s)}});
  }
  return stretches;
}

/// One bar: the name in two lines, what it shows, and a whisker where it has an interval.
Json bar(const std::string& name, const std::string& text, double value, std::string role) {
  return {{"name", name}, {"text", text}, {"value", value}, {"role", std::move(role)}};
}

/// What others are held against: the truth where it is known, as in the tables.
std::optional<Joules> reference_of(const EnergyEstimate& estimate) {
  if (estimate.truth || !estimate.energy) return estimate.truth;
  return Joules(estimate.energy->interval.value);
}

std::string naive_bar_text(const EnergyEstimate& estimate, double joules) {
  const std::string text = energy_text_of(joules);
  const auto reference = reference_of(estimate);
  if (!reference) return text;
  const auto deviation = signed_percent({joules, reference->value()});
  return deviation ? fmt::format("{}, {}", text, *deviation) : text;
}

std::string reader_bar_text(const EnergyEstimate& estimate, const energy::ReaderEnergy& one) {
  std::string text = energy_text_of(one.energy->value());
  if (one.over != estimate.window) text += " over " + duration_text(one.over);
  const auto reference = reference_of(estimate);
  const auto deviation =
      reference ? deviation_of(one, estimate, *reference) : std::optional<double>();
  const auto percent = deviation ? signed_percent({1.0 + *deviation, 1.0}) : std::nullopt;
  return percent ? fmt::format("{}, {}", text, *percent) : text;
}

std::string role_of_source(const std::string& name) {
  std::string role = name.substr(0, name.find('@'));
  std::replace(role.begin(), role.end(), '.', '-');
  return role;
}

Json bars_json(const EnergyEstimate& estimate, const std::optional<Joules>& metered) {
  Json bars = Json::array();
  for (const auto& [source, joules] : estimate.naive_j) {
    if (!std::isfinite(joules)) continue;
    bars.push_back(
        bar("polling " + source, naive_bar_text(estimate, joules), joules, role_of_source(source)));
  }
  for (const energy::ReaderEnergy& one : estimate.readers) {
    if (!one.energy || one.reader == energy::Reader::naive) continue;
    const double joules = one.energy->value();
    bars.push_back(bar(std::string(to_string(one.reader)), reader_bar_text(estimate, one), joules,
                       role_of_source(to_string(*one.source))));
  }
  if (estimate.energy && std::isfinite(estimate.energy->interval.value)) {
    const Interval& interval = estimate.energy->interval;
    const SplitInterval split = split_interval(interval, "J");
    Json item = bar("estimate", split.value + " " + split.spread.substr(0, split.spread.find(" (")),
                    interval.value, "estimate");
    item["lower"] = json_of(interval.lower);
    item["upper"] = json_of(interval.upper);
    bars.push_back(std::move(item));
  }
  if (estimate.truth) {
    bars.push_back(
        bar("truth", energy_text_of(estimate.truth->value()), estimate.truth->value(), "truth"));
  }
  if (metered) {
    bars.push_back(bar("meter", energy_text_of(metered->value()), metered->value(), "meter"));
  }
  return bars;
}

Json budget_json(const EnergyEstimate& estimate) {
  std::vector<uncertainty::Term> terms = estimate.budget;
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto& a, const auto& b) { return a.u > b.u; });
  constexpr double kLeastShare = 0.01;  // of the variance; the table has the others
  double variance = 0.0;
  for (const uncertainty::Term& term : terms) variance += term.u * term.u;
  Json bars = Json::array();
  for (const uncertainty::Term& term : terms) {
    if (!std::isfinite(term.u)) continue;
    if (!bars.empty() && term.u * term.u < kLeastShare * variance) continue;
    const char type = uncertainty::type_of(term.cause);
    bars.push_back(bar(fmt::format("{} (type {})", uncertainty::code_of(term.cause), type),
                       plain(term.u, 3) + " J", term.u, type == 'A' ? "type-a" : "type-b"));
  }
  return bars;
}

}  // namespace

std::string chart_json(const Section& section, const std::vector<ChartSeries>& series,
                       const std::vector<Figure>& figures) {
  Json document = {{"series", Json::array()},
                   {"windows", windows_json(section)},
                   {"activity", activity_json(section)},
                   {"banded", !is_host(section.recording.device)},
                   {"estimates", Json::array()},
                   {"figures", Json::array()}};
  for (const ChartSeries& one : series) document["series"].push_back(series_json(one));
  const std::size_t charted = std::min(section.estimates.size(), kChartedEstimates);
  for (std::size_t i = 0; i < charted; ++i) {
    const EnergyEstimate& estimate = section.estimates[i];
    document["estimates"].push_back(
        {{"bars", bars_json(estimate, section.metered)}, {"budget", budget_json(estimate)}});
  }
  for (const Figure& figure : figures) document["figures"].push_back(figure.data);
  return script_safe(document.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::string decimation_note(const std::vector<ChartSeries>& series, std::size_t points_per_series) {
  std::string names;
  for (const ChartSeries& one : series) {
    if (one.recorded <= points_per_series) continue;
    names += fmt::format("{}{} ({} readings)", names.empty() ? "" : ", ", one.name, one.recorded);
  }
  if (names.empty()) return "";
  return fmt::format(
      "Drawn with about {} points each, the lowest and the highest of every stretch: {}. The "
      "numbers on this page come from all readings.",
      points_per_series, names);
}

}  // namespace truewatt::report
