#include "truewatt/store/run_file_schema.hpp"

#include <fmt/format.h>

namespace truewatt::store {
namespace {

// Times are nanoseconds: CLOCK_MONOTONIC, but for stamp_ns and realtime_ns, which are
// CLOCK_REALTIME. The view `samples` shows the rows of `sample_rows` with the names of their
// sources; a row of `sample_rows` is kept small because there are many. Files written before the
// columns call_ns and power_limit_w or the tables estimate_sources, estimate_readers and
// estimate_gain (standard uncertainty of gain and offset) have none. Columns of real numbers have
// no type on purpose: the type REAL would turn -0.0 into 0.0.
constexpr const char* kSchema = R"sql(
CREATE TABLE metadata(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run(finished INTEGER NOT NULL);
INSERT INTO run VALUES(0);

CREATE TABLE devices(
  device INTEGER PRIMARY KEY, driver_index INTEGER NOT NULL, name TEXT NOT NULL,
  uuid TEXT NOT NULL, pci TEXT NOT NULL, driver TEXT NOT NULL, power_limit_w);
CREATE TABLE sources(
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices, source TEXT NOT NULL,
  begin_ns INTEGER, end_ns INTEGER, polls INTEGER, UNIQUE(device, source));
CREATE TABLE sample_rows(
  source INTEGER NOT NULL REFERENCES sources, t_before_ns INTEGER NOT NULL,
  t_ns INTEGER NOT NULL, stamp_ns INTEGER, value, call_ns INTEGER);
CREATE VIEW samples AS
  SELECT sources.device, sources.source, t_before_ns, t_ns, stamp_ns, value, call_ns
  FROM sample_rows JOIN sources ON sources.id = sample_rows.source;
CREATE TABLE gaps(
  source INTEGER NOT NULL REFERENCES sources, begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, cause TEXT NOT NULL);

CREATE TABLE health(
  device INTEGER NOT NULL REFERENCES devices, t_ns INTEGER NOT NULL, utilization_percent,
  p_state INTEGER, temperature_c, sm_clock_mhz, memory_clock_mhz,
  memory_used_bytes INTEGER, clocks_event_reasons INTEGER);
CREATE TABLE windows(
  device INTEGER NOT NULL REFERENCES devices, begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, label TEXT NOT NULL);
CREATE TABLE activity(
  device INTEGER NOT NULL REFERENCES devices, begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, level TEXT NOT NULL);
CREATE TABLE clock_pairs(
  device INTEGER NOT NULL REFERENCES devices, monotonic_ns INTEGER NOT NULL,
  realtime_ns INTEGER NOT NULL, width_ns INTEGER NOT NULL);
CREATE TABLE events(
  device INTEGER NOT NULL REFERENCES devices, t_ns INTEGER NOT NULL, code TEXT NOT NULL,
  message TEXT NOT NULL);
CREATE TABLE truth_curve(
  device INTEGER NOT NULL REFERENCES devices, t_ns INTEGER NOT NULL, power_w);

CREATE TABLE estimates(
  id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices, window_s,
  energy_j, energy_lower_j, energy_upper_j, energy_level,
  energy_standard_uncertainty_j,
  net_energy_j, net_energy_lower_j, net_energy_upper_j, net_energy_level,
  net_energy_standard_uncertainty_j,
  mean_power_w, baseline_w, source TEXT, method TEXT NOT NULL, observed_fraction,
  truth_j, valid INTEGER NOT NULL, resolved INTEGER NOT NULL, needs_s);
CREATE TABLE estimate_budget(
  estimate INTEGER NOT NULL REFERENCES estimates, term TEXT NOT NULL, standard_uncertainty_j,
  type TEXT NOT NULL);
CREATE TABLE estimate_naive(
  estimate INTEGER NOT NULL REFERENCES estimates, source TEXT NOT NULL, naive_j);
CREATE TABLE estimate_sources(
  estimate INTEGER NOT NULL REFERENCES estimates, source TEXT NOT NULL);
CREATE TABLE estimate_readers(
  estimate INTEGER NOT NULL REFERENCES estimates, reader TEXT NOT NULL, source TEXT, energy_j,
  over_s);
CREATE TABLE estimate_gain(
  estimate INTEGER NOT NULL REFERENCES estimates, energy_gain_j, net_energy_gain_j);
CREATE TABLE estimate_scale(
  estimate INTEGER NOT NULL REFERENCES estimates, gain, offset_w, correlation);
CREATE TABLE estimate_baseline(
  estimate INTEGER NOT NULL REFERENCES estimates, kind TEXT NOT NULL, rung TEXT);
CREATE TABLE estimate_reasons(
  estimate INTEGER NOT NULL REFERENCES estimates, reason TEXT NOT NULL);
)sql";

}  // namespace

Result<std::string> empty_run_file() {
  auto database = Database::open({}, Database::Mode::memory);
  if (!database) return Unexpected(database.error());
  const std::string sql = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};{}",
                                      kRunFileId, kRunFileVersion, kSchema);
  if (const auto made = database->execute(sql); !made) return Unexpected(made.error());
  auto bytes = database->serialize();
  // In WAL mode from its first byte (SQLite's file format, "1.3.3. File format version numbers"):
  // entering it later takes a journal, which a kill would leave behind.
  if (bytes) (*bytes)[18] = (*bytes)[19] = 2;
  return bytes;
}

/// Reading tables ends with the file; a view, a trigger, a virtual table or a computed column could
/// keep its reader busy for ever.
static Result<void> check_plain(Database& database, const std::filesystem::path& path) {
  const auto others = database.query_text(
      "SELECT name FROM sqlite_schema WHERE NOT (type = 'table' AND sql LIKE 'CREATE TABLE%' AND "
      "sql NOT LIKE '%GENERATED%' AND sql NOT LIKE '% AS (%') AND NOT (type = 'index' AND sql IS "
      "NULL) AND NOT (type = 'view' AND name = 'samples') LIMIT 1");
  if (!others) return Unexpected(others.error());
  if (others->empty()) return {};
  return Unexpected(Errc::parse, fmt::format("{} is damaged or forged: `{}` in it is not a plain "
                                             "table, which no truewatt writes",
                                             path.string(), *others));
}

Result<void> check_run_file(Database& database, const std::filesystem::path& path) {
  const auto id = database.query_integer("PRAGMA application_id");
  if (!id && id.error().code == Errc::parse) {
    return Unexpected(Errc::parse,
                      fmt::format("{} is not a truewatt run file, which --out of measure and run "
                                  "writes (of a log: truewatt analyze LOG --report FILE)",
                                  path.string()));
  }
  if (!id) return Unexpected(id.error());
  if (*id != kRunFileId) {
    return Unexpected(Errc::parse,
                      fmt::format("{} is an SQLite database but not a truewatt run file "
                                  "(application_id is {})",
                                  path.string(), *id));
  }
  const auto version = database.query_integer("PRAGMA user_version");
  if (!version) return Unexpected(version.error());
  if (*version != kRunFileVersion) {
    return Unexpected(
        Errc::unsupported,
        fmt::format("{} has run file version {}, this truewatt reads version {}: update truewatt",
                    path.string(), *version, kRunFileVersion));
  }
  return check_plain(database, path);
}

}  // namespace truewatt::store
