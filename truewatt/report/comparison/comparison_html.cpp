#include "truewatt/report/comparison/comparison_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "truewatt/report/comparison/comparison_words.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using compare::ComparedSide;
using compare::EnergyComparison;

Json ratio_row(const char* name, const energy::EnergyRatio& ratio,
               const std::optional<double>& truth) {
  const auto percent = [](double share) { return 100 * (share - 1); };
  Json row = {{"name", name},
              {"role", "estimate"},
              {"value", percent(ratio.ratio.value)},
              {"lower", percent(ratio.ratio.lower)},
              {"upper", percent(ratio.ratio.upper)}};
  std::string text = ratio_words(ratio);
  if (truth) {
    row["published"] = percent(*truth);
    text += fmt::format("; true {:+.2f} %", percent(*truth));
  }
  row["text"] = text;
  return row;
}

Figure ratio_figure(const EnergyComparison& comparison) {
  Json rows = Json::array();
  rows.push_back(ratio_row("Gross", *comparison.gross, comparison.truth));
  if (comparison.net) rows.push_back(ratio_row("Above idle", *comparison.net, std::nullopt));
  Figure figure{.kind = FigureKind::intervals,
                .title = "B against A",
                .caption = "How much more energy B takes (%), with 95 % intervals."};
  if (comparison.truth) figure.caption += " Diamond: the true energies of the simulated devices.";
  figure.description = "Difference of the energies of B and A with its interval";
  figure.data = {{"axis", "B more than A, in %"}, {"signed", true}, {"rows", std::move(rows)}};
  return figure;
}

/// Gross joules of every run; nothing of those without.
std::vector<std::optional<double>> joules_of(const ComparedSide& side) {
  std::vector<std::optional<double>> joules;
  for (const measure::EnergyRun& run : side.runs) {
    joules.push_back(run.total.energy ? std::optional(run.total.energy->interval.value)
                                      : std::nullopt);
  }
  return joules;
}

std::size_t rounds_of(const EnergyComparison& comparison) {
  return std::max(comparison.a.runs.size(), comparison.b.runs.size());
}

/// Curves over the number of the round, with room at both ends.
Figure over_rounds(std::string title, std::string caption, const char* axis, std::size_t rounds,
                   Json series) {
  Figure figure{.title = std::move(title), .caption = std::move(caption)};
  figure.description = figure.title + " over the rounds";
  figure.data = {{"x_label", "round"},
                 {"x_range", {0, rounds + 1}},
                 {"y_label", axis},
                 {"guides", Json::array()},
                 {"series", std::move(series)}};
  return figure;
}

/// Rounds whose runs both have an energy: how much more B took.
Figure rounds_figure(const EnergyComparison& comparison) {
  const auto a = joules_of(comparison.a);
  const auto b = joules_of(comparison.b);
  std::vector<double> rounds;
  std::vector<double> more;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!a[i] || !b[i]) continue;
    rounds.push_back(static_cast<double>(i + 1));
    more.push_back(100 * (*b[i] / *a[i] - 1));
  }
  const Interval& ratio = comparison.gross->ratio;
  Json series = Json::array();
  series.push_back(xy_curve("rounds", "power-instant", "points", rounds, more));
  if (rounds.size() > 1) {
    const std::vector<double> ends = {rounds.front(), rounds.back()};
    const auto level = [&](const char* name, double share, const char* mark) {
      const double percent = 100 * (share - 1);
      series.push_back(xy_curve(name, "estimate", mark, ends, {percent, percent}));
    };
    level("ratio", ratio.value, "line");
    level("95 % interval", ratio.lower, "dashes");
    level("95 % interval", ratio.upper, "dashes");
  }
  return over_rounds("Rounds", "How much more energy B took in every round (%), and the ratio.",
                     "B more than A, in %", rounds_of(comparison), std::move(series));
}

Figure runs_figure(const EnergyComparison& comparison) {
  Json series = Json::array();
  const auto add = [&series](const char* name, std::string_view role, const ComparedSide& side) {
    std::vector<double> rounds;
    std::vector<double> joules;
    const auto all = joules_of(side);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i]) continue;
      rounds.push_back(static_cast<double>(i + 1));
      joules.push_back(*all[i]);
    }
    if (!rounds.empty()) series.push_back(xy_curve(name, role, "points", rounds, joules));
  };
  add("A", "power-average", comparison.a);
  add("B", "power-instant", comparison.b);
  return over_rounds(
      "Runs",
      "Gross energy of every run (J). What rises or falls in A and B alike comes from the board.",
      "gross energy in J", rounds_of(comparison), std::move(series));
}

std::vector<std::string> side_cells(const char* name, const ComparedSide& side) {
  const auto joules = [](const std::optional<energy::EnergyInterval>& energy) {
    return energy ? split_interval(energy->interval, "J").value : std::string("unknown");
  };
  return {name,
          side.what,
          std::to_string(side.runs.size()),
          joules(side.mean.energy),
          joules(side.mean.net_energy),
          side.truth ? fmt::format("{:.2f} J", side.truth->value()) : ""};
}

std::string tables_of(const EnergyComparison& comparison) {
  HtmlTable sides{"A and B: mean energy of one run, with the scale's uncertainty",
                  {"", "What", "Runs", "Gross", "Above idle", "True"},
                  {side_cells("A", comparison.a), side_cells("B", comparison.b)}};
  std::string html = to_html(sides);
  if (comparison.gross) {
    html += to_html(HtmlTable{"Standard uncertainty of the ratio",
                              {"Of", "Type", "Of the ratio", "Of the variance"},
                              ratio_budget_cells(*comparison.gross)});
  }
  HtmlTable reasons{"Reasons", {"Code", "Meaning"}, {}};
  for (const energy::Reason reason : comparison.reasons) {
    reasons.rows.push_back({std::string(to_string(reason)), std::string(explain(reason))});
  }
  return html + to_html(reasons);
}

}  // namespace

std::vector<Figure> comparison_figures(const EnergyComparison& comparison) {
  if (!comparison.gross) return {};
  std::vector<Figure> figures = {ratio_figure(comparison)};
  if (rounds_of(comparison) > 1) {
    figures.push_back(rounds_figure(comparison));
    figures.push_back(runs_figure(comparison));
  }
  return figures;
}

std::string comparison_html(const EnergyComparison& comparison,
                            const std::vector<std::pair<std::string, std::string>>& metadata) {
  PageFrame frame{.title = "truewatt compare",
                  .text = fmt::format("A: {}. B: {}.", comparison.a.what, comparison.b.what),
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = metadata};
  if (comparison.gross) {
    frame.summary =
        element("p", "class=\"answer\"", escape_html("B takes " + ratio_words(*comparison.gross)));
  }
  const std::string lede =
      comparison.gross ? fmt::format("{} (95 % interval); {}.", verdict_sentence(comparison),
                                     gain_sentence(comparison))
                       : "No run of both has an energy.";
  const std::vector<Figure> figures = comparison_figures(comparison);
  frame.section_titles.emplace_back("Energy of B against A");
  frame.sections =
      figure_section(0, "Energy of B against A", lede,
                     figures_html(figures, 0) + tables_of(comparison) + figures_json(figures, 0));
  frame.metadata.emplace_back("Valid", comparison.valid ? "yes" : "no");
  for (const std::string& note : comparison.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
