#include "truewatt/report/idle/idle_html.hpp"

#include <fmt/format.h>

#include "truewatt/report/idle/idle_words.hpp"
#include "truewatt/report/page/figure.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

/// With its clock, where a rung was seen at several.
std::string title_of(const idle::Row& row) {
  std::string title(name_of(row.rung));
  if (row.seen.sm_clock_hz) title += ", " + clock_text(row.seen.sm_clock_hz);
  return title;
}

Figure ladder_figure(const idle::Ladder& ladder) {
  Figure figure{.kind = FigureKind::intervals,
                .title = "What the board draws while it does no work",
                .caption = "With 95 % intervals on this sensor's scale. Hollow dots are in doubt.",
                .wide = true};
  figure.description = "Power by rung of idle";
  Json rows = Json::array();
  for (const idle::Row& row : ladder.rows) {
    if (!row.power_w) continue;
    rows.push_back({{"name", title_of(row)},
                    {"value", row.power_w->value},
                    {"lower", row.power_w->lower},
                    {"upper", row.power_w->upper},
                    {"text", watts_text(row.power_w)},
                    {"doubt", !row.reasons.empty()}});
  }
  figure.data = {{"axis", "W"}, {"rows", std::move(rows)}};
  return figure;
}

HtmlTable ladder_table(const idle::Ladder& ladder) {
  HtmlTable html{"Watts",
                 {"Idle", "Means", "Power", "Against a wattmeter", "Above a context", "SM clock",
                  "Memory clock", "Settled in", "Remarks"},
                 {}};
  for (const idle::Row& row : ladder.rows) {
    html.rows.push_back({std::string(name_of(row.rung)), std::string(meaning_of(row.rung)),
                         watts_text(row.power_w), watts_text(row.against_meter_w),
                         watts_text(row.above_context_w), clock_text(row.seen.sm_clock_hz),
                         clock_text(row.seen.memory_clock_hz), settled_text(row),
                         reasons_text(row)});
  }
  return html;
}

}  // namespace

std::string idle_html(const idle::Ladder& ladder,
                      const std::vector<std::pair<std::string, std::string>>& metadata) {
  const std::string name = ladder.device.name.empty() ? "unnamed GPU" : ladder.device.name;
  PageFrame frame{.title = "truewatt characterize --idle: " + name,
                  .text = "Idle power, rung by rung.",
                  .without_scripts = "Every number is in the table below.",
                  .metadata = metadata};
  const std::vector<Figure> figures{ladder_figure(ladder)};
  frame.sections = figure_section(
      0, "Idle", "",
      figures_html(figures, 0) +
          element("details", "open",
                  element("summary", "", "Numbers") + "\n" + to_html(ladder_table(ladder))) +
          "\n" + figures_json(figures, 0));
  frame.section_titles.emplace_back("Idle");
  for (const std::string& note : ladder.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
