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
  row.share = number_in(json, "multiprocessors_share");
  row.clock_hz = number_in(json, "clock_hz");
  row.served = number_in(json, "served_share");
  row.detail = text_in(json, "detail");
  row.far_share = number_in(json, "far_share");
  for (const Json& one : array_in(json, "machine")) {
    const auto count = one.is_object() ? number_in(one, "count") : std::optional<double>();
    if (count) row.machine.push_back({text_in(one, "opcode"), *count});
  }
  for (const std::string& code : store::texts_in(json, "reasons")) {
    if (const auto reason = parse_reason(code)) add_reason(row, *reason);
  }
  row.budget = store::budget_in(json, "budget");
  row.valid = flag_in(json, "valid") && row.sector_j;
  if (row.valid != flag_in(json, "valid")) return std::nullopt;
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

std::optional<ParallelFit> parallel_fit(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const int threads = store::whole_in(json, "threads_per_block");
  const double share = number_in(json, "multiprocessors_share").value_or(1.0);
  const int runs = store::whole_in(json, "runs");
  const auto r_squared = number_in(json, "r_squared");
  if (threads < 1 || threads > 1024 || !(share > 0 && share <= 1) || runs < 1 || !r_squared) {
    return std::nullopt;
  }
  return ParallelFit{
      {static_cast<unsigned>(threads), share}, static_cast<std::size_t>(runs), *r_squared};
}

std::vector<CachePoint> curve_in(const Json& caches, const char* key) {
  std::vector<CachePoint> curve;
  for (const Json& one : array_in(caches, key)) {
    const auto bytes = one.is_object() ? number_in(one, "bytes") : std::nullopt;
    const auto seconds = bytes ? number_in(one, "s_per_sector") : std::nullopt;
    if (seconds && *bytes > 0) curve.push_back({*bytes, *seconds, number_in(one, "misses")});
  }
  return curve;
}

/// A size in bytes; nothing where it is none.
std::optional<double> size_in(const Json& json, const char* key) {
  const auto size = number_in(json, key);
  return size && *size > 0 ? size : std::nullopt;
}

Caches caches_in(const Json& json) {
  const auto caches = json.find("caches");
  if (caches == json.end() || !caches->is_object()) return {};
  return {.l1_bytes = size_in(*caches, "l1_bytes"),
          .l2_bytes = size_in(*caches, "l2_bytes"),
          .sector_bytes = size_in(*caches, "sector_bytes"),
          .line_bytes = size_in(*caches, "line_bytes"),
          .l1_curve = curve_in(*caches, "l1_curve"),
          .l2_curve = curve_in(*caches, "l2_curve")};
}

std::optional<AccessLine> access_line(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const int threads = store::whole_in(json, "threads_per_block");
  const auto sector = number_in(json, "joules_per_sector");
  if (threads < 1 || !sector) return std::nullopt;
  AccessLine line{.threads = static_cast<unsigned>(threads),
                  .sector_j = *sector,
                  .r_squared = number_in(json, "r_squared").value_or(0.0)};
  for (const Json& one : array_in(json, "points")) {
    const auto sectors = one.is_object() ? number_in(one, "sectors") : std::nullopt;
    const auto joules = sectors ? number_in(one, "joules") : std::nullopt;
    if (joules) line.points.push_back({*sectors, *joules});
  }
  if (line.points.empty()) return std::nullopt;
  return line;
}

std::optional<PredictedProduct> product(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const int rows = store::whole_in(json, "rows");
  const auto predicted = interval_in(json, "predicted_j");
  const auto measured = interval_in(json, "measured_j");
  if (rows < 1 || !predicted || !measured) return std::nullopt;
  PredictedProduct one{.size = static_cast<unsigned>(rows),
                       .counted = text_in(json, "sectors") != "computed",
                       .predicted_j = *predicted,
                       .measured_j = *measured,
                       .static_j = number_in(json, "static_j").value_or(0.0),
                       .computing_j = number_in(json, "computing_j").value_or(0.0),
                       .spinning_j = number_in(json, "spinning_j").value_or(0.0)};
  const auto levels = json.find("levels_j");
  if (levels == json.end() || !levels->is_object()) return one;
  for (const Level level : kAllLevels) {
    one.levels_j[static_cast<std::size_t>(level)] =
        number_in(*levels, std::string(to_string(level)).c_str()).value_or(0.0);
  }
  return one;
}

std::optional<Residual> residual(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto measured = number_in(json, "measured_j");
  const auto fitted = number_in(json, "fitted_j");
  if (!measured || !fitted) return std::nullopt;
  return Residual{text_in(json, "kernel"), *measured, *fitted};
}

/// Those of the array that say what one needs; of the others a note.
template <typename One>
std::vector<One> all_in(const Json& json, const char* key, std::optional<One> (*read)(const Json&),
                        std::vector<std::string>& notes) {
  std::vector<One> all;
  const Json& array = array_in(json, key);
  for (const Json& one : array) {
    if (auto found = read(one)) all.push_back(std::move(*found));
  }
  if (array.size() > all.size()) notes.push_back(store::left_out(array.size() - all.size(), key));
  return all;
}

}  // namespace

Result<Table> parse_table(std::string_view text, std::string_view origin) {
  const auto document = store::table_document(text, origin, "truewatt.memory/1", "memory");
  if (!document) return Unexpected(document.error());
  const Json& json = *document;
  Table table;
  table.tool_version = text_in(json, "tool_version");
  table.device = store::device_in(json);
  table.compute_capability = store::capability_in(json);
  table.start = store::start_in(json);
  table.took = Seconds(number_in(json, "took_s").value_or(0.0));
  table.verified_by = text_in(json, "verified_by");
  table.caches = caches_in(json);
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
  table.r_squared = number_in(json, "r_squared");
  table.interrupted = flag_in(json, "interrupted");
  table.notes = store::texts_in(json, "notes");
  if (!json.contains("levels") || !json["levels"].is_array()) {
    return Unexpected(Errc::parse, fmt::format("{} has no `levels`: the file is damaged; `truewatt "
                                               "memory --json FILE` writes it",
                                               origin));
  }
  table.levels = all_in(json, "levels", level_row, table.notes);
  table.sweep = all_in(json, "sweep", sweep_point, table.notes);
  table.chain_fits = all_in(json, "r_squared_by_threads", parallel_fit, table.notes);
  table.lines = all_in(json, "lines", access_line, table.notes);
  table.products = all_in(json, "products", product, table.notes);
  table.residuals = all_in(json, "residuals", residual, table.notes);
  return table;
}

Result<Table> read_table(const std::filesystem::path& path) {
  const auto text = store::read_text_file(path);
  if (!text) return Unexpected(text.error());
  return parse_table(*text, path.string());
}

}  // namespace truewatt::memory
