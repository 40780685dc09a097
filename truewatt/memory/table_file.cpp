#include "truewatt/memory/table_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "truewatt/store/json_fields.hpp"
#include "truewatt/store/text_file.hpp"

namespace truewatt::memory {
namespace {

using Json = nlohmann::json;
using store::array_in;
using store::flag_in;
using store::interval_in;
using store::number_in;
using store::text_in;

std::optional<Level> level_in(const Json& json) {
  for (const Level level : kAllLevels) {
    if (to_string(level) == text_in(json, "level")) return level;
  }
  return std::nullopt;
}

std::optional<LevelRow> level_row(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto level = level_in(json);
  const std::string operation = text_in(json, "operation");
  const std::string data = text_in(json, "data");
  const bool store = operation == "store";
  const bool zeros = data == "zeros";
  if (!level || (!store && operation != "load") || (!zeros && data != "random")) {
    return std::nullopt;
  }
  LevelRow row;
  row.key = {*level, store ? kernels::MemoryOperation::store : kernels::MemoryOperation::load,
             zeros ? kernels::Data::zeros : kernels::Data::random};
  row.sector_j = interval_in(json, "joules_per_sector");
  row.above_idle_j = interval_in(json, "above_idle_j_per_sector");
  if (const auto byte = interval_in(json, "increment_j_per_byte")) {
    row.increment_j = Interval{kSectorBytes * byte->value, kSectorBytes * byte->lower,
                               kSectorBytes * byte->upper};
  }
  row.bytes_per_s = number_in(json, "bytes_per_s");
  row.power_w = number_in(json, "power_w");
  row.clock_hz = number_in(json, "clock_hz");
  row.served = number_in(json, "served_share");
  row.detail = text_in(json, "detail");
  row.far_share = number_in(json, "far_share");
  for (const Json& one : array_in(json, "machine")) {
    const auto count = one.is_object() ? number_in(one, "count") : std::optional<double>();
    if (count) row.machine.push_back({text_in(one, "opcode"), *count});
  }
  for (const Json& one : array_in(json, "reasons")) {
    const auto reason =
        one.is_string() ? parse_reason(one.get<std::string>()) : std::optional<Reason>();
    if (reason) add_reason(row, *reason);
  }
  row.valid = flag_in(json, "valid") && row.sector_j;
  return row;
}

std::optional<SweepPoint> sweep_point(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto level = level_in(json);
  const auto threads = number_in(json, "threads_per_block");
  if (!level || !threads || *threads < 1 || *threads > 1024) return std::nullopt;
  const double share = number_in(json, "multiprocessors_share").value_or(1.0);
  if (!(share > 0 && share <= 1)) return std::nullopt;
  return SweepPoint{*level,
                    {static_cast<unsigned>(*threads), share},
                    interval_in(json, "above_idle_j_per_sector"),
                    interval_in(json, "division_j")};
}

}  // namespace

Result<Table> parse_table(std::string_view text, std::string_view origin) {
  const auto document = store::table_document(text, origin, "truewatt.memory/1", "memory");
  if (!document) return Unexpected(document.error());
  const Json& json = *document;
  Table table;
  table.tool_version = text_in(json, "tool_version");
  table.device = store::device_in(json);
  table.verified_by = text_in(json, "verified_by");
  if (const auto caches = json.find("caches"); caches != json.end() && caches->is_object()) {
    table.caches.l1_bytes = number_in(*caches, "l1_bytes");
    table.caches.l2_bytes = number_in(*caches, "l2_bytes");
    table.caches.sector_bytes = number_in(*caches, "sector_bytes");
    table.caches.line_bytes = number_in(*caches, "line_bytes");
  }
  table.idle_w = interval_in(json, "static_w");
  table.spin_w = interval_in(json, "spin_above_idle_w");
  table.clock_hz = number_in(json, "spin_clock_hz");
  table.loop_j = interval_in(json, "loop_j");
  table.logic_j = interval_in(json, "logic_j");
  if (const auto scale = json.find("scale"); scale != json.end() && scale->is_object()) {
    table.scale = number_in(*scale, "relative_half_width");
    table.calibrated = flag_in(*scale, "calibrated");
  }
  if (const auto scope = json.find("memory_scope"); scope != json.end() && scope->is_object()) {
    const auto l2 = number_in(*scope, "l2_w");
    const auto dram = number_in(*scope, "dram_w");
    const auto rate = number_in(*scope, "bytes_per_s");
    if (l2 && dram && rate && *rate > 0) table.scope = {*l2, *dram, *rate};
  }
  for (const Json& one : array_in(json, "levels")) {
    if (auto row = level_row(one)) table.levels.push_back(std::move(*row));
  }
  for (const Json& one : array_in(json, "sweep")) {
    if (const auto point = sweep_point(one)) table.sweep.push_back(*point);
  }
  return table;
}

Result<Table> read_table(const std::filesystem::path& path) {
  const auto text = store::read_text_file(path);
  if (!text) return Unexpected(text.error());
  return parse_table(*text, path.string());
}

}  // namespace truewatt::memory
