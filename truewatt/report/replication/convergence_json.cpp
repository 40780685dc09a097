#include "truewatt/report/replication/convergence_json.hpp"

#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

std::string_view name_of(replication::Telling telling) {
  switch (telling) {
    case replication::Telling::as_read:
      return "as_read";
    case replication::Telling::corrected:
      return "corrected";
    case replication::Telling::truewatt:
      break;
  }
  return "truewatt";
}

Json json_of_curve(const replication::ConvergenceCurve& curve) {
  Json points = Json::array();
  for (const replication::ConvergencePoint& point : curve.points) {
    points.push_back({{"executions", point.executions},
                      {"mean_error", json_of(point.mean)},
                      {"spread", json_of(point.spread)},
                      {"half_width", json_of(point.half_width)}});
  }
  return {
      {"telling", name_of(curve.telling)}, {"delays", curve.delays}, {"points", std::move(points)}};
}

Json json_of_count(const std::optional<int>& count) { return count ? Json(*count) : Json(nullptr); }

Json json_of_load(const replication::ConvergenceLoad& load) {
  Json curves = Json::array();
  for (const replication::ConvergenceCurve& curve : load.curves)
    curves.push_back(json_of_curve(curve));
  return {{"execution_s", json_of(load.execution)},
          {"curves", std::move(curves)},
          {"practice_executions", load.practice_executions},
          {"practice_spread", json_of(load.practice_spread)},
          {"needed_executions", json_of_count(load.needed)},
          {"within_1_percent",
           {{"practice", json_of_count(load.practice_within)},
            {"truewatt", json_of_count(load.within)}}}};
}

}  // namespace

std::string convergence_json(const replication::Convergence& convergence) {
  Json cases = Json::array();
  for (const replication::ConvergenceCase& one : convergence.cases) {
    Json loads = Json::array();
    for (const replication::ConvergenceLoad& load : one.loads) loads.push_back(json_of_load(load));
    cases.push_back({{"source", to_string(one.source)},
                     {"looks_s", json_of(one.looks)},
                     {"update_period_s", json_of(one.period)},
                     {"loads", std::move(loads)}});
  }
  Json document;
  document["schema"] = "truewatt.convergence/1";
  document["tool_version"] = convergence.tool_version;
  document["device"] = convergence.device;
  document["trials"] = convergence.trials;
  document["cases"] = std::move(cases);
  document["notes"] = convergence.notes;
  document["interrupted"] = convergence.interrupted;
  return document_text(document);
}

}  // namespace truewatt::report
