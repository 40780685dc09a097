#include "truewatt/report/energy/energy_json.hpp"

#include "truewatt/base/format.hpp"
#include "truewatt/report/energy/windows_json.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

Json json_of_naive(const energy::EnergyEstimate& estimate) {
  Json naive = Json::object();
  for (const auto& [source, joules] : estimate.naive_j) naive[source] = json_of(joules);
  return naive;
}

Json json_of_sources(const energy::EnergyEstimate& estimate) {
  Json sources = Json::array();
  for (const SourceId source : estimate.sources) sources.push_back(to_string(source));
  return sources;
}

Json json_of_dropped(const energy::EnergyEstimate& estimate) {
  Json dropped = Json::array();
  for (const energy::DroppedSource& one : estimate.dropped) {
    dropped.push_back({{"source", to_string(one.source)}, {"reason", to_string(one.reason)}});
  }
  return dropped;
}

Json json_of_estimate(const energy::EnergyEstimate& estimate) {
  return {{"device", json_of(estimate.device)},
          {"window_s", json_of(estimate.window)},
          {"energy_j", json_of(estimate.energy)},
          {"net_energy_j", json_of(estimate.net_energy)},
          {"on_sensor_scale_j", json_on_sensor_scale(estimate.energy)},
          {"if_in_step_j", json_of_bounds(estimate.if_in_step)},
          {"mean_power_w", json_of(estimate.mean_power)},
          {"baseline_w", json_of(estimate.baseline)},
          {"baseline", json_of_baseline(estimate)},
          {"source", json_of(estimate.source)},
          {"sources", json_of_sources(estimate)},
          {"dropped", json_of_dropped(estimate)},
          {"method", text_or_null(estimate.method.code())},
          {"observed_fraction", json_of(estimate.observed_fraction)},
          {"budget", json_of_budget(estimate.budget)},
          {"naive_j", json_of_naive(estimate)},
          {"readers", json_of_readers(estimate)},
          {"truth_j", json_of(estimate.truth)},
          {"profile", json_of(estimate.profile)},
          {"status", std::string(energy::to_string(energy::status_of(estimate)))},
          {"valid", estimate.valid},
          {"resolved", estimate.resolved},
          {"reasons", json_of(estimate.reasons)},
          {"needs_s", json_of(estimate.needs)}};
}

Json json_of_command(const std::optional<measure::CommandResult>& command) {
  if (!command) return nullptr;
  return {{"argv", command->argv}, {"exit_code", command->exit_code}};
}

Json json_of_work(const measure::EnergyRun& run) {
  if (!run.work) return nullptr;
  const energy::Work& work = *run.work;
  const auto of = [&work](const std::optional<energy::EnergyInterval>& energy, bool on_scale) {
    Json json = {{"joules_per_unit", nullptr}, {"units_per_joule", nullptr}};
    if (!energy) return json;
    const Interval joules = on_scale ? energy::on_sensor_scale(*energy) : energy->interval;
    json["joules_per_unit"] = json_of(energy::joules_per_unit(joules, work));
    json["units_per_joule"] = json_of(energy::units_per_joule(joules, work));
    return json;
  };
  return {{"done", work.done},
          {"unit", work.unit},
          {"gross", of(run.total.energy, false)},
          {"net", of(run.total.net_energy, false)},
          {"gross_on_sensor_scale", of(run.total.energy, true)},
          {"net_on_sensor_scale", of(run.total.net_energy, true)}};
}

Json json_of_trials(const std::vector<measure::TrialEnergy>& trials) {
  Json all = Json::array();
  for (const measure::TrialEnergy& trial : trials) {
    all.push_back({{"executions", trial.executions},
                   {"energy_j", json_of(trial.joules)},
                   {"half_width_j", json_of(trial.half_width_j)},
                   {"truth_j", json_of(trial.truth)},
                   {"weight", trial.weight},
                   {"valid", trial.valid}});
  }
  return all;
}

Json json_of_repetition(const std::optional<measure::Repetition>& repetition) {
  if (!repetition) return nullptr;
  Json of_devices = Json::array();
  for (const auto& trials : repetition->of_devices) of_devices.push_back(json_of_trials(trials));
  return {{"executions", repetition->executions},
          {"trials", repetition->trials},
          {"pause_s", json_of(repetition->pause)},
          {"target", json_of(repetition->target)},
          {"half_width", json_of(repetition->half_width)},
          {"reached", repetition->target ? Json(repetition->reached) : Json(nullptr)},
          {"needs_executions",
           repetition->needs_executions ? Json(*repetition->needs_executions) : Json(nullptr)},
          {"needs_s", json_of(repetition->needs)},
          {"of_devices", std::move(of_devices)}};
}

Json json_of_node(const std::optional<energy::NodeEnergy>& node) {
  if (!node) return nullptr;
  Json sources = Json::array();
  for (const energy::NodeSource& source : node->sources) {
    sources.push_back({{"label", source.label},
                       {"device", json_of(source.estimate.device)},
                       {"source", json_of(source.estimate.source)},
                       {"scope", std::string(to_string(source.scope))},
                       {"energy_j", json_of(source.estimate.energy)},
                       {"reasons", json_of(source.estimate.reasons)},
                       {"refusal", text_or_null(source.refusal)},
                       {"added", source.added}});
  }
  return {{"sources", std::move(sources)}, {"energy_j", json_of(node->energy)},
          {"covers", node->covers},        {"valid", node->valid},
          {"resolved", node->resolved},    {"reasons", json_of(node->reasons)}};
}

}  // namespace

std::string energy_json(const measure::EnergyRun& run) {
  Json devices = Json::array();
  for (const energy::EnergyEstimate& estimate : run.devices) {
    devices.push_back(json_of_estimate(estimate));
  }
  Json total;
  total["energy_j"] = json_of(run.total.energy);
  total["net_energy_j"] = json_of(run.total.net_energy);
  total["on_sensor_scale_j"] = json_on_sensor_scale(run.total.energy);
  Json document;
  document["schema"] = "truewatt.energy/1";
  document["tool_version"] = run.tool_version;
  document["start"] = format_utc(run.start);
  document["load"] = text_or_null(run.load);
  document["command"] = json_of_command(run.command);
  document["work"] = json_of_work(run);
  document["repetition"] = json_of_repetition(run.repetition);
  document["devices"] = std::move(devices);
  document["windows"] = json_of_windows(run.windows);
  document["labels"] = json_of_labels(run.labels);
  document["total"] = std::move(total);
  document["node"] = json_of_node(run.node);
  document["notes"] = run.notes;
  return document_text(document);
}

}  // namespace truewatt::report
