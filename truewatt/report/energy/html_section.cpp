#include "truewatt/report/energy/html_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/interval.hpp"
#include "truewatt/report/energy/chart_json.hpp"
#include "truewatt/report/energy/estimate_figures.hpp"
#include "truewatt/report/energy/html_estimate.hpp"
#include "truewatt/report/energy/section_curves.hpp"
#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

std::string paragraph(std::string_view attributes, const std::string& text) {
  return text.empty() ? "" : element("p", attributes, escape_html(text)) + "\n";
}

using Curves = std::vector<ChartSeries>;

/// What a screen reader says instead of the time chart.
std::string trace_description(const Curves& curves) {
  std::string names;
  for (const ChartSeries& curve : curves) names += (names.empty() ? "" : ", ") + curve.name;
  return fmt::format("Chart of power in watts over time in seconds: {}", names);
}

std::string trace_caption(const Curves& curves, const SectionContext& context) {
  std::string text =
      "Each reading is drawn until the next one, an energy counter as its mean power between "
      "ticks.";
  if (context.gain_standard_uncertainty > 0) {
    text +=
        fmt::format(" Bands: ±{:.2g} %, the 95 % range of a sensor's gain that was not calibrated.",
                    100.0 * kCoverageFactor95 * context.gain_standard_uncertainty);
  }
  const std::string note = decimation_note(curves, context.points_per_series);
  return note.empty() ? text : text + " " + note;
}

std::string trace_html(const Curves& curves, const SectionContext& context) {
  if (curves.empty()) return paragraph("class=\"hint\"", "No readings to draw.");
  const std::string caption = element("figcaption", "", prose_html(trace_caption(curves, context)));
  const std::string figure =
      element("figure",
              fmt::format("class=\"trace\" data-section=\"{}\" data-description=\"{}\"",
                          context.index, escape_html(trace_description(curves))),
              "<div class=\"chart-place\"></div>\n" + caption);
  return element("div", "class=\"needs-js\"",
                 "\n" + element("h3", "", "Power over time") + "\n" + figure + "\n") +
         "\n";
}

std::string bars_description(const energy::EnergyEstimate& estimate) {
  std::string text = "Bar chart of joules.";
  for (const auto& [source, joules] : estimate.naive_j) {
    text += fmt::format(" Polling {}: {}.", source, energy_text_of(joules));
  }
  if (estimate.energy) {
    const SplitInterval split = split_interval(estimate.energy->interval, "J");
    text += fmt::format(" Estimate: {} {}.", split.value, split.spread);
  }
  if (estimate.truth) text += fmt::format(" Truth: {}.", energy_text_of(estimate.truth->value()));
  return text;
}

struct BarPlace {
  std::string kind;
  std::string title;
  std::string caption;
  std::string description;  ///< for those who cannot see the bars
};

std::string bar_place(const BarPlace& place, const SectionContext& context, std::size_t estimate) {
  const std::string attributes = fmt::format(
      "class=\"bars\" data-section=\"{}\" data-estimate=\"{}\" data-kind=\"{}\" "
      "data-description=\"{}\"",
      context.index, estimate, place.kind, escape_html(place.description));
  return element("figure", attributes,
                 element("h4", "", escape_html(place.title)) +
                     "\n<div class=\"chart-place\"></div>\n" +
                     element("figcaption", "", prose_html(place.caption))) +
         "\n";
}

BarPlace naive_place(const energy::EnergyEstimate& estimate, const std::optional<Joules>& metered) {
  std::string caption = estimate.energy ? "Whisker: 95 % interval of the estimate. " : "";
  if (estimate.energy || estimate.truth || metered) {
    caption += estimate.truth ? "Dashed line: truth."
               : metered      ? "Dashed line: the external meter."
                              : "Dashed line: estimate.";
  }
  std::string description = bars_description(estimate);
  if (metered) description += fmt::format(" Meter: {}.", energy_text_of(metered->value()));
  return {"bars", "Simple polling and the estimate", std::move(caption), std::move(description)};
}

BarPlace budget_place() {
  return {
      "budget", "What the uncertainty is made of",
      "Terms of 1 % of the variance and more. Type A: from the scatter of readings. Type B: from "
      "other knowledge.",
      "Bar chart of the uncertainty budget; the numbers are in the table below."};
}

bool has_bars(const energy::EnergyEstimate& estimate) {
  return estimate.energy || std::any_of(estimate.naive_j.begin(), estimate.naive_j.end(),
                                        [](const auto& bar) { return std::isfinite(bar.second); });
}

/// Two columns: the bars, and the budget as bars and as a table.
std::string charts_html(const energy::EnergyEstimate& estimate,
                        const std::optional<Joules>& metered, const SectionContext& context,
                        std::size_t index) {
  const std::string bars =
      has_bars(estimate) ? bar_place(naive_place(estimate, metered), context, index) : "";
  std::string budget = estimate.budget.empty() ? "" : bar_place(budget_place(), context, index);
  if (!estimate.budget.empty()) {
    budget +=
        element("details", "",
                element("summary", "", "All terms") + "\n" + to_html(budget_table(estimate))) +
        "\n";
  }
  std::string columns;
  for (const std::string& column : {bars, budget}) {
    if (!column.empty()) columns += element("div", "", "\n" + column) + "\n";
  }
  return columns.empty() ? "" : element("div", "class=\"columns\"", "\n" + columns) + "\n";
}

std::string estimates_html(const Section& section, const SectionContext& context) {
  const std::vector<std::string> labels = estimate_labels(section);
  const std::size_t charted = std::min(section.estimates.size(), kChartedEstimates);
  std::string html;
  for (std::size_t i = 0; i < charted; ++i) {
    const energy::EnergyEstimate& estimate = section.estimates[i];
    const std::string title = labels.size() > 1 ? "Energy of " + labels[i] : "Energy";
    html += element("article", "class=\"estimate\"",
                    "\n" + element("h3", "", escape_html(title)) + "\n" +
                        figures_html(estimate, section.metered) +
                        charts_html(estimate, section.metered, context, i)) +
            "\n";
  }
  if (charted == section.estimates.size()) return html;
  return html + paragraph("class=\"hint\"",
                          fmt::format("The first {} of {} estimates are drawn; the table below "
                                      "holds them all.",
                                      charted, section.estimates.size()));
}

std::string tables_html(const Section& section) {
  std::string html = to_html(numbers_table(section)) + to_html(sources_table(section)) +
                     to_html(events_table(section));
  for (const Table& table : section.tables) {
    html += to_html(HtmlTable{table.title, table.header, table.rows});
  }
  return html.empty() ? "" : element("h3", "", "All numbers") + "\n" + html;
}

}  // namespace

std::string section_html(const Section& section, const SectionContext& context) {
  const std::string id = section_id(context.index);
  const Curves curves = chart_series(section, context.points_per_series);
  std::string html =
      "\n" + element("h2", fmt::format("id=\"{}-title\"", id), escape_html(section.title)) + "\n";
  html += paragraph("class=\"lede\"", section.text);
  html += trace_html(curves, context);
  html += estimates_html(section, context);
  const std::vector<Figure> figures = estimate_figures(section);
  html += figures_html(figures, context.index);
  html += tables_html(section);
  html += element("script", fmt::format("type=\"application/json\" id=\"data-{}\"", context.index),
                  chart_json(section, curves, figures)) +
          "\n";
  return element("section",
                 fmt::format("id=\"{0}\" class=\"experiment\" aria-labelledby=\"{0}-title\"", id),
                 html) +
         "\n";
}

}  // namespace truewatt::report
