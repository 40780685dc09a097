#include "truewatt/report/validation/validation_json.hpp"

#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

Json json_of_told(const validate::ToldEnergy& told) {
  return {{"error", json_of(told.error)},
          {"half_width", json_of(told.half_width)},
          {"resolved", told.resolved},
          {"valid", told.valid},
          {"reasons", json_of(told.reasons)}};
}

Json json_of_workload(const validate::ValidatedWorkload& workload) {
  Json errors = Json::object();
  for (const auto& [name, error] : workload.errors) errors[name] = json_of(error);
  return {{"name", workload.name},
          {"title", workload.title},
          {"paper", workload.paper},
          {"failure", workload.failure ? Json(*workload.failure) : Json(nullptr)},
          {"iteration_s", json_of(workload.iteration)},
          {"run_s", json_of(workload.run)},
          {"power_w", json_of(workload.power)},
          {"baseline_w", json_of(workload.baseline)},
          {"reference_j", json_of(workload.reference)},
          {"counter_over_ring", json_of(workload.agreement)},
          {"practice_counter_over_ring", json_of(workload.practice_agreement)},
          {"run_to_run", json_of(workload.run_to_run)},
          {"reference_uncertainty", json_of(workload.reference_uncertainty)},
          {"one_run_explained", workload.explained ? Json(*workload.explained) : Json(nullptr)},
          {"reference_throttled", workload.reference_throttled},
          {"reference_plays", workload.reference_plays},
          {"one_run", json_of_told(workload.one_run)},
          {"good_practice", json_of_told(workload.practice)},
          {"errors", std::move(errors)},
          {"took_s",
           {{"reference", json_of(workload.reference_took)},
            {"one_run", json_of(workload.one_run_took)},
            {"good_practice", json_of(workload.practice_took)}}}};
}

Json json_of_meter(const validate::ReferenceMeter& meter) {
  const auto& accuracy = meter.accuracy;
  return {{"name", meter.name},
          {"scale_bound", accuracy ? Json(accuracy->scale) : Json(nullptr)},
          {"zero_bound_w", accuracy ? Json(accuracy->zero_w) : Json(nullptr)}};
}

}  // namespace

std::string validation_json(const validate::Validation& validation) {
  Json workloads = Json::array();
  for (const validate::ValidatedWorkload& one : validation.workloads) {
    workloads.push_back(json_of_workload(one));
  }
  Json summaries = Json::array();
  for (const validate::ErrorSummary& one : validation.summaries) {
    summaries.push_back({{"reader", one.name},
                         {"workloads", one.count},
                         {"mape", json_of(one.mean_absolute)},
                         {"rmse", json_of(one.rms)},
                         {"largest", json_of(one.largest)}});
  }
  Json document;
  document["schema"] = "truewatt.validation/1";
  document["tool_version"] = validation.tool_version;
  document["device"] = json_of(validation.device);
  document["truth_known"] = validation.reference == validate::Reference::truth;
  document["reference"] = to_string(validation.reference);
  document["meter"] = validation.meter ? json_of_meter(*validation.meter) : Json(nullptr);
  document["workloads"] = std::move(workloads);
  document["readers"] = std::move(summaries);
  document["interrupted"] = validation.interrupted;
  document["notes"] = validation.notes;
  return document_text(document);
}

}  // namespace truewatt::report
