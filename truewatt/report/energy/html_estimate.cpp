#include "truewatt/report/energy/html_estimate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "truewatt/report/energy/energy_rows.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;
using energy::EnergyInterval;

constexpr const char* kUnknown = "unknown";

struct KeyFigure {
  std::string name;
  std::string value;
  std::string note;
};

std::string figure_html(const KeyFigure& figure, bool primary) {
  std::string content = element("dt", "", escape_html(figure.name));
  std::string value = element("span", "class=\"value\"", escape_html(figure.value));
  if (!figure.note.empty()) {
    value += " " + element("span", "class=\"note\"", escape_html(figure.note));
  }
  content += element("dd", "", value);
  return element("div", primary ? "class=\"figure primary\"" : "class=\"figure\"", content) + "\n";
}

KeyFigure energy_figure(std::string name, const std::optional<EnergyInterval>& energy) {
  if (!energy || !std::isfinite(energy->interval.value)) return {std::move(name), kUnknown, ""};
  SplitInterval split = split_interval(energy->interval, "J");
  return {std::move(name), std::move(split.value), std::move(split.spread)};
}

std::string observed_text(const EnergyEstimate& estimate) {
  return fmt::format("looked at {:.1f} % of the window{}", 100.0 * *estimate.observed_fraction,
                     energy::rests_on_catalogue(estimate) ? " (as published)" : "");
}

KeyFigure net_figure(const EnergyEstimate& estimate) {
  KeyFigure figure = energy_figure("Net energy", estimate.net_energy);
  if (estimate.baseline) {
    figure.note += figure.note.empty() ? "" : ", ";
    figure.note += "above idle (" + idle_text(estimate) + ")";
  }
  return figure;
}

KeyFigure truth_figure(const EnergyEstimate& estimate) {
  KeyFigure figure{"True energy (simulated)", energy_text_of(estimate.truth->value()), ""};
  if (!estimate.energy) return figure;
  const Interval& interval = estimate.energy->interval;
  const double truth = estimate.truth->value();
  const bool inside = interval.lower <= truth && truth <= interval.upper;
  figure.note = fmt::format("the estimate is {} off; the truth lies {} its interval",
                            signed_percent({interval.value, truth}).value_or("an unknown share"),
                            inside ? "inside" : "outside");
  return figure;
}

KeyFigure metered_figure(const EnergyEstimate& estimate, Joules metered) {
  KeyFigure figure{"By the meter", energy_text_of(metered.value()), ""};
  if (!estimate.energy) return figure;
  const Interval& interval = estimate.energy->interval;
  const bool inside = interval.lower <= metered.value() && metered.value() <= interval.upper;
  figure.note =
      fmt::format("the estimate is {} off, {}",
                  signed_percent({interval.value, metered.value()}).value_or("an unknown share"),
                  inside ? "within its interval against a wattmeter" : "outside its interval");
  if (energy::has_reason(estimate.reasons, energy::Reason::uncalibrated_gain)) {
    figure.note += "; truewatt calibrate with this meter removes this board's scale";
  }
  return figure;
}

/// What went with the first source, how, and what it looked at.
std::string source_note(const EnergyEstimate& estimate) {
  std::string note;
  for (std::size_t i = 1; i < estimate.sources.size(); ++i) {
    note += (i == 1 ? "with " : ", ") + to_string(estimate.sources[i]);
  }
  if (!estimate.method.empty()) note += (note.empty() ? "by " : " by ") + estimate.method.code();
  if (estimate.observed_fraction) note += (note.empty() ? "" : "; ") + observed_text(estimate);
  return note;
}

std::vector<KeyFigure> key_figures(const EnergyEstimate& estimate,
                                   const std::optional<Joules>& metered) {
  std::vector<KeyFigure> figures = {
      energy_figure("Gross energy, against a wattmeter", estimate.energy), net_figure(estimate)};
  figures.push_back({"Mean power",
                     estimate.mean_power ? power_text(*estimate.mean_power) : kUnknown,
                     "over " + duration_text(estimate.window)});
  if (estimate.source) {
    figures.push_back({"Source", to_string(*estimate.source), source_note(estimate)});
  }
  if (estimate.truth) figures.push_back(truth_figure(estimate));
  if (metered) figures.push_back(metered_figure(estimate, *metered));
  if (estimate.needs) {
    figures.push_back({"Needs", rough_duration(*estimate.needs), "of run time to be resolved"});
  }
  return figures;
}

/// One status, as the program prints it.
std::string badge(const EnergyEstimate& estimate) {
  switch (energy::status_of(estimate)) {
    case energy::Status::result:
      return element("li", "class=\"yes\"", "✓ result");
    case energy::Status::imprecise:
      return element("li", "class=\"no\"", "imprecise");
    case energy::Status::none:
      break;
  }
  return element("li", "class=\"bad\"", "✗ no result");
}

std::string reason_html(std::string_view code, std::string_view text) {
  return element("li", "", element("code", "", code) + " " + prose_html(text)) + "\n";
}

std::string reasons_html(const EnergyEstimate& estimate) {
  std::string items;
  for (const energy::Reason reason : estimate.reasons) {
    items += reason_html(energy::to_string(reason), energy::explain(reason));
  }
  for (const std::string& code : estimate.foreign.reasons) {
    items += reason_html(code, "The file's writer knows this reason, this truewatt does not.");
  }
  return items.empty() ? "" : element("ul", "class=\"reasons\"", "\n" + items) + "\n";
}

}  // namespace

std::vector<std::string> estimate_labels(const Section& section) {
  const std::size_t count = section.estimates.size();
  if (section.estimate_labels.size() == count) return section.estimate_labels;
  std::vector<std::string> labels(count, "window");
  const auto& windows = section.recording.windows;
  for (std::size_t i = 0; i < count && windows.size() == count; ++i) {
    if (!windows[i].label.empty()) labels[i] = windows[i].label;
  }
  if (std::set<std::string>(labels.begin(), labels.end()).size() == count) return labels;
  for (std::size_t i = 0; i < count; ++i) labels[i] += fmt::format(" {}", i + 1);
  return labels;
}

std::string metered_text(const EnergyEstimate& estimate, Joules metered) {
  const auto off = estimate.energy
                       ? signed_percent({estimate.energy->interval.value, metered.value()})
                       : std::nullopt;
  return energy_text_of(metered.value()) + (off ? " (estimate " + *off + ")" : "");
}

std::string figures_html(const EnergyEstimate& estimate, const std::optional<Joules>& metered) {
  std::string figures;
  bool primary = true;
  for (const KeyFigure& figure : key_figures(estimate, metered)) {
    figures += figure_html(figure, primary);
    primary = false;
  }
  return element("dl", "class=\"figures\"", "\n" + figures) + "\n" +
         element("ul", "class=\"badges\"", badge(estimate)) + "\n" + reasons_html(estimate);
}

}  // namespace truewatt::report
