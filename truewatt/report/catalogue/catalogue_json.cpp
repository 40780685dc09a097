#include "truewatt/model/metered_boards.hpp"
#include "truewatt/report/catalogue/catalogue.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

using catalogue::Behaviour;
using catalogue::Family;
using report::json_of;

Json json_of(const std::optional<catalogue::Range>& range) {
  if (!range) return nullptr;
  return {{"lower", range->lower.count()}, {"upper", range->upper.count()}};
}

Json truth_or_null(const std::optional<bool>& truth) {
  return truth ? Json(*truth) : Json(nullptr);
}

Json json_of(const Behaviour& behaviour) {
  return {{"code", behaviour.code},
          {"supported", behaviour.supported()},
          {"response", name_of(behaviour.response)},
          {"update_period_s", json_of(behaviour.update_period)},
          {"averaging_window_s", json_of(behaviour.averaging_window)}};
}

Json json_of(const catalogue::Entry& entry) {
  Json json = {{"drivers", key_of(entry.era)},
               {"source", to_string(entry.source.kind)},
               {"scope", to_string(entry.source.scope)},
               {"provenance", name_of(entry.provenance)}};
  json.update(json_of(*entry.behaviour));
  return json;
}

Json json_of(const catalogue::Finding& finding) {
  return {{"code", text_or_null(std::string(finding.code))},
          {"board", text_or_null(std::string(finding.board))},
          {"provenance", name_of(finding.provenance)},
          {"contradicts", finding.contradicts},
          {"text", finding.text},
          {"update_period_s", json_of(finding.update_period)},
          {"averaging_window_s", json_of(finding.averaging_window)},
          {"rise_time_s", json_of(finding.rise_time)},
          {"time_constant_s", json_of(finding.time_constant)}};
}

Json json_of(const catalogue::MeteredBoard& board) {
  return {{"board", board.board},
          {"model", board.model},
          {"gain", board.gain},
          {"offset_w", json_of(board.offset)},
          {"excluded", text_or_null(std::string(board.excluded))}};
}

Json json_of(const catalogue::ComparedQuantity& quantity) {
  return {{"quantity", quantity.name},
          {"measured", json_of(quantity.measured)},
          {"published", json_of(quantity.published)},
          {"agrees", quantity.agrees}};
}

template <class List>
Json list_of(const List& list) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(json_of(item));
  return json;
}

Json family_json(Family family) {
  Json tested = Json::array();
  for (const catalogue::TestedModel& model : catalogue::tested_models()) {
    if (model.family != family) continue;
    tested.push_back({{"name", model.name}, {"model", model.model}, {"count", model.count}});
  }
  Json boards = Json::array();
  for (const catalogue::MeteredBoard& board : catalogue::metered_boards()) {
    if (board.family == family) boards.push_back(json_of(board));
  }
  return {{"family", key_of(family)},
          {"name", name_of(family)},
          {"entries", list_of(catalogue::entries(family))},
          {"findings", list_of(catalogue::findings(family))},
          {"tested", std::move(tested)},
          {"metered", std::move(boards)}};
}

Json json_of(const catalogue::Spread& spread) {
  return {{"count", spread.count},
          {"mean", spread.mean},
          {"standard_deviation", spread.standard_deviation},
          {"median", spread.median},
          {"robust_sd", spread.robust_sd},
          {"about_nominal", spread.about_nominal}};
}

Json spread_json() {
  const catalogue::BoardSpread spread = catalogue::board_spread();
  const catalogue::BoardPrior prior = catalogue::board_prior();
  return {{"gain", json_of(spread.gain)},
          {"offset_w", json_of(spread.offset_w)},
          {"correlation", spread.correlation},
          {"excluded", spread.excluded},
          {"prior",
           {{"gain", json_of(interval95(prior.gain))},
            {"offset_w", json_of(interval95(prior.offset_w))},
            {"correlation", prior.correlation}}}};
}

Json json_of(const catalogue::SourceComparison& comparison) {
  return {{"source", to_string(comparison.source.kind)},
          {"scope", to_string(comparison.source.scope)},
          {"response", comparison.response ? Json(name_of(*comparison.response)) : Json(nullptr)},
          {"code", text_or_null(comparison.best_code.value_or(""))},
          {"agrees", truth_or_null(comparison.agrees)},
          {"against", comparison.against ? json_of(*comparison.against) : Json(nullptr)},
          {"quantities", list_of(comparison.quantities)},
          {"also", list_of(comparison.also)}};
}

Json profile_json(const ComparedProfile& profile) {
  Json device = json_of(profile.device);
  device.erase("index");  // of the day; a profile does not keep it
  Json sources = Json::array();
  for (const auto& comparison : profile.sources) sources.push_back(json_of(comparison));
  return {{"path", profile.path},
          {"device", std::move(device)},
          {"family", profile.family ? Json(key_of(*profile.family)) : Json(nullptr)},
          {"sources", std::move(sources)}};
}

}  // namespace

std::string catalogue_json(const CatalogueView& view) {
  Json families = Json::array();
  for (const Family family : view.families) families.push_back(family_json(family));
  return document_text({{"schema", "truewatt.catalogue/1"},
                        {"citation", catalogue::kCitation},
                        {"query", text_or_null(view.query)},
                        {"model", view.product ? Json(view.product->model) : Json(nullptr)},
                        {"codes", list_of(catalogue::legend())},
                        {"families", std::move(families)},
                        {"spread", spread_json()},
                        {"profile", view.profile ? profile_json(*view.profile) : Json(nullptr)}});
}

}  // namespace truewatt::report
