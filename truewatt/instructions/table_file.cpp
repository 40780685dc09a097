#include "truewatt/instructions/table_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "truewatt/base/parse.hpp"
#include "truewatt/store/json_fields.hpp"
#include "truewatt/store/text_file.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::instructions {
namespace {

using Json = nlohmann::json;

using store::interval_in;
using store::number_in;
using store::text_in;

std::optional<OneThreadRow> one_thread_of(const Json& row) {
  const auto found = row.find("arafa_protocol");
  if (found == row.end() || !found->is_object()) return std::nullopt;
  const auto energy = interval_in(*found, "energy_j");
  const auto idle = number_in(*found, "idle_power_times_time_j");
  const auto instruction = number_in(*found, "instruction_s");
  const auto kernel = number_in(*found, "kernel_s");
  if (!energy || !idle || !instruction || !kernel) return std::nullopt;
  return OneThreadRow{*energy, *idle, Seconds(*instruction), Seconds(*kernel)};
}

std::vector<std::pair<std::string, double>> counts_of(const Json& json) {
  std::vector<std::pair<std::string, double>> counts;
  for (const Json& one : store::array_in(json, "per_iteration")) {
    const auto count = one.is_object() ? number_in(one, "count") : std::nullopt;
    if (count) counts.emplace_back(text_in(one, "name"), *count);
  }
  return counts;
}

std::optional<Mixing> mixing_in(const Json& document) {
  const auto found = document.find("mixing");
  if (found == document.end() || !found->is_object()) return std::nullopt;
  const auto share = number_in(*found, "share");
  const auto share_u = number_in(*found, "share_standard_uncertainty");
  const auto scatter = number_in(*found, "scatter");
  if (!share || !share_u || !scatter || *share_u < 0 || *scatter < 0) return std::nullopt;
  Mixing mixing{.share = *share, .share_u = *share_u, .scatter = *scatter};
  for (const Json& one : store::array_in(*found, "pairs")) {
    if (!one.is_object()) continue;
    mixing.pairs.push_back({.name = text_in(one, "kernel"),
                            .per_iteration = counts_of(one),
                            .rows_w = interval_in(one, "rows_above_idle_w"),
                            .measured_w = interval_in(one, "measured_above_idle_w"),
                            .share = number_in(one, "share"),
                            .detail = text_in(one, "detail")});
  }
  return mixing;
}

VerifiedKernel verified_of(const Json& json) {
  return {.name = text_in(json, "kernel"),
          .per_iteration = counts_of(json),
          .allowed = number_in(json, "allowed").value_or(0.0),
          .predicted_w = interval_in(json, "predicted_above_idle_w"),
          .measured_w = interval_in(json, "measured_above_idle_w"),
          .off = number_in(json, "off"),
          .detail = text_in(json, "detail")};
}

/// The errors of one reader; nothing where they are none.
std::optional<ReaderErrors> errors_of(const std::string& name, const Json& json) {
  constexpr double kMost = 1e9;
  const auto reader = energy::parse_reader(name);
  if (!reader || !json.is_object()) return std::nullopt;
  const auto mape = number_in(json, "mape");
  const auto rmse = number_in(json, "rmse_j");
  const double count = number_in(json, "stretches").value_or(0.0);
  if (!mape || !rmse || count < 1 || count > kMost) return std::nullopt;
  return ReaderErrors{*reader, static_cast<int>(count), *mape, *rmse};
}

/// What was measured beside the rows.
void read_further(const Json& json, Table& table) {
  table.mixing = mixing_in(json);
  for (const Json& one : store::array_in(json, "verification")) {
    if (one.is_object()) table.verification.push_back(verified_of(one));
  }
  const auto errors = json.find("reader_errors");
  if (errors == json.end() || !errors->is_object()) return;
  if (const std::string meter = text_in(*errors, "meter"); !meter.empty()) table.meter = meter;
  const auto readers = errors->find("readers");
  if (readers == errors->end() || !readers->is_object()) return;
  for (const auto& [name, one] : readers->items()) {
    if (const auto found = errors_of(name, one)) table.reader_errors.push_back(*found);
  }
}

std::vector<RowPoint> points_of(const Json& row) {
  std::vector<RowPoint> points;
  for (const Json& one : store::array_in(row, "points")) {
    const auto power = one.is_object() ? number_in(one, "power_w") : std::nullopt;
    const auto rate = power ? number_in(one, "iterations_per_s") : std::nullopt;
    if (!rate || *rate <= 0) continue;
    points.push_back({.copies = static_cast<unsigned>(std::max(store::whole_in(one, "copies"), 0)),
                      .begin_s = number_in(one, "begin_s").value_or(0.0),
                      .iterations_per_s = *rate,
                      .power_w = *power,
                      .idle_w = number_in(one, "idle_w").value_or(0.0),
                      .recent_w = number_in(one, "recent_w").value_or(0.0),
                      .clock_hz = number_in(one, "clock_hz"),
                      .recording = store::whole_in(one, "recording")});
  }
  return points;
}

std::vector<ReaderRow> readers_of(const Json& row) {
  std::vector<ReaderRow> rows;
  const auto readers = row.find("readers");
  if (readers == row.end() || !readers->is_object()) return rows;
  for (const auto& [name, one] : readers->items()) {
    const auto reader = energy::parse_reader(name);
    const auto energy = one.is_object() ? number_in(one, "dynamic_j") : std::nullopt;
    if (reader && energy) rows.push_back({*reader, *energy});
  }
  return rows;
}

std::optional<Row> row_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto operands = kernels::find_operands(text_in(json, "operands"));
  const std::string opt = text_in(json, "opt");
  if (!operands || (opt != "O0" && opt != "O3")) return std::nullopt;
  Row row;
  row.key = {text_in(json, "instruction"),
             opt == "O0" ? kernels::Optimization::O0 : kernels::Optimization::O3, *operands};
  row.group = text_in(json, "group");
  row.paper = text_in(json, "paper_row");
  row.partner = text_in(json, "less_partner");
  if (const auto* known = kernels::find_instruction(row.key.instruction)) {
    row.fma_per_warp = known->fma_per_warp;
  }
  row.dynamic_j = interval_in(json, "dynamic_j");
  row.above_spin_j = interval_in(json, "above_spin_j");
  row.total_j = interval_in(json, "total_j");
  row.dynamic_budget = store::budget_in(json, "dynamic_budget");
  row.budget = store::budget_in(json, "above_spin_budget");
  row.one_thread = one_thread_of(json);
  row.points = points_of(json);
  row.readers = readers_of(json);
  row.strays = static_cast<std::size_t>(std::max(store::whole_in(json, "strays"), 0));
  row.rate_per_s = number_in(json, "rate_per_s");
  row.power_w = number_in(json, "power_w");
  row.clock_hz = number_in(json, "clock_hz");
  row.share = number_in(json, "share_of_sms").value_or(1.0);
  row.valid = store::flag_in(json, "valid") && row.dynamic_j;
  if (row.key.instruction.empty() || row.valid != store::flag_in(json, "valid"))
    return std::nullopt;
  row.detail = text_in(json, "detail");
  for (const Json& one : store::array_in(json, "machine")) {
    const auto count = one.is_object() ? number_in(one, "per_instruction") : std::nullopt;
    if (count) row.machine.push_back({text_in(one, "opcode"), *count});
  }
  for (const std::string& code : store::texts_in(json, "reasons")) {
    if (const auto reason = parse_reason(code)) add_reason(row, *reason);
  }
  return row;
}

/// Adds a note that names some of them, unless the file's own notes say so.
void note_unknown(const std::set<std::string>& names, std::string_view what, Table& table) {
  constexpr std::size_t kNamed = 4;
  if (names.empty()) return;
  std::vector<std::string> some(names.begin(), names.end());
  some.resize(std::min(some.size(), kNamed));
  if (names.size() > kNamed) some.push_back(fmt::format("{} more", names.size() - kNamed));
  std::string note =
      fmt::format("{}: {}; a later version may have written the file", what, fmt::join(some, ", "));
  const bool is_said = std::find(table.notes.begin(), table.notes.end(), note) != table.notes.end();
  if (!is_said) table.notes.push_back(std::move(note));
}

/// The rows, each key once, and notes of what is not as it should be.
void read_rows(const Json& rows, Table& table) {
  std::set<std::string> seen;
  std::set<std::string> instructions;
  std::set<std::string> reasons;
  std::size_t twice = 0;
  for (const Json& one : rows) {
    auto row = row_of(one);
    if (!row) continue;
    const RowKey& key = row->key;
    const bool is_new =
        seen.insert(fmt::format("{} {} {}", key.instruction, to_string(key.operands),
                                kernels::to_string(key.optimization)))
            .second;
    if (!is_new) {
      ++twice;
      continue;
    }
    if (kernels::find_instruction(key.instruction) == nullptr) instructions.insert(key.instruction);
    for (const std::string& code : store::texts_in(one, "reasons")) {
      if (!parse_reason(code)) reasons.insert(code);
    }
    table.rows.push_back(std::move(*row));
  }
  if (const std::size_t lost = rows.size() - table.rows.size() - twice; lost > 0) {
    table.notes.push_back(store::left_out(lost, "rows"));
  }
  if (twice > 0) {
    table.notes.push_back(fmt::format(
        "{} of the file's `rows` repeat others and are left out: of one instruction, opt and "
        "operands the first counts",
        twice));
  }
  note_unknown(instructions, "instructions that this version does not know", table);
  note_unknown(reasons, "reasons that this version does not know are left out", table);
}

/// What stands behind the last comma is a word: "nan" and "inf" are numbers that are no counts.
bool looks_like_header(std::string_view line) {
  const std::size_t comma = line.rfind(',');
  if (comma == std::string_view::npos) return false;
  const std::string_view field = trace::trim(line.substr(comma + 1));
  return field.find_first_of("0123456789;") == std::string_view::npos && field.size() > 3;
}

/// NAME,COUNT.
Result<std::pair<std::string, double>> counted_in(std::string_view line) {
  constexpr double kMost = 1e24;  // a GPU executes fewer in a hundred years
  const std::size_t comma = std::min(line.rfind(','), line.size());
  const std::string_view name = trace::trim(line.substr(0, comma));
  const std::string_view number = trace::trim(line.substr(std::min(comma + 1, line.size())));
  const double count = parse_number(number).value_or(-1.0);
  if (count < 0 || name.empty()) {
    return Unexpected(Errc::parse, "expected NAME,COUNT, as in FFMA,1e9");
  }
  if (count > kMost) {
    return Unexpected(Errc::parse,
                      fmt::format("{} is more than a program executes; expected NAME,COUNT of at "
                                  "most {:g}",
                                  number, kMost));
  }
  return std::pair(std::string(name), count);
}

}  // namespace

Result<Table> parse_table(std::string_view text, std::string_view origin) {
  const auto document =
      store::table_document(text, origin, "truewatt.instructions/1", "instructions");
  if (!document) return Unexpected(document.error());
  const Json& json = *document;
  Table table;
  table.tool_version = text_in(json, "tool_version");
  table.device = store::device_in(json);
  table.compute_capability = store::capability_in(json);
  table.start = store::start_in(json);
  table.interrupted = store::flag_in(json, "interrupted");
  table.notes = store::texts_in(json, "notes");
  if (const auto on = json.find("baselines"); on != json.end() && on->is_object()) {
    table.baselines = {interval_in(*on, "idle_with_context_w"),
                       interval_in(*on, "spin_above_idle_w"), number_in(*on, "spin_clock_hz")};
  }
  if (const auto scale = json.find("scale"); scale != json.end() && scale->is_object()) {
    table.scale = number_in(*scale, "relative_half_width");
    table.calibrated = store::flag_in(*scale, "calibrated");
  }
  read_further(json, table);
  table.took = Seconds(number_in(json, "took_s").value_or(0.0));
  const auto rows = json.find("rows");
  if (rows == json.end() || !rows->is_array()) {
    return Unexpected(Errc::parse, fmt::format("{} has no `rows`: the file is damaged; `truewatt "
                                               "instructions --json FILE` writes it",
                                               origin));
  }
  read_rows(*rows, table);
  return table;
}

Result<Table> read_table(const std::filesystem::path& path) {
  const auto text = store::read_text_file(path);
  if (!text) return Unexpected(text.error());
  return parse_table(*text, path.string());
}

Result<std::vector<std::pair<std::string, double>>> read_counts(const std::filesystem::path& path) {
  const auto text = store::read_text_file(path);
  if (!text) return Unexpected(text.error());
  std::vector<std::pair<std::string, double>> counts;
  bool may_be_header = true;
  std::size_t number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++number;
    const std::size_t end = rest.find('\n');
    const std::string_view line = trace::trim(rest.substr(0, end));
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    const bool is_header = may_be_header && looks_like_header(line);
    may_be_header = false;
    if (is_header) continue;
    auto counted = counted_in(line);
    if (!counted) {
      return Unexpected(Errc::parse,
                        fmt::format("{}:{}: {}", path.string(), number, counted.error().message));
    }
    counts.push_back(*std::move(counted));
  }
  const bool executed =
      std::any_of(counts.begin(), counts.end(), [](const auto& one) { return one.second > 0; });
  if (!executed) {
    return Unexpected(Errc::parse, fmt::format("{} holds no counts{}; expected lines NAME,COUNT, "
                                               "as in FFMA,1e9",
                                               path.string(), counts.empty() ? "" : " above 0"));
  }
  return counts;
}

}  // namespace truewatt::instructions
