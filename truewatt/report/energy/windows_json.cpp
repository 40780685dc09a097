#include "truewatt/report/energy/windows_json.hpp"

namespace truewatt::report {
namespace {

Json interval_or_null(const std::optional<energy::EnergyInterval>& energy) {
  return energy ? json_of(energy->interval) : Json(nullptr);
}

}  // namespace

Json json_on_sensor_scale(const std::optional<energy::EnergyInterval>& energy) {
  return energy ? json_of(energy::on_sensor_scale(*energy)) : Json(nullptr);
}

Json json_of_bounds(const std::optional<energy::EnergyBounds>& bounds) {
  if (!bounds) return nullptr;
  return {{"lower", json_of(bounds->lower)},
          {"upper", bounds->upper ? json_of(*bounds->upper) : Json()}};
}

Json json_of_baseline(const energy::EnergyEstimate& estimate) {
  if (!estimate.baseline || !estimate.baseline_kind) return nullptr;
  return {{"kind", std::string(to_string(*estimate.baseline_kind))},
          {"w", json_of(estimate.baseline)},
          {"rung", estimate.baseline_rung ? Json(to_string(*estimate.baseline_rung)) : Json()}};
}

Json json_of_windows(const std::vector<energy::WindowResult>& windows) {
  Json all = Json::array();
  for (const energy::WindowResult& window : windows) {
    const energy::EnergyEstimate& estimate = window.estimate;
    Json sources = Json::array();
    for (const SourceId source : estimate.sources) sources.push_back(to_string(source));
    Json per_source = Json::object();
    for (const auto& [source, energy] : window.per_source) {
      per_source[source] = json_of(energy.interval);
    }
    all.push_back({{"device", window.device},
                   {"label", window.label},
                   {"begin_s", json_of(window.begin_s)},
                   {"end_s", json_of(window.end_s)},
                   {"energy_j", interval_or_null(estimate.energy)},
                   {"net_energy_j", interval_or_null(estimate.net_energy)},
                   {"on_sensor_scale_j", json_on_sensor_scale(estimate.energy)},
                   {"if_in_step_j", json_of_bounds(estimate.if_in_step)},
                   {"baseline", json_of_baseline(estimate)},
                   {"sources", std::move(sources)},
                   {"per_source", std::move(per_source)},
                   {"status", std::string(energy::to_string(energy::status_of(estimate)))},
                   {"valid", estimate.valid},
                   {"resolved", estimate.resolved},
                   {"reasons", json_of(estimate.reasons)}});
  }
  return all;
}

Json json_of_labels(const std::vector<energy::LabelResult>& labels) {
  Json all = Json::array();
  for (const energy::LabelResult& label : labels) {
    all.push_back({{"device", label.device},
                   {"label", label.label},
                   {"count", label.count},
                   {"energy_j", interval_or_null(label.energy)},
                   {"mean_j", interval_or_null(label.mean)},
                   {"scatter_j", label.scatter_j ? json_of(*label.scatter_j) : Json(nullptr)}});
  }
  return all;
}

Json json_of_budget(const std::vector<uncertainty::Term>& budget) {
  Json terms = Json::array();
  for (const uncertainty::Term& term : budget) {
    terms.push_back({{"term", uncertainty::code_of(term.cause)},
                     {"standard_uncertainty_j", json_of(term.u)},
                     {"type", std::string(1, uncertainty::type_of(term.cause))}});
  }
  return terms;
}

}  // namespace truewatt::report
