#include "truewatt/report/comparison/comparison_json.hpp"

#include "truewatt/energy/results/work.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

Json json_of_ratio(const std::optional<energy::EnergyRatio>& ratio) {
  if (!ratio) return nullptr;
  Json json = json_of(ratio->ratio);
  json["standard_uncertainty"] = json_of(ratio->standard_uncertainty);
  return json;
}

Json json_of_terms(const std::optional<energy::EnergyRatio>& ratio) {
  Json terms = Json::array();
  if (!ratio) return terms;
  for (const uncertainty::Term& term : ratio->budget) {
    terms.push_back({{"term", uncertainty::code_of(term.cause)},
                     {"relative_standard_uncertainty", json_of(term.u)},
                     {"type", std::string(1, uncertainty::type_of(term.cause))}});
  }
  return terms;
}

Json json_of_work(const compare::ComparedSide& side) {
  if (!side.work) return nullptr;
  Json json = {{"done", side.work->done},
               {"unit", side.work->unit},
               {"joules_per_unit", nullptr},
               {"units_per_joule", nullptr}};
  if (side.mean.energy) {
    json["joules_per_unit"] =
        json_of(energy::joules_per_unit(side.mean.energy->interval, *side.work));
    json["units_per_joule"] =
        json_of(energy::units_per_joule(side.mean.energy->interval, *side.work));
  }
  return json;
}

Json json_of_side(const compare::ComparedSide& side) {
  Json runs = Json::array();
  for (const measure::EnergyRun& run : side.runs) {
    runs.push_back(
        {{"energy_j", json_of(run.total.energy)}, {"net_energy_j", json_of(run.total.net_energy)}});
  }
  return {{"what", side.what},
          {"energy_j", json_of(side.mean.energy)},
          {"net_energy_j", json_of(side.mean.net_energy)},
          {"truth_j", json_of(side.truth)},
          {"work", json_of_work(side)},
          {"runs", std::move(runs)}};
}

}  // namespace

std::string comparison_json(const compare::EnergyComparison& comparison) {
  Json document;
  document["schema"] = "truewatt.comparison/1";
  document["tool_version"] = comparison.tool_version;
  document["a"] = json_of_side(comparison.a);
  document["b"] = json_of_side(comparison.b);
  document["ratio"] = json_of_ratio(comparison.gross);
  document["ratio_per_unit"] = json_of(comparison.per_unit);
  document["net_ratio"] = json_of_ratio(comparison.net);
  document["rounds"] = comparison.rounds;
  document["budget"] = json_of_terms(comparison.gross);
  document["gain_cancels"] =
      comparison.gross ? Json(comparison.gross->gain_cancels) : Json(nullptr);
  document["verdict"] = to_string(comparison.verdict);
  document["resolved"] = comparison.resolved;
  document["truth_ratio"] = json_of(comparison.truth);
  document["target"] = json_of(comparison.target);
  document["needs_rounds"] =
      comparison.needs_rounds ? Json(*comparison.needs_rounds) : Json(nullptr);
  document["valid"] = comparison.valid;
  document["reasons"] = json_of(comparison.reasons);
  document["notes"] = comparison.notes;
  return document_text(document);
}

}  // namespace truewatt::report
