#include <fmt/format.h>

#include <algorithm>

#include "truewatt/model/catalogue_match.hpp"
#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/profile/profile_words.hpp"
#include "truewatt/report/profile/source_figures.hpp"

namespace truewatt::report {
namespace {

using catalogue::ComparedQuantity;
using catalogue::SourceComparison;

Json row(SourceId source, const Interval& seconds) {
  return {{"name", to_string(source)},
          {"text", milliseconds(seconds) + " ms"},
          {"value", json_of(seconds.value * kMs)},
          {"lower", json_of(seconds.lower * kMs)},
          {"upper", json_of(seconds.upper * kMs)},
          {"role", role_of(source.kind)}};
}

void add_published(Json& row, const ComparedQuantity& quantity) {
  row["published"] = json_of(quantity.published.value * kMs);
  row["text"] = fmt::format("{}; published {:.4g} ({})", row["text"].get<std::string>(),
                            quantity.published.value * kMs, quantity.agrees ? "agrees" : "differs");
}

const ComparedQuantity* quantity_of(const SourceComparison& comparison, std::string_view name) {
  const auto found = std::find_if(comparison.quantities.begin(), comparison.quantities.end(),
                                  [name](const ComparedQuantity& one) { return one.name == name; });
  return found == comparison.quantities.end() ? nullptr : &*found;
}

Figure figure_of(std::string title, std::string caption, Json rows) {
  Figure figure{
      .kind = FigureKind::intervals, .title = std::move(title), .caption = std::move(caption)};
  figure.description = figure.title + " by source; the table has the numbers";
  figure.data = {{"axis", "ms"}, {"rows", std::move(rows)}};
  return figure;
}

using TimeParameter = std::optional<Interval> SourceProfile::*;

Json rows_of(const Profile& profile, TimeParameter parameter) {
  Json rows = Json::array();
  for (const SourceProfile& source : profile.sources) {
    if (source.*parameter) rows.push_back(row(source.source, *(source.*parameter)));
  }
  return rows;
}

Json period_rows(const Profile& profile, const std::vector<SourceComparison>& compared) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < profile.sources.size(); ++i) {
    const SourceProfile& source = profile.sources[i];
    if (!source.update_period_s) continue;
    rows.push_back(row(source.source, *source.update_period_s));
    const auto* published = quantity_of(compared[i], "update_period_s");
    if (published) add_published(rows.back(), *published);
  }
  return rows;
}

Json covered_rows(const std::vector<SourceComparison>& compared) {
  Json rows = Json::array();
  for (const SourceComparison& one : compared) {
    const auto* quantity = quantity_of(one, "averaging_window_s");
    if (!quantity) continue;
    rows.push_back(row(one.source, quantity->measured));
    add_published(rows.back(), *quantity);
  }
  return rows;
}

}  // namespace

std::vector<Figure> parameter_figures(const Profile& profile) {
  const auto compared = catalogue::compare(profile);
  std::vector<Figure> figures;
  const auto add = [&figures](std::string title, std::string caption, Json rows) {
    if (rows.empty()) return;
    figures.push_back(figure_of(std::move(title), std::move(caption), std::move(rows)));
  };
  add("Update period",
      "Dots with their 95 % intervals (ms), mostly narrower than the dot; diamonds: published for "
      "this family in Fig. 14 of Yang et al.",
      period_rows(profile, compared));
  add("What a reading covers",
      "Window plus twice the time constant (ms), which is what the published windows (diamonds, "
      "Fig. 14) are of a sensor that filters.",
      covered_rows(compared));
  add("Averaging window", "The window alone, with its 95 % interval (ms).",
      rows_of(profile, &SourceProfile::averaging_window_s));
  add("Time constant", "Of the sensor's own first-order filter, with its 95 % interval (ms).",
      rows_of(profile, &SourceProfile::time_constant_s));
  add("Delay", "Between what a reading is of and its publication, with its 95 % interval (ms).",
      rows_of(profile, &SourceProfile::delay_s));
  return figures;
}

}  // namespace truewatt::report
