#include "truewatt/report/energy/html_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/report/energy/brief_text.hpp"
#include "truewatt/report/energy/html_estimate.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;

constexpr std::size_t kMostRows = 20;

/// A column that is there when any estimate has a text for it.
struct Column {
  std::string name;
  std::string (*text)(const EnergyEstimate&);
};

std::string deviation(double joules, const EnergyEstimate& estimate) {
  const auto off = estimate.truth    ? signed_percent({joules, estimate.truth->value()})
                   : estimate.energy ? signed_percent({joules, estimate.energy->interval.value})
                                     : std::nullopt;
  return energy_text_of(joules) + (off ? " (" + *off + ")" : "");
}

std::string naive(const EnergyEstimate& estimate, SourceKind kind) {
  const auto found = estimate.naive_j.find(to_string(SourceId{kind, Scope::gpu}));
  return found == estimate.naive_j.end() ? "" : deviation(found->second, estimate);
}

std::string polled(const EnergyEstimate& estimate) {
  for (const SourceKind kind : kKindsPolled) {
    if (auto text = naive(estimate, kind); !text.empty()) return text;
  }
  return "";
}

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns = {
      {"Energy, on this sensor's scale",
       [](const EnergyEstimate& e) {
         return e.energy ? on_scale_text(*e.energy) : std::string("none");
       }},
      {"Status",
       [](const EnergyEstimate& e) { return std::string(to_string(energy::status_of(e))); }},
      {"Against a wattmeter",
       [](const EnergyEstimate& e) {
         return e.energy ? split_interval(e.energy->interval, "J").spread : std::string();
       }},
      {"True (simulated)",
       [](const EnergyEstimate& e) {
         return e.truth ? energy_text_of(e.truth->value()) : std::string();
       }},
      {"truewatt's error",
       [](const EnergyEstimate& e) {
         if (!e.truth || !e.energy) return std::string();
         return signed_percent({e.energy->interval.value, e.truth->value()}).value_or("");
       }},
      {"Polling", polled},
      {"Energy counter",
       [](const EnergyEstimate& e) { return naive(e, SourceKind::energy_counter); }},
  };
  return kColumns;
}

/// Nothing where no row has a text for it.
void add_column(HtmlTable& table, const std::string& name, const std::vector<std::string>& cells) {
  const auto is_empty = [](const std::string& cell) { return cell.empty(); };
  if (std::all_of(cells.begin(), cells.end(), is_empty)) return;
  table.header.push_back(name);
  for (std::size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i]);
}

}  // namespace

std::string summary_html(const Page& page) {
  std::vector<std::pair<std::string, const EnergyEstimate*>> all;
  std::vector<std::string> metered;
  for (const Section& section : page.sections) {
    const std::vector<std::string> labels = estimate_labels(section);
    for (std::size_t i = 0; i < section.estimates.size() && all.size() < kMostRows; ++i) {
      const bool is_alone = section.estimates.size() == 1;
      all.emplace_back(is_alone ? section.title : labels[i], &section.estimates[i]);
      metered.push_back(section.metered ? metered_text(section.estimates[i], *section.metered)
                                        : std::string());
    }
  }
  if (all.empty()) return "";
  HtmlTable table{"Result", {""}, {}};
  for (const auto& [label, estimate] : all) table.rows.push_back({label});
  for (const Column& column : columns()) {
    std::vector<std::string> cells;
    for (const auto& [label, estimate] : all) cells.push_back(column.text(*estimate));
    add_column(table, column.name, cells);
  }
  add_column(table, "By the meter", metered);
  std::string html = to_html(table);
  for (const Table& further : page.results) {
    html += to_html(HtmlTable{further.title, further.header, further.rows});
  }
  return html;
}

}  // namespace truewatt::report
