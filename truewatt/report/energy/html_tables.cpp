#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "truewatt/report/energy/energy_rows.hpp"
#include "truewatt/report/energy/html_estimate.hpp"
#include "truewatt/report/page/budget_cells.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;
using energy::EnergyInterval;
using Cells = std::vector<std::string>;

constexpr std::size_t kMostColumns = 5;  ///< estimates set as columns; more are set as rows

/// A quantity and how to print it of one estimate; "" when the estimate does not have it.
struct Quantity {
  std::string name;
  std::string (*text)(const EnergyEstimate&);
};

std::string value_of(const std::optional<EnergyInterval>& energy) {
  return energy ? split_interval(energy->interval, "J").value : "unknown";
}
std::string bounds_of(const std::optional<EnergyInterval>& energy) {
  if (!energy) return "";
  const Interval& interval = energy->interval;
  return fmt::format("{} to {}", energy_text_of(interval.lower), energy_text_of(interval.upper));
}
std::string uncertainty_of(const std::optional<EnergyInterval>& energy) {
  return energy ? plain(energy->standard_uncertainty, 3) + " J" : "";
}

std::string truth_text(const EnergyEstimate& e) {
  if (!e.truth) return "";
  std::string text = energy_text_of(e.truth->value());
  if (!e.energy) return text;
  const auto error = signed_percent({e.energy->interval.value, e.truth->value()});
  return error ? fmt::format("{} (estimate {})", text, *error) : text;
}

std::string reasons_text(const EnergyEstimate& e) {
  std::string text;
  for (const energy::Reason reason : e.reasons) {
    text.append(text.empty() ? "" : ", ").append(energy::to_string(reason));
  }
  for (const std::string& code : e.foreign.reasons) {
    text.append(text.empty() ? "" : ", ").append(code);
  }
  return text;
}

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> kQuantities = {
      {"Device", [](const EnergyEstimate& e) { return e.device.name; }},
      {"Window", [](const EnergyEstimate& e) { return duration_text(e.window); }},
      {"Gross energy", [](const EnergyEstimate& e) { return value_of(e.energy); }},
      {"Gross energy, 95 % interval", [](const EnergyEstimate& e) { return bounds_of(e.energy); }},
      {"Gross energy, standard uncertainty",
       [](const EnergyEstimate& e) { return uncertainty_of(e.energy); }},
      {"Net energy", [](const EnergyEstimate& e) { return value_of(e.net_energy); }},
      {"Net energy, 95 % interval",
       [](const EnergyEstimate& e) { return bounds_of(e.net_energy); }},
      {"Net energy, standard uncertainty",
       [](const EnergyEstimate& e) { return uncertainty_of(e.net_energy); }},
      {"Mean power",
       [](const EnergyEstimate& e) { return e.mean_power ? power_text(*e.mean_power) : ""; }},
      {"Baseline", [](const EnergyEstimate& e) { return idle_text(e); }},
      {"Source", [](const EnergyEstimate& e) { return e.source ? to_string(*e.source) : ""; }},
      {"Method", [](const EnergyEstimate& e) { return e.method.code(); }},
      {"Observed share",
       [](const EnergyEstimate& e) {
         return e.observed_fraction ? fmt::format("{:.1f} %", 100.0 * *e.observed_fraction) : "";
       }},
      {"Profile",
       [](const EnergyEstimate& e) {
         return e.profile ? std::string(e.profile->provenance()) : "";
       }},
      {"True energy (simulated)", truth_text},
      {"Valid", [](const EnergyEstimate& e) { return std::string(e.valid ? "yes" : "no"); }},
      {"Resolved", [](const EnergyEstimate& e) { return std::string(e.resolved ? "yes" : "no"); }},
      {"Reasons", reasons_text},
      {"Run time that would resolve it",
       [](const EnergyEstimate& e) { return e.needs ? rough_duration(*e.needs) : ""; }},
  };
  return kQuantities;
}

std::string naive_text(const EnergyEstimate& e, const std::string& source) {
  const auto found = e.naive_j.find(source);
  if (found == e.naive_j.end()) return "";
  std::string text = energy_text_of(found->second);
  if (!e.energy && !e.truth) return text;
  const double reference = e.truth ? e.truth->value() : e.energy->interval.value;
  const auto deviation = signed_percent({found->second, reference});
  return deviation ? fmt::format("{} ({})", text, *deviation) : text;
}

std::set<std::string> naive_sources(const std::vector<EnergyEstimate>& estimates) {
  std::set<std::string> sources;
  for (const EnergyEstimate& e : estimates) {
    for (const auto& [source, joules] : e.naive_j) sources.insert(source);
  }
  return sources;
}

std::string reader_text(const EnergyEstimate& e, energy::Reader reader) {
  for (const energy::ReaderEnergy& one : e.readers) {
    if (one.reader != reader) continue;
    if (!one.energy) return "unknown";
    std::string text = energy_text_of(one.energy->value());
    const auto deviation =
        e.energy ? deviation_of(one, e, Joules(e.energy->interval.value)) : std::nullopt;
    const auto percent =
        deviation ? signed_percent({1.0 + *deviation, 1.0}) : std::optional<std::string>();
    return percent ? fmt::format("{} ({})", text, *percent) : text;
  }
  return "";
}

void keep_if_filled(std::vector<Cells>& rows, Cells row) {
  const bool filled = std::any_of(row.begin() + 1, row.end(),
                                  [](const std::string& cell) { return !cell.empty(); });
  if (filled) rows.push_back(std::move(row));
}

std::vector<Cells> quantity_rows(const std::vector<EnergyEstimate>& estimates) {
  std::vector<Cells> rows;
  for (const Quantity& quantity : quantities()) {
    Cells row = {quantity.name};
    for (const EnergyEstimate& e : estimates) row.push_back(quantity.text(e));
    keep_if_filled(rows, std::move(row));
  }
  for (const std::string& source : naive_sources(estimates)) {
    Cells row = {"Naive, " + source};
    for (const EnergyEstimate& e : estimates) row.push_back(naive_text(e, source));
    keep_if_filled(rows, std::move(row));
  }
  for (const energy::Reader reader : energy::kReaders) {
    Cells row = {fmt::format("Reader {}, {}", to_string(reader), explain(reader))};
    for (const EnergyEstimate& e : estimates) row.push_back(reader_text(e, reader));
    keep_if_filled(rows, std::move(row));
  }
  return rows;
}

HtmlTable transposed(const HtmlTable& table) {
  HtmlTable turned{table.caption, {table.header.front()}, {}};
  for (const Cells& row : table.rows) turned.header.push_back(row.front());
  for (std::size_t i = 1; i < table.header.size(); ++i) {
    Cells row = {table.header[i]};
    for (const Cells& source : table.rows) row.push_back(source[i]);
    turned.rows.push_back(std::move(row));
  }
  return turned;
}

/// Median of the times between neighbouring readings, seconds.
std::optional<double> median_interval(const Trace& trace) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    intervals.push_back(seconds_between(trace.samples[i - 1].seen, trace.samples[i].seen));
  }
  if (intervals.empty()) return std::nullopt;
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  return *middle;
}

/// A gap that is no rest of our own.
bool is_failure(const Gap& gap) { return gap.cause != kNotAsked; }

Cells source_row(const Trace& trace) {
  const auto interval = median_interval(trace);
  Cells row = {to_string(trace.source),
               fmt::format("{}", samples_of(trace)),
               trace.polls > 0 ? fmt::format("{}", trace.polls) : "",
               interval ? duration_text(Seconds(*interval)) : "",
               "",
               "",
               fmt::format("{}", std::count_if(trace.gaps.begin(), trace.gaps.end(), is_failure))};
  if (trace.samples.empty()) return row;
  const auto [lowest, highest] =
      std::minmax_element(trace.samples.begin(), trace.samples.end(),
                          [](const Sample& a, const Sample& b) { return a.value < b.value; });
  if (counts_energy(trace.source)) {
    row[4] = energy_text_of(lowest->value);
    row[5] = energy_text_of(highest->value);
    return row;
  }
  double least = lowest->value;
  double most = highest->value;
  for (const CondensedStretch& sums : trace.condensed) {
    least = std::min(least, sums.lowest_w);
    most = std::max(most, sums.highest_w);
  }
  row[4] = power_text(Watts(least));
  row[5] = power_text(Watts(most));
  return row;
}

}  // namespace

HtmlTable numbers_table(const Section& section) {
  HtmlTable table{"Estimates", {"Quantity"}, quantity_rows(section.estimates)};
  if (section.estimates.empty()) return {};
  for (std::string& label : estimate_labels(section)) table.header.push_back(std::move(label));
  return section.estimates.size() > kMostColumns ? transposed(table) : table;
}

HtmlTable budget_table(const EnergyEstimate& estimate) {
  HtmlTable table{"Uncertainty budget of the gross energy",
                  {"Term", "Type", "Standard uncertainty", "Share of the precision's variance"},
                  {}};
  double variance = precision_variance_of(estimate.budget);
  for (const energy::ForeignTerm& term : estimate.foreign.budget) variance += term.u * term.u;
  for (const auto& term : estimate.budget) {
    table.rows.push_back({std::string(uncertainty::text_of(term.cause)),
                          std::string(1, uncertainty::type_of(term.cause)), plain(term.u, 3) + " J",
                          share_of_precision(term, variance)});
  }
  for (const energy::ForeignTerm& term : estimate.foreign.budget) {
    table.rows.push_back(
        {term.code, term.type, plain(term.u, 3) + " J", share_of_variance(term.u, variance)});
  }
  return table;
}

HtmlTable sources_table(const Section& section) {
  HtmlTable table{"Readings of each source",
                  {"Source", "Readings", "Polls", "Median interval", "Lowest", "Highest", "Gaps"},
                  {}};
  for (const Trace& trace : section.recording.traces) table.rows.push_back(source_row(trace));
  return table;
}

HtmlTable events_table(const Section& section) {
  HtmlTable table{"What happened during the recording", {"At", "What", "Details"}, {}};
  const auto at = [&section](HostTime time) {
    return fmt::format("{:.3f} s", seconds_between(section.origin, time));
  };
  for (const CaptureEvent& event : section.recording.events) {
    table.rows.push_back({at(event.time), event.kind.code(), event.message});
  }
  for (const Trace& trace : section.recording.traces) {
    for (const Gap& gap : trace.gaps) {
      if (!is_failure(gap)) continue;
      table.rows.push_back({at(gap.begin), "gap",
                            fmt::format("{} did not answer until {} ({})", to_string(trace.source),
                                        at(gap.end), gap.cause)});
    }
  }
  return table;
}

}  // namespace truewatt::report
