#include "truewatt/report/analysis/analysis_json.hpp"

#include "truewatt/report/energy/windows_json.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

Json json_of_window(const analyze::AnalyzedWindow& window) {
  Json plateau;
  plateau["sensor_w"] = json_of(window.plateau.sensor);
  plateau["meter_w"] = json_of(window.plateau.meter);
  return {{"begin_s", json_of(window.begin_s)}, {"end_s", json_of(window.end_s)},
          {"naive_j", json_of(window.naive_j)}, {"energy_j", json_of(window.energy_j)},
          {"meter_j", json_of(window.meter_j)}, {"plateau", std::move(plateau)},
          {"reasons", json_of(window.reasons)}};
}

Json json_of_fit(const std::optional<identification::SourceFit>& fit) {
  if (!fit) return nullptr;
  return {{"averaging_window_s", json_of(fit->averaging_window_s)},
          {"delay_s", json_of(fit->delay_s)},
          {"time_constant_s", json_of(fit->time_constant_s)},
          {"gain", json_of(fit->gain)},
          {"offset_w", json_of(fit->offset_w)}};
}

Json json_of_source(const analyze::AnalyzedSource& source) {
  Json windows = Json::array();
  for (const analyze::AnalyzedWindow& window : source.windows) {
    windows.push_back(json_of_window(window));
  }
  Json reasons = Json::array();
  for (const NoModelReason reason : source.reasons) reasons.push_back(to_string(reason));
  return {{"device", source.device},
          {"source", json_of(source.source)},
          {"samples", source.samples},
          {"update_period_s", json_of(source.update_period_s)},
          {"fit", json_of_fit(source.fit)},
          {"reasons", std::move(reasons)},
          {"profile", json_of(source.profile)},
          {"windows", std::move(windows)}};
}

Json json_of_combined(const std::optional<analyze::AnalyzedWhole>& combined) {
  if (!combined) return nullptr;
  const energy::EnergyEstimate& estimate = combined->estimate;
  return {{"window_s", json_of(estimate.window)},
          {"busy_s", json_of(combined->busy_s)},
          {"window_count", combined->window_count},
          {"energy_j", json_of(estimate.energy)},
          {"net_energy_j", json_of(estimate.net_energy)},
          {"on_sensor_scale_j", json_on_sensor_scale(estimate.energy)},
          {"if_in_step_j", json_of_bounds(estimate.if_in_step)},
          {"baseline_w", json_of(estimate.baseline)},
          {"baseline", json_of_baseline(estimate)},
          {"meter_j", json_of(combined->meter_j)},
          {"source", json_of(estimate.source)},
          {"method", text_or_null(estimate.method.code())},
          {"budget", json_of_budget(estimate.budget)},
          {"readers", json_of_readers(estimate)},
          {"profile", json_of(estimate.profile)},
          {"valid", estimate.valid},
          {"resolved", estimate.resolved},
          {"reasons", json_of(estimate.reasons)},
          {"status", std::string(energy::to_string(energy::status_of(estimate)))}};
}

Json json_of_devices(const std::vector<analyze::AnalyzedDevice>& devices) {
  Json all = Json::array();
  for (const analyze::AnalyzedDevice& device : devices) {
    Json one = json_of(device.identity);
    one["combined"] = json_of_combined(device.combined);
    all.push_back(std::move(one));
  }
  return all;
}

Json json_of_total(const energy::EnergyTotal& total) {
  return {{"energy_j", json_of(total.energy)},
          {"net_energy_j", json_of(total.net_energy)},
          {"on_sensor_scale_j", json_on_sensor_scale(total.energy)}};
}

Json json_of_totals(const std::vector<analyze::AnalyzedTotal>& totals) {
  Json all = Json::array();
  for (const analyze::AnalyzedTotal& total : totals) {
    Json one = json_of_total(total.energy);
    one["label"] = total.label;
    one["begin_s"] = json_of(total.begin_s);
    one["end_s"] = json_of(total.end_s);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string analysis_json(const analyze::Analysis& analysis) {
  Json sources = Json::array();
  for (const analyze::AnalyzedSource& source : analysis.sources) {
    sources.push_back(json_of_source(source));
  }
  Json document;
  document["schema"] = "truewatt.analysis/1";
  document["tool_version"] = analysis.tool_version;
  document["path"] = analysis.path;
  document["format"] = analysis.format;
  document["rows"] = analysis.rows;
  document["bad_rows"] = analysis.bad_rows;
  document["utc_offset"] = text_or_null(analysis.utc_offset);
  document["utc_offset_from"] = text_or_null(analysis.utc_offset_from);
  document["devices"] = json_of_devices(analysis.devices);
  document["sources"] = std::move(sources);
  document["windows"] = json_of_windows(analysis.windows);
  document["total"] = json_of_total(analysis.total);
  document["totals"] = json_of_totals(analysis.totals);
  document["labels"] = json_of_labels(analysis.labels);
  document["combined"] = json_of_combined(analysis.combined);
  document["notes"] = analysis.notes;
  return document_text(document);
}

}  // namespace truewatt::report
