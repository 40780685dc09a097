#include "truewatt/report/memory/memory_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "truewatt/base/format.hpp"
#include "truewatt/report/memory/memory_words.hpp"
#include "truewatt/report/page/json_values.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using memory::LevelRow;
using memory::Table;

/// All SMs walk all of an array: near and far halves of L2 in the same measure.
constexpr std::string_view kPartition = "mean";

Json per_byte(const std::optional<Interval>& sector_j) {
  if (!sector_j) return nullptr;
  return json_of(scaled(*sector_j, 1.0 / memory::kSectorBytes));
}

Json codes_of(const std::vector<memory::Reason>& reasons) {
  Json codes = Json::array();
  for (const memory::Reason reason : reasons) codes.push_back(to_string(reason));
  return codes;
}

Json json_of_machine(const std::vector<machine_code::OpcodeCount>& machine) {
  Json opcodes = Json::array();
  for (const machine_code::OpcodeCount& one : machine) {
    opcodes.push_back({{"opcode", one.opcode}, {"count", json_of(one.count)}});
  }
  return opcodes;
}

Json json_of_level(const LevelRow& row) {
  Json terms = Json::array();
  for (const uncertainty::Term& term : row.budget) {
    terms.push_back({{"term", uncertainty::code_of(term.cause)},
                     {"standard_uncertainty_j", json_of(term.u)},
                     {"type", std::string(1, uncertainty::type_of(term.cause))}});
  }
  return {{"level", to_string(row.key.level)},
          {"partition", kPartition},
          {"operation", kernels::to_string(row.key.operation)},
          {"data", kernels::to_string(row.key.data)},
          {"joules_per_sector", json_of(row.sector_j)},
          {"joules_per_byte", per_byte(row.sector_j)},
          {"increment_j_per_byte", per_byte(row.increment_j)},
          {"above_idle_j_per_sector", json_of(row.above_idle_j)},
          {"bytes_per_s", json_of(row.bytes_per_s)},
          {"multiprocessors_share", json_of(row.share)},
          {"power_w", json_of(row.power_w)},
          {"clock_hz", json_of(row.clock_hz)},
          {"served_share", json_of(row.served)},
          {"far_share", json_of(row.far_share)},
          {"machine", json_of_machine(row.machine)},
          {"budget", std::move(terms)},
          {"valid", row.valid},
          {"reasons", codes_of(row.reasons)},
          {"detail", text_or_null(all_details(row))}};
}

Json json_of_curve(const std::vector<memory::CachePoint>& curve) {
  Json points = Json::array();
  for (const memory::CachePoint& point : curve) {
    points.push_back({{"bytes", json_of(point.bytes)},
                      {"s_per_sector", json_of(point.seconds)},
                      {"misses", json_of(point.misses)}});
  }
  return points;
}

Json json_of_caches(const memory::Caches& caches) {
  return {
      {"l1_bytes", json_of(caches.l1_bytes)},         {"l2_bytes", json_of(caches.l2_bytes)},
      {"sector_bytes", json_of(caches.sector_bytes)}, {"line_bytes", json_of(caches.line_bytes)},
      {"l1_curve", json_of_curve(caches.l1_curve)},   {"l2_curve", json_of_curve(caches.l2_curve)}};
}

Json json_of_sweep(const Table& table) {
  Json sweep = Json::array();
  for (const memory::SweepPoint& point : table.sweep) {
    sweep.push_back({{"level", to_string(point.level)},
                     {"threads_per_block", point.parallel.threads},
                     {"multiprocessors_share", point.parallel.share},
                     {"above_idle_j_per_sector", json_of(point.sector_j)},
                     {"division_j", json_of(point.division_j)}});
  }
  return sweep;
}

Json json_of_fits(const Table& table) {
  Json fits = Json::array();
  for (const memory::ParallelFit& one : table.chain_fits) {
    fits.push_back({{"threads_per_block", one.parallel.threads},
                    {"multiprocessors_share", one.parallel.share},
                    {"runs", one.runs},
                    {"r_squared", json_of(one.r_squared)}});
  }
  return fits;
}

Json json_of_lines(const Table& table) {
  Json lines = Json::array();
  for (const memory::AccessLine& line : table.lines) {
    Json points = Json::array();
    for (const memory::LinePoint& point : line.points) {
      points.push_back({{"sectors", json_of(point.accesses)}, {"joules", json_of(point.joules)}});
    }
    lines.push_back({{"level", "l1"},
                     {"threads_per_block", line.threads},
                     {"joules_per_sector", json_of(line.sector_j)},
                     {"r_squared", json_of(line.r_squared)},
                     {"points", std::move(points)}});
  }
  return lines;
}

Json json_of_products(const Table& table) {
  Json products = Json::array();
  for (const memory::PredictedProduct& one : table.products) {
    Json levels = Json::object();
    for (const memory::Level level : memory::kAllLevels) {
      levels[std::string(to_string(level))] =
          json_of(one.levels_j[static_cast<std::size_t>(level)]);
    }
    products.push_back({{"rows", one.size},
                        {"sectors", one.counted ? "counted" : "computed"},
                        {"measured_j", json_of(one.measured_j)},
                        {"predicted_j", json_of(one.predicted_j)},
                        {"static_j", json_of(one.static_j)},
                        {"computing_j", json_of(one.computing_j)},
                        {"spinning_j", json_of(one.spinning_j)},
                        {"levels_j", std::move(levels)}});
  }
  return products;
}

Json json_of_scope(const std::optional<memory::MemoryScope>& scope) {
  if (!scope) return nullptr;
  return {{"l2_w", json_of(scope->l2_w)},
          {"dram_w", json_of(scope->dram_w)},
          {"bytes_per_s", json_of(scope->bytes_per_s)},
          {"joules_per_byte", json_of(scope->joules_per_byte())}};
}

Json json_of_residuals(const Table& table) {
  Json residuals = Json::array();
  for (const memory::Residual& one : table.residuals) {
    residuals.push_back({{"kernel", one.kernel},
                         {"measured_j", json_of(one.measured_j)},
                         {"fitted_j", json_of(one.fitted_j)}});
  }
  return residuals;
}

/// Reasons of any row, once each.
Json reasons_of(const Table& table) {
  std::vector<memory::Reason> all;
  for (const LevelRow& row : table.levels) {
    for (const memory::Reason reason : row.reasons) {
      if (std::find(all.begin(), all.end(), reason) == all.end()) all.push_back(reason);
    }
  }
  return codes_of(all);
}

/// Of `memory --caches`, which measures no energy.
std::string caches_csv(const memory::Caches& caches, const std::string& separator) {
  const std::pair<const char*, std::optional<double>> sizes[] = {{"l1", caches.l1_bytes},
                                                                 {"l2", caches.l2_bytes},
                                                                 {"sector", caches.sector_bytes},
                                                                 {"line", caches.line_bytes}};
  std::string text = fmt::format("what{}bytes\n", separator);
  for (const auto& [what, bytes] : sizes) {
    text += fmt::format("{}{}{}\n", what, separator, bytes ? fmt::format("{:.0f}", *bytes) : "");
  }
  return text;
}

}  // namespace

std::string memory_json(const Table& table) {
  Json document;
  document["schema"] = "truewatt.memory/1";
  document["tool_version"] = table.tool_version;
  if (table.start) document["start"] = format_utc(*table.start);
  document["took_s"] = json_of(table.took);
  document["device"] = json_of(table.device);
  document["compute_capability"] = json_of_capability(table.compute_capability);
  document["verified_by"] = table.verified_by;
  document["caches"] = json_of_caches(table.caches);
  document["static_w"] = json_of(table.idle_w);
  document["rung"] = "context";
  document["spin_above_idle_w"] = json_of(table.spin_w);
  document["spin_clock_hz"] = json_of(table.clock_hz);
  Json levels = Json::array();
  for (const LevelRow& row : table.levels) levels.push_back(json_of_level(row));
  document["levels"] = std::move(levels);
  document["loop_j"] = json_of(table.loop_j);
  document["logic_j"] = json_of(table.logic_j);
  document["r_squared"] = json_of(table.r_squared);
  document["residuals"] = json_of_residuals(table);
  document["sweep"] = json_of_sweep(table);
  document["r_squared_by_threads"] = json_of_fits(table);
  document["lines"] = json_of_lines(table);
  document["products"] = json_of_products(table);
  document["memory_scope"] = json_of_scope(table.scope);
  document["scale"] = {{"relative_half_width", json_of(table.scale)},
                       {"calibrated", table.calibrated}};
  document["reasons"] = reasons_of(table);
  document["interrupted"] = table.interrupted;
  document["notes"] = table.notes;
  return document_text(document);
}

std::string memory_csv(const Table& table, const std::string& separator) {
  if (table.levels.empty()) return caches_csv(table.caches, separator);
  const std::vector<std::string> head{"level",   "operation", "data",        "sector_j",
                                      "lower_j", "upper_j",   "increment_j", "bytes_per_s",
                                      "power_w", "clock_hz",  "valid",       "reasons"};
  std::string text = fmt::format("{}\n", fmt::join(head, separator));
  for (const LevelRow& row : table.levels) {
    std::vector<std::string> cells{std::string(to_string(row.key.level)),
                                   std::string(kernels::to_string(row.key.operation)),
                                   std::string(kernels::to_string(row.key.data))};
    const auto number = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.6g}", *value) : std::string();
    };
    cells.push_back(row.sector_j ? number(row.sector_j->value) : "");
    cells.push_back(row.sector_j ? number(row.sector_j->lower) : "");
    cells.push_back(row.sector_j ? number(row.sector_j->upper) : "");
    cells.push_back(row.increment_j ? number(row.increment_j->value) : "");
    for (const auto& value : {row.bytes_per_s, row.power_w, row.clock_hz}) {
      cells.push_back(number(value));
    }
    cells.emplace_back(row.valid ? "true" : "false");
    std::vector<std::string_view> reasons;
    for (const memory::Reason reason : row.reasons) reasons.push_back(to_string(reason));
    cells.push_back(fmt::format("{}", fmt::join(reasons, " ")));
    text += fmt::format("{}\n", fmt::join(cells, separator));
  }
  return text;
}

}  // namespace truewatt::report
