#include "truewatt/report/energy/repetition_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>

#include "truewatt/report/energy/html_estimate.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;
using measure::TrialEnergy;

HtmlTable trials_table(const std::vector<TrialEnergy>& trials) {
  HtmlTable table{"Trials, energy of one execution, 95 % intervals on the sensor's scale",
                  {"Trial", "Executions", "Gross", "True", "Weight", "Data"},
                  {}};
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const TrialEnergy& one = trials[i];
    std::string joules = "unknown";
    if (one.joules) {
      const double half = one.half_width_j.value_or(0.0);
      joules =
          split_interval({*one.joules, *one.joules - half, *one.joules + half, 0.95}, "J").value;
      if (one.half_width_j) joules += fmt::format(" ± {:.2g} %", 100 * half / *one.joules);
    }
    table.rows.push_back({std::to_string(i + 1), std::to_string(one.executions), joules,
                          one.truth ? energy_text_of(one.truth->value()) : "",
                          one.weight > 0 ? fmt::format("{:.2g} %", 100 * one.weight) : "left out",
                          one.valid ? "whole" : "not whole"});
  }
  return table;
}

std::string lede_of(const measure::EnergyRun& run) {
  const measure::Repetition& repetition = *run.repetition;
  std::string text =
      fmt::format("{} executions in {}", repetition.executions,
                  repetition.trials == 1 ? "1 trial" : fmt::format("{} trials", repetition.trials));
  if (repetition.half_width) {
    text += fmt::format(", ± {:.2g} % (95 %, without the gain)", 100 * *repetition.half_width);
  }
  if (repetition.target) {
    text += fmt::format("; the target of ± {:.2g} % is {}", 100 * *repetition.target,
                        repetition.reached ? "reached" : "not reached");
  }
  return text + ".";
}

}  // namespace

std::vector<Figure> repetition_figures(const EnergyEstimate& mean,
                                       const std::vector<TrialEnergy>& trials) {
  std::vector<double> numbers_of;
  std::vector<double> joules;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].joules) continue;
    numbers_of.push_back(static_cast<double>(i + 1));
    joules.push_back(*trials[i].joules);
  }
  if (joules.size() < 2) return {};
  Json series = Json::array();
  series.push_back(xy_curve("trials", "power-instant", "points", numbers_of, joules));
  const std::vector<double> ends = {numbers_of.front(), numbers_of.back()};
  const auto level = [&](const char* name, const char* role, const char* mark, double at) {
    series.push_back(xy_curve(name, role, mark, ends, {at, at}));
  };
  if (mean.energy) {
    const double value = mean.energy->interval.value;
    const double half = kCoverageFactor95 * mean.energy->without_gain();
    level("mean", "estimate", "line", value);
    level("95 % interval, without the gain", "estimate", "dashes", value - half);
    level("95 % interval, without the gain", "estimate", "dashes", value + half);
  }
  if (mean.truth) level("true energy", "truth", "dashes", mean.truth->value());
  Figure figure{.title = "Trials",
                .caption =
                    "Gross energy of one execution by every trial (J), and their mean. What "
                    "rises or falls from trial to trial is a board that is not steady.",
                .description = "Energy of one execution over the number of the trial"};
  figure.data = {{"x_label", "trial"},
                 {"x_range", {0, trials.size() + 1}},
                 {"y_label", "energy of one execution in J"},
                 {"guides", Json::array()},
                 {"series", std::move(series)}};
  return {figure};
}

std::string repetition_html(const measure::EnergyRun& run, const std::string& title,
                            const std::vector<std::pair<std::string, std::string>>& metadata) {
  assert(run.repetition);
  PageFrame frame{.title = title,
                  .text = lede_of(run),
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = metadata};
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const EnergyEstimate& mean = run.devices[i];
    const auto& all = run.repetition->of_devices;
    const std::vector<TrialEnergy> trials = i < all.size() ? all[i] : std::vector<TrialEnergy>();
    const std::vector<Figure> figures = repetition_figures(mean, trials);
    frame.section_titles.push_back(mean.device.name);
    frame.sections += figure_section(i, mean.device.name, "Energy of one execution",
                                     figures_html(mean, {}) + figures_html(figures, i) +
                                         to_html(trials_table(trials)) +
                                         to_html(budget_table(mean)) + figures_json(figures, i));
  }
  for (const std::string& note : run.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
