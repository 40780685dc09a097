#include "truewatt/report/replication/burtscher_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/replication/burtscher_words.hpp"

namespace truewatt::report {
namespace {

using replication::PowerProfileFigures;

constexpr const char* kBurtscherPaper =
    "The procedures of Burtscher, Zecena, Zong, Measuring GPU Power with the K20 Built-in Sensor "
    "(GPGPU-7, 2014), on this device's own readings: one step of load and what follows it.";

Json curve(std::string_view name, std::string_view role, bool points) {
  return {{"name", name},     {"role", role},       {"steps", false},
          {"points", points}, {"t", Json::array()}, {"v", Json::array()}};
}

void append_value(Json& one, double t_s, double value) {
  one["t"].push_back(tenth_ms(t_s));
  one["v"].push_back(centi(value));
}

/// A second more than from the load's begin to the last phase.
characterize::LoadStretch first_view(const PowerProfileFigures& drawn) {
  const double last = drawn.phases.empty() ? drawn.load.end_s : drawn.phases.back();
  return {drawn.load.begin_s - 1.0, std::max(last, drawn.load.end_s) + 2.0};
}

/// What both charts share: they show the same time and move together.
Json linked(const PowerProfileFigures& drawn, Json all) {
  Json windows = Json::array();
  const characterize::LoadStretch view = first_view(drawn);
  for (std::size_t i = 1; i < drawn.phases.size(); ++i) {
    windows.push_back(
        {{"begin", tenth_ms(drawn.phases[i - 1])}, {"end", tenth_ms(drawn.phases[i])}});
  }
  return {{"series", std::move(all)},
          {"windows", std::move(windows)},
          {"windows_name", "t1 to t2, t2 to t3, t3 to t4"},
          {"activity", Json::array({{{"begin", tenth_ms(drawn.load.begin_s)},
                                     {"end", tenth_ms(drawn.load.end_s)}}})},
          {"link", "profile"},
          {"view", Json::array({tenth_ms(view.begin_s), tenth_ms(view.end_s)})}};
}

bool is_corrected(const PowerProfileFigures& drawn) {
  return std::any_of(drawn.readings.begin(), drawn.readings.end(),
                     [](const auto& one) { return one.reading_w != one.corrected_w; });
}

Figure power_figure(const PowerProfileFigures& drawn) {
  Json readings = curve("readings", role_of(drawn.source.kind), false);
  Json power = curve("corrected power", "curve", false);
  for (const replication::CorrectedReading& one : drawn.readings) {
    append_value(readings, one.t_s, one.reading_w);
    append_value(power, one.t_s, one.corrected_w);
  }
  const bool corrected = is_corrected(drawn);
  Figure figure{.kind = FigureKind::trace, .title = "Power over time", .wide = true};
  figure.data = linked(drawn, corrected ? Json::array({power, readings}) : Json::array({readings}));
  figure.caption =
      corrected ? "Readings and the power that they are of, in W over s since the load began: "
                  "reading plus C times its slope. The corrected power goes up and down with the "
                  "load (bar at the foot); its wobbles are the sensor's noise, magnified by the "
                  "slope. Shaded: t1 to t2 to t3 to t4. As Figs 1, 3 and 7 of the paper."
                : "Readings in W over s since the load began; there is no capacitor to correct "
                  "for. Shaded: the phases from t1 on. As Figs 1 and 3 of the paper.";
  figure.description = "Chart of readings and corrected power over time";
  return figure;
}

Figure interval_figure(const PowerProfileFigures& drawn) {
  Json lengths = curve("time between changes", role_of(drawn.source.kind), true);
  for (const replication::UpdateInterval& one : drawn.intervals) {
    append_value(lengths, one.t_s, 1e3 * one.length_s);
  }
  Figure figure{.kind = FigureKind::trace, .title = "Time between changes of the reading"};
  figure.wide = true;
  figure.data = linked(drawn, Json::array({lengths}));
  figure.data["y_label"] = "interval in ms";
  figure.data["follows"] = true;
  figure.caption =
      "From each change of the reading to the next, in ms over s (moves with the chart above): "
      "dots in a line are its updates, those at twice that height values that came out equal, "
      "spikes where the driver did not answer. As Figs 4 and 5 of the paper, which also have the "
      "polls between that bring nothing new.";
  figure.description = "Chart of the time between changes of the reading over time";
  return figure;
}

std::string table_html(const ProtocolTable& table) {
  HtmlTable html{table.caption, {}, table.rows};
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    std::string name = table.names[i];
    const auto is_symbol = name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1]));
    if (!is_symbol) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    if (!table.units[i].empty()) name += fmt::format(" ({})", table.units[i]);
    html.header.push_back(std::move(name));
  }
  return to_html(html);
}

std::string protocol_reasons_html(const Profile& profile) {
  std::string items;
  for (const ProtocolReason& reason : burtscher_reasons(profile)) {
    items += element("li", "",
                     element("code", "", escape_html(reason.code)) + " " +
                         prose_html(reason.sentence) + " (" + escape_html(reason.sources) + ")") +
             "\n";
  }
  return items.empty() ? "" : element("ul", "class=\"reasons\"", "\n" + items) + "\n";
}

std::string burtscher_overview(const Profile& profile) {
  std::string content;
  for (const ProtocolTable& table : burtscher_tables(profile)) content += table_html(table);
  return figure_section(
      0, "What the paper's procedures find",
      "Energies are of the board's whole power. A measurement that lasts until the "
      "power is idle again counts the tail too.",
      content + protocol_reasons_html(profile));
}

std::string lede_of(const Profile& profile, SourceId id) {
  const SourceProfile* source = find_source(profile, id);
  if (!source || !source->time_constant_s) return "No capacitor was found.";
  return fmt::format("A capacitor of {:.1f} ms stands between the power and its readings.",
                     1e3 * source->time_constant_s->value);
}

}  // namespace

std::vector<Figure> burtscher_figures(const PowerProfileFigures& drawn) {
  if (drawn.readings.empty()) return {};
  std::vector<Figure> figures = {power_figure(drawn)};
  if (!drawn.intervals.empty()) figures.push_back(interval_figure(drawn));
  return figures;
}

std::string burtscher_html(const BurtscherPage& page) {
  PageFrame frame{.title = page.title,
                  .text = kBurtscherPaper,
                  .without_scripts = "What was found out is in the tables below.",
                  .section_titles = {"What the paper's procedures find"},
                  .sections = burtscher_overview(page.profile),
                  .metadata = page.metadata};
  for (const PowerProfileFigures& drawn : page.figures) {
    const std::size_t index = frame.section_titles.size();
    const std::vector<Figure> figures = burtscher_figures(drawn);
    frame.section_titles.push_back(to_string(drawn.source));
    frame.sections +=
        figure_section(index, to_string(drawn.source), lede_of(page.profile, drawn.source),
                       figures_html(figures, index) + figures_json(figures, index));
  }
  return page_html(frame);
}

}  // namespace truewatt::report
