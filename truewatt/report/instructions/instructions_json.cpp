#include "truewatt/report/instructions/instructions_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {
namespace {

using instructions::Row;
using instructions::Table;

constexpr double kLanes = 32;

Json json_of_reasons(const Row& row) {
  Json reasons = Json::array();
  for (const instructions::Reason reason : row.reasons) reasons.push_back(to_string(reason));
  return reasons;
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

Json json_of_points(const Row& row) {
  Json points = Json::array();
  for (const instructions::RowPoint& one : row.points) {
    points.push_back({{"copies", one.copies},
                      {"begin_s", json_of(one.begin_s)},
                      {"iterations_per_s", json_of(one.iterations_per_s)},
                      {"power_w", json_of(one.power_w)},
                      {"idle_w", json_of(one.idle_w)},
                      {"recent_w", json_of(one.recent_w)},
                      {"clock_hz", json_of(one.clock_hz)},
                      {"recording", one.recording}});
  }
  return points;
}

/// What Arafa et al.'s protocol makes of the row.
Json json_of_one_thread(const Row& row) {
  const instructions::OneThreadRow& one = *row.one_thread;
  Json json = {{"energy_j", json_of(one.energy_j)},
               {"idle_power_times_time_j", json_of(one.idle_j)},
               {"instruction_s", json_of(one.instruction)},
               {"kernel_s", json_of(one.kernel)},
               {"times_dynamic", nullptr}};
  if (row.valid && row.dynamic_j->value > 0) {
    json["times_dynamic"] = json_of(one.energy_j.value / row.dynamic_j->value);
  }
  return json;
}

Json json_of_row(const Row& row) {
  Json machine = Json::array();
  for (const auto& [opcode, count] : row.machine) {
    machine.push_back({{"opcode", opcode}, {"per_instruction", count}});
  }
  Json readers = Json::object();
  for (const auto& one : row.readers) {
    readers[std::string(to_string(one.reader))] = {{"dynamic_j", json_of(one.dynamic_j)}};
  }
  Json json = {{"instruction", row.key.instruction},
               {"group", row.group},
               {"opt", kernels::to_string(row.key.optimization)},
               {"operands", to_string(row.key.operands)},
               {"paper_row", text_or_null(row.paper)},
               {"less_partner", text_or_null(row.partner)},
               {"machine", std::move(machine)},
               {"dynamic_j", json_of(row.dynamic_j)},
               {"above_spin_j", json_of(row.above_spin_j)},
               {"total_j", json_of(row.total_j)},
               {"dynamic_per_warp_j", nullptr},
               {"dynamic_per_fma_j", nullptr},
               {"dynamic_per_machine_instruction_j", nullptr},
               {"rate_per_s", json_of(row.rate_per_s)},
               {"power_w", json_of(row.power_w)},
               {"clock_hz", json_of(row.clock_hz)},
               {"share_of_sms", row.share},
               {"points", json_of_points(row)},
               {"strays", row.strays},
               {"dynamic_budget", json_of_budget(row.dynamic_budget)},
               {"above_spin_budget", json_of_budget(row.budget)},
               {"valid", row.valid},
               {"reasons", json_of_reasons(row)},
               {"detail", text_or_null(row.detail)}};
  if (row.dynamic_j) {
    json["dynamic_per_warp_j"] = json_of(kLanes * row.dynamic_j->value);
    if (row.fma_per_warp > 0) {
      json["dynamic_per_fma_j"] = json_of(kLanes * row.dynamic_j->value / row.fma_per_warp);
    }
    // Where a partner's energy was taken off, its instructions are still in `machine`.
    double executed = 0.0;
    for (const auto& one : row.machine) executed += one.count;
    if (executed > 0 && row.partner.empty()) {
      json["dynamic_per_machine_instruction_j"] = json_of(row.dynamic_j->value / executed);
    }
  }
  if (row.one_thread) json["arafa_protocol"] = json_of_one_thread(row);
  if (!row.readers.empty()) json["readers"] = std::move(readers);
  return json;
}

/// Value and bounds of a CSV.
void append(std::vector<std::string>& cells, const std::optional<Interval>& of) {
  if (!of) {
    cells.insert(cells.end(), 3, "");
    return;
  }
  for (const double part : {of->value, of->lower, of->upper}) {
    cells.push_back(fmt::format("{:.6g}", part));
  }
}

Json json_of_counts(const instructions::Counts& counts) {
  Json list = Json::array();
  for (const auto& [name, count] : counts) list.push_back({{"name", name}, {"count", count}});
  return list;
}

Json json_of_verification(const Table& table) {
  Json kernels = Json::array();
  for (const instructions::VerifiedKernel& one : table.verification) {
    kernels.push_back({{"kernel", one.name},
                       {"per_iteration", json_of_counts(one.per_iteration)},
                       {"predicted_above_idle_w", json_of(one.predicted_w)},
                       {"measured_above_idle_w", json_of(one.measured_w)},
                       {"off", json_of(one.off)},
                       {"allowed", one.allowed},
                       {"holds", one.holds()},
                       {"detail", text_or_null(one.detail)}});
  }
  return kernels;
}

Json json_of_mixing(const instructions::Mixing& mixing) {
  Json pairs = Json::array();
  for (const instructions::MixedPair& one : mixing.pairs) {
    pairs.push_back({{"kernel", one.name},
                     {"per_iteration", json_of_counts(one.per_iteration)},
                     {"rows_above_idle_w", json_of(one.rows_w)},
                     {"measured_above_idle_w", json_of(one.measured_w)},
                     {"share", json_of(one.share)},
                     {"detail", text_or_null(one.detail)}});
  }
  return {{"share", json_of(mixing.share)},
          {"share_standard_uncertainty", json_of(mixing.share_u)},
          {"scatter", json_of(mixing.scatter)},
          {"pairs", std::move(pairs)}};
}

Json json_of_reader_errors(const Table& table) {
  Json readers = Json::object();
  for (const instructions::ReaderErrors& one : table.reader_errors) {
    readers[std::string(to_string(one.reader))] = {
        {"stretches", one.count}, {"mape", json_of(one.mape)}, {"rmse_j", json_of(one.rmse_j)}};
  }
  return {{"reference", table.meter ? "meter" : "estimate"},
          {"meter", table.meter ? Json(*table.meter) : Json(nullptr)},
          {"readers", std::move(readers)}};
}

Json json_of_rows(const std::vector<instructions::ComparedRow>& compared) {
  Json rows = Json::array();
  for (const instructions::ComparedRow& row : compared) {
    rows.push_back({{"instruction", row.key.instruction},
                    {"opt", kernels::to_string(row.key.optimization)},
                    {"operands", to_string(row.key.operands)},
                    {"dynamic_j", json_of(row.energy_j)},
                    {"other_dynamic_j", json_of(row.other_j)},
                    {"ratio", json_of(row.ratio)}});
  }
  return rows;
}

Json json_of_published(const PublishedComparison& comparison) {
  Json rows = Json::array();
  for (const PublishedRow& row : comparison.rows) {
    Json values = Json::array();
    for (const PublishedValue& value : row.values) {
      values.push_back({{"gpu", value.gpu},
                        {"reader", text_or_null(value.reader)},
                        {"source", text_or_null(value.source)},
                        {"energy_j", json_of(value.joules)}});
    }
    rows.push_back({{"group", text_or_null(row.group)},
                    {"name", row.name},
                    {"opt", kernels::to_string(row.optimization)},
                    {"above", row.above_spin ? "spin" : "idle"},
                    {"mean_j", json_of(row.ours_j)},
                    {"interval_j", json_of(row.ours_within)},
                    {"published", std::move(values)}});
  }
  return {{"source", text_or_null(comparison.source)},
          {"worth", comparison.worth},
          {"rows", std::move(rows)}};
}

Json json_of_prediction(const instructions::Prediction& prediction) {
  Json parts = Json::array();
  for (const auto& part : prediction.parts) {
    parts.push_back(
        {{"name", part.name}, {"count", part.count}, {"energy_j", json_of(part.energy_j)}});
  }
  return {{"kernel", text_or_null(prediction.of.kernel)},
          {"of", prediction.of.one_thread ? "one_thread" : "counts"},
          {"operands", to_string(prediction.operands)},
          {"energy_j", json_of(prediction.energy_j)},
          {"mixing_j", json_of(prediction.mixing_j)},
          {"covered_share", json_of(prediction.covered)},
          {"parts", std::move(parts)},
          {"missing", json_of_counts(prediction.missing)},
          {"uncounted", prediction.of.uncounted}};
}

}  // namespace

std::string instructions_json(const Table& table, const InstructionsBeside& beside) {
  Json document;
  document["schema"] = "truewatt.instructions/1";
  document["tool_version"] = table.tool_version;
  if (table.start) document["start"] = format_utc(*table.start);
  document["took_s"] = json_of(table.took);
  document["device"] = json_of(table.device);
  document["compute_capability"] = json_of_capability(table.compute_capability);
  document["unit"] = "joules per thread-level instruction";
  document["baselines"] = {{"rung", "context"},
                           {"idle_with_context_w", json_of(table.baselines.idle_w)},
                           {"spin_above_idle_w", json_of(table.baselines.spin_w)},
                           {"spin_clock_hz", json_of(table.baselines.clock_hz)}};
  document["scale"] = {{"relative_half_width", json_of(table.scale)},
                       {"calibrated", table.calibrated}};
  Json rows = Json::array();
  for (const Row& row : table.rows) rows.push_back(json_of_row(row));
  document["rows"] = std::move(rows);
  if (!table.reader_errors.empty()) document["reader_errors"] = json_of_reader_errors(table);
  if (table.mixing) document["mixing"] = json_of_mixing(*table.mixing);
  if (!table.verification.empty()) document["verification"] = json_of_verification(table);
  if (beside.prediction) document["prediction"] = json_of_prediction(*beside.prediction);
  if (beside.compared) {
    document["comparison"] = {{"other", beside.other}, {"rows", json_of_rows(*beside.compared)}};
  }
  if (beside.published) document["published"] = json_of_published(*beside.published);
  document["interrupted"] = table.interrupted;
  document["notes"] = table.notes;
  return document_text(document);
}

std::string comparison_csv(const std::vector<instructions::ComparedRow>& compared,
                           const std::string& separator) {
  std::vector<std::string> head{"instruction", "opt", "operands"};
  for (const char* of : {"dynamic", "other_dynamic"}) {
    for (const char* part : {"j", "lower_j", "upper_j"}) {
      head.push_back(fmt::format("{}_{}", of, part));
    }
  }
  for (const char* name : {"ratio", "ratio_lower", "ratio_upper"}) head.emplace_back(name);
  std::string text = fmt::format("{}\n", fmt::join(head, separator));
  for (const instructions::ComparedRow& row : compared) {
    std::vector<std::string> cells{row.key.instruction,
                                   std::string(kernels::to_string(row.key.optimization)),
                                   std::string(to_string(row.key.operands))};
    for (const Interval& one : {row.energy_j, row.other_j, row.ratio}) append(cells, one);
    text += fmt::format("{}\n", fmt::join(cells, separator));
  }
  return text;
}

std::string prediction_csv(const instructions::Prediction& prediction,
                           const std::string& separator) {
  std::string text = fmt::format(
      "{}\n",
      fmt::join(std::array{"instruction", "count", "energy_j", "lower_j", "upper_j"}, separator));
  const auto add = [&](const std::string& name, const std::string& count,
                       const std::optional<Interval>& joules) {
    std::vector<std::string> cells{name, count};
    append(cells, joules);
    text += fmt::format("{}\n", fmt::join(cells, separator));
  };
  for (const auto& part : prediction.parts) {
    add(part.name, fmt::format("{:.6g}", part.count), part.energy_j);
  }
  for (const auto& [name, count] : prediction.missing) {
    add(name, fmt::format("{:.6g}", count), std::nullopt);
  }
  add("total", "", prediction.energy_j);
  return text;
}

std::string instructions_csv(const Table& table, const std::string& separator) {
  std::vector<std::string> head{"instruction", "group", "opt", "operands"};
  for (const char* energy : {"dynamic", "above_spin", "total"}) {
    for (const char* part : {"j", "lower_j", "upper_j"}) {
      head.push_back(fmt::format("{}_{}", energy, part));
    }
  }
  for (const char* name : {"rate_per_s", "power_w", "clock_hz", "valid", "reasons"}) {
    head.emplace_back(name);
  }
  std::string text = fmt::format("{}\n", fmt::join(head, separator));
  for (const Row& row : table.rows) {
    std::vector<std::string> cells{row.key.instruction, row.group,
                                   std::string(kernels::to_string(row.key.optimization)),
                                   std::string(to_string(row.key.operands))};
    for (const auto& energy : {row.dynamic_j, row.above_spin_j, row.total_j}) {
      append(cells, energy);
    }
    for (const auto& value : {row.rate_per_s, row.power_w, row.clock_hz}) {
      cells.push_back(value ? fmt::format("{:.6g}", *value) : "");
    }
    cells.emplace_back(row.valid ? "true" : "false");
    std::vector<std::string_view> reasons;
    for (const instructions::Reason reason : row.reasons) reasons.push_back(to_string(reason));
    cells.push_back(fmt::format("{}", fmt::join(reasons, " ")));
    text += fmt::format("{}\n", fmt::join(cells, separator));
  }
  return text;
}

}  // namespace truewatt::report
