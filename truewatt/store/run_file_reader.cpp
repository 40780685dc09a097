#include <fmt/format.h>

#include <limits>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "truewatt/store/estimate_rows.hpp"
#include "truewatt/store/run_file.hpp"
#include "truewatt/store/run_file_schema.hpp"
#include "truewatt/store/sqlite.hpp"

namespace truewatt::store {
namespace {

template <class Time>
Time time_at(const Statement& row, int column) {
  return Time(Nanoseconds(row.integer(column)));
}

HostTime host_time(const Statement& row, int column) { return time_at<HostTime>(row, column); }

template <class Integer>
std::optional<Integer> optional_integer(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return static_cast<Integer>(row.integer(column));
}

/// Fills a RunFile from an open database, one table after the other.
class Reader {
 public:
  Reader(Database& database, const std::filesystem::path& path)
      : database_(database), path_(path) {}
  Result<RunFile> read();

 private:
  /// Where the rows of one source go.
  struct Place {
    std::size_t device = 0;
    std::size_t trace = 0;
    bool polls_known = false;
  };

  Result<void> read_metadata();
  Result<bool> has_column(std::string_view table, std::string_view column);
  Result<void> read_devices();
  Result<void> read_sources();
  Result<void> make_room();
  Result<void> read_samples();
  Result<void> read_gaps();
  Result<void> read_spans();
  Result<void> read_states();
  Result<void> read_curves();
  Result<void> add_estimates();
  void derive_missing_polls();

  /// The run of the device that a row names in its first column.
  Result<DeviceRun*> run_of(std::int64_t device);
  /// The trace of the source with this id, or null.
  Trace* trace_of(std::int64_t source);
  Unexpected damaged(std::string_view what, std::int64_t id) const;
  /// Calls `add(recording, row)` for every row of a table whose first column is the device.
  template <class Add>
  Result<void> each_recording(std::string_view sql, Add&& add);

  Database& database_;
  const std::filesystem::path& path_;
  RunFile file_;
  std::unordered_map<std::int64_t, std::size_t> devices_;  // id -> index
  std::unordered_map<std::int64_t, Place> places_;         // source id -> trace
};

Unexpected Reader::damaged(std::string_view what, std::int64_t id) const {
  return {Errc::parse,
          fmt::format("{} is damaged: it has rows of {} {}, which it does not describe",
                      path_.string(), what, id)};
}

Result<DeviceRun*> Reader::run_of(std::int64_t device) {
  const auto found = devices_.find(device);
  if (found == devices_.end()) return damaged("device", device);
  return &file_.devices[found->second];
}

Trace* Reader::trace_of(std::int64_t source) {
  const auto found = places_.find(source);
  if (found == places_.end()) return nullptr;
  const Place& place = found->second;
  return &file_.devices[place.device].recording.traces[place.trace];
}

template <class Add>
Result<void> Reader::each_recording(std::string_view sql, Add&& add) {
  return database_.each(sql, [&](const Statement& row) -> Result<void> {
    const auto run = run_of(row.integer(0));
    if (!run) return Unexpected(run.error());
    add((*run)->recording, row);
    return {};
  });
}

Result<void> Reader::read_metadata() {
  const auto finished = database_.query_integer("SELECT finished FROM run");
  if (!finished) return Unexpected(finished.error());
  file_.finished = *finished != 0;
  return database_.each("SELECT key, value FROM metadata",
                        [&](const Statement& row) -> Result<void> {
                          file_.metadata[std::string(row.text(0))] = row.text(1);
                          return {};
                        });
}

/// Whether the file is of a time that had it.
Result<bool> Reader::has_column(std::string_view table, std::string_view column) {
  const auto count = database_.query_integer(
      fmt::format("SELECT count(*) FROM pragma_table_info('{}') WHERE name = '{}'", table, column));
  if (!count) return Unexpected(count.error());
  return *count > 0;
}

Result<void> Reader::read_devices() {
  const auto has_limit = has_column("devices", "power_limit_w");
  if (!has_limit) return Unexpected(has_limit.error());
  return database_.each(
      fmt::format("SELECT device, driver_index, name, uuid, pci, driver, {} FROM devices "
                  "ORDER BY device",
                  *has_limit ? "power_limit_w" : "NULL"),
      [&](const Statement& row) -> Result<void> {
        devices_[row.integer(0)] = file_.devices.size();
        Recording& recording = file_.devices.emplace_back().recording;
        recording.device = {static_cast<int>(row.integer(1)), std::string(row.text(2)),
                            std::string(row.text(3)), std::string(row.text(4)),
                            std::string(row.text(5))};
        if (!row.is_null(6)) recording.device.power_limit = Watts(row.real(6));
        return {};
      });
}

Result<void> Reader::read_sources() {
  return database_.each(
      "SELECT device, id, source, begin_ns, end_ns, polls FROM sources ORDER BY id",
      [&](const Statement& row) -> Result<void> {
        const auto run = run_of(row.integer(0));
        if (!run) return Unexpected(run.error());
        const auto source = parse_source(row.text(2));
        if (!source) {
          return Unexpected(Errc::parse,
                            fmt::format("{} has a source `{}`, which this truewatt does not know",
                                        path_.string(), row.text(2)));
        }
        auto& traces = (*run)->recording.traces;
        places_[row.integer(1)] = {devices_[row.integer(0)], traces.size(), !row.is_null(5)};
        traces.push_back({.source = *source,
                          .begin = host_time(row, 3),
                          .end = host_time(row, 4),
                          .polls = static_cast<std::uint64_t>(row.integer(5))});
        return {};
      });
}

/// Of a day there are millions: a vector that grows takes twice their room.
Result<void> Reader::make_room() {
  return database_.each("SELECT source, count(*) FROM sample_rows GROUP BY source",
                        [&](const Statement& row) -> Result<void> {
                          Trace* trace = trace_of(row.integer(0));
                          if (trace == nullptr) return damaged("source", row.integer(0));
                          trace->samples.reserve(static_cast<std::size_t>(row.integer(1)));
                          return {};
                        });
}

Result<void> Reader::read_samples() {
  // Neighbouring rows are mostly of one source, so the last one is remembered.
  std::int64_t current = std::numeric_limits<std::int64_t>::min();
  Trace* trace = nullptr;
  if (const auto made = make_room(); !made) return made;
  const auto has_calls = has_column("sample_rows", "call_ns");
  if (!has_calls) return Unexpected(has_calls.error());
  return database_.each(
      fmt::format("SELECT source, t_before_ns, t_ns, stamp_ns, value, {} FROM sample_rows "
                  "ORDER BY rowid",
                  *has_calls ? "call_ns" : "NULL"),
      [&](const Statement& row) -> Result<void> {
        const std::int64_t source = row.integer(0);
        if (source != current || trace == nullptr) trace = trace_of(source);
        if (trace == nullptr) return damaged("source", source);
        current = source;
        Sample& sample = trace->samples.emplace_back();
        sample.before = host_time(row, 1);
        sample.seen = host_time(row, 2);
        if (!row.is_null(3)) sample.stamp = time_at<DriverTime>(row, 3);
        sample.value = row.real(4);
        if (!row.is_null(5)) sample.call = Nanoseconds(row.integer(5));
        return {};
      });
}

Result<void> Reader::read_gaps() {
  return database_.each(
      "SELECT source, begin_ns, end_ns, cause FROM gaps ORDER BY rowid",
      [&](const Statement& row) -> Result<void> {
        Trace* trace = trace_of(row.integer(0));
        if (trace == nullptr) return damaged("source", row.integer(0));
        trace->gaps.push_back({host_time(row, 1), host_time(row, 2), std::string(row.text(3))});
        return {};
      });
}

Result<void> Reader::read_spans() {
  const auto windows =
      each_recording("SELECT device, begin_ns, end_ns, label FROM windows ORDER BY rowid",
                     [](Recording& recording, const Statement& row) {
                       recording.windows.push_back(
                           {host_time(row, 1), host_time(row, 2), std::string(row.text(3))});
                     });
  if (!windows) return windows;
  for (const DeviceRun& run : file_.devices) {
    for (const Window& window : run.recording.windows) {
      if (window.end >= window.begin) continue;
      return Unexpected(Errc::parse,
                        fmt::format("{} is damaged: its window `{}` ends before it begins",
                                    path_.string(), window.label));
    }
  }
  return each_recording("SELECT device, begin_ns, end_ns, level FROM activity ORDER BY rowid",
                        [](Recording& recording, const Statement& row) {
                          recording.activity.push_back(
                              {host_time(row, 1), host_time(row, 2), parse_work_kind(row.text(3))});
                        });
}

Result<void> Reader::read_states() {
  auto done = each_recording(
      "SELECT device, t_ns, utilization_percent, p_state, temperature_c, sm_clock_mhz, "
      "memory_clock_mhz, memory_used_bytes, clocks_event_reasons FROM health ORDER BY rowid",
      [](Recording& recording, const Statement& row) {
        recording.health.push_back(
            {.time = host_time(row, 1),
             .utilization_percent = row.optional_real(2),
             .p_state = optional_integer<int>(row, 3),
             .temperature_c = row.optional_real(4),
             .sm_clock_mhz = row.optional_real(5),
             .memory_clock_mhz = row.optional_real(6),
             .memory_used_bytes = optional_integer<std::uint64_t>(row, 7),
             .clocks_event_reasons = optional_integer<std::uint64_t>(row, 8)});
      });
  if (!done) return done;
  done = each_recording(
      "SELECT device, monotonic_ns, realtime_ns, width_ns FROM clock_pairs ORDER BY rowid",
      [](Recording& recording, const Statement& row) {
        recording.clock_pairs.push_back(
            {host_time(row, 1), time_at<DriverTime>(row, 2), Nanoseconds(row.integer(3))});
      });
  if (!done) return done;
  return each_recording(
      "SELECT device, t_ns, code, message FROM events ORDER BY rowid",
      [](Recording& recording, const Statement& row) {
        recording.events.push_back({host_time(row, 1),
                                    Coded<EventKind>::read(row.text(2), parse_event_kind),
                                    std::string(row.text(3))});
      });
}

Result<void> Reader::read_curves() {
  return database_.each("SELECT device, t_ns, power_w FROM truth_curve ORDER BY rowid",
                        [&](const Statement& row) -> Result<void> {
                          const auto run = run_of(row.integer(0));
                          if (!run) return Unexpected(run.error());
                          (*run)->curve.push_back({host_time(row, 1), Watts(row.real(2))});
                          return {};
                        });
}

Result<void> Reader::add_estimates() {
  auto estimates = read_estimates(database_);
  if (!estimates) return Unexpected(estimates.error());
  for (auto& [device, of_device] : *estimates) {
    const auto run = run_of(device);
    if (!run) return Unexpected(run.error());
    for (auto& estimate : of_device) estimate.device = (*run)->recording.device;
    (*run)->estimates = std::move(of_device);
  }
  return {};
}

void Reader::derive_missing_polls() {
  for (const auto& [id, place] : places_) {
    Trace& trace = *trace_of(id);
    if (place.polls_known || trace.samples.empty()) continue;
    trace.begin = trace.samples.front().before;
    trace.end = trace.samples.back().seen;
  }
}

Result<RunFile> Reader::read() {
  // One transaction: with a writer at work, all tables are of the same commit.
  if (const auto begun = database_.execute("BEGIN"); !begun) return Unexpected(begun.error());
  using Step = Result<void> (Reader::*)();
  for (const Step step : {&Reader::read_metadata, &Reader::read_devices, &Reader::read_sources,
                          &Reader::read_samples, &Reader::read_gaps, &Reader::read_spans,
                          &Reader::read_states, &Reader::read_curves, &Reader::add_estimates}) {
    if (const auto done = (this->*step)(); !done) return Unexpected(done.error());
  }
  derive_missing_polls();
  return std::move(file_);
}

/// Opens for reading; in a folder where SQLite may not make the files it locks with, without locks.
Result<Database> open_to_read(const std::filesystem::path& path) {
  auto database = Database::open(path, Database::Mode::read_only);
  if (!database) return database;
  const auto locked = database->query_integer("SELECT count(*) FROM sqlite_schema");
  if (locked || locked.error().code == Errc::parse) return database;
  return Database::open(path, Database::Mode::read_only_unlocked);
}

Result<void> check_there(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return Unexpected(Errc::unavailable, fmt::format("{}: no such file", path.string()));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return Unexpected(Errc::parse, fmt::format("{} is not a file", path.string()));
  }
  if (std::filesystem::file_size(path, error) == 0) {
    return Unexpected(Errc::parse,
                      fmt::format("{} is empty, not a truewatt run file", path.string()));
  }
  return {};
}

}  // namespace

Result<RunFile> read_run_file(const std::filesystem::path& path) {
  if (const auto there = check_there(path); !there) return Unexpected(there.error());
  auto database = open_to_read(path);
  if (!database) return Unexpected(database.error());
  if (const auto ours = check_run_file(*database, path); !ours) return Unexpected(ours.error());
  return Reader(*database, path).read();
}

}  // namespace truewatt::store
