#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "truewatt/store/estimate_rows.hpp"
#include "truewatt/store/run_file.hpp"
#include "truewatt/store/run_file_place.hpp"
#include "truewatt/store/sqlite.hpp"

namespace truewatt::store {
namespace {

std::optional<std::int64_t> optional_ns(std::optional<DriverTime> time) {
  if (!time) return std::nullopt;
  return count_ns(*time);
}

std::optional<double> watts_of(std::optional<Watts> power) {
  if (!power) return std::nullopt;
  return power->value();
}

std::optional<std::int64_t> optional_ns(std::optional<Nanoseconds> duration) {
  if (!duration) return std::nullopt;
  return duration->count();
}

/// The prepared statements of a writer; each inserts one row.
struct Inserts {
  Statement metadata, device, source, sample, gap, polls;
  Statement health, window, activity, clock_pair, event, curve;
};

Result<Inserts> prepare_inserts(Database& database) {
  Inserts inserts;
  const std::pair<Statement*, std::string_view> texts[] = {
      {&inserts.metadata, "INSERT OR REPLACE INTO metadata VALUES(?, ?)"},
      {&inserts.device, "INSERT INTO devices VALUES(?, ?, ?, ?, ?, ?, ?)"},
      {&inserts.source, "INSERT INTO sources(id, device, source) VALUES(?, ?, ?)"},
      {&inserts.sample, "INSERT INTO sample_rows VALUES(?, ?, ?, ?, ?, ?)"},
      {&inserts.gap, "INSERT INTO gaps VALUES(?, ?, ?, ?)"},
      {&inserts.polls, "UPDATE sources SET begin_ns = ?, end_ns = ?, polls = ? WHERE id = ?"},
      {&inserts.health, "INSERT INTO health VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&inserts.window, "INSERT INTO windows VALUES(?, ?, ?, ?)"},
      {&inserts.activity, "INSERT INTO activity VALUES(?, ?, ?, ?)"},
      {&inserts.clock_pair, "INSERT INTO clock_pairs VALUES(?, ?, ?, ?)"},
      {&inserts.event, "INSERT INTO events VALUES(?, ?, ?, ?)"},
      {&inserts.curve, "INSERT INTO truth_curve VALUES(?, ?, ?)"},
  };
  for (const auto& [statement, text] : texts) {
    auto prepared = database.prepare(text);
    if (!prepared) return Unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return inserts;
}

Result<void> enter_wal_mode(Database& database, const std::filesystem::path& path,
                            const RunFileOptions& options) {
  const auto mode = database.query_text("PRAGMA journal_mode = WAL");
  if (!mode) return Unexpected(mode.error());
  if (*mode != "wal") {
    return Unexpected(Errc::unsupported,
                      fmt::format("the file system of {} cannot hold a run file that is being "
                                  "written (SQLite's WAL mode); name a file on a local disk",
                                  path.string()));
  }
  return database.execute(options.survive_power_cut ? "PRAGMA synchronous = FULL"
                                                    : "PRAGMA synchronous = NORMAL");
}

}  // namespace

class RunFileWriter::Impl {
 public:
  Impl(RunFilePlace place, Database database, Inserts inserts, EstimateWriter estimates)
      : place_(std::move(place)),
        database_(std::move(database)),
        inserts_(std::move(inserts)),
        estimates_(std::move(estimates)) {}

  Result<void> begin() { return guard(database_.execute("BEGIN IMMEDIATE")); }

  /// Runs one insert; the first failure of any is kept and stops everything after it.
  template <class... Values>
  Result<void> insert(Statement Inserts::*statement, const Values&... values) {
    if (failure_) return Unexpected(*failure_);
    return guard((inserts_.*statement).run(values...));
  }

  Result<void> check_device(int device) const {
    if (device >= 0 && static_cast<std::size_t>(device) < devices_.size()) return {};
    return Unexpected(Errc::invalid_argument,
                      fmt::format("device {} was not added to the run file", device));
  }

  /// Inserts a row of a table whose first column is the device.
  template <class... Values>
  Result<void> insert_of(int device, Statement Inserts::*statement, const Values&... values) {
    if (const auto known = check_device(device); !known) return known;
    return insert(statement, device, values...);
  }

  Result<std::int64_t> source_id(int device, SourceId source) const;
  Result<int> add_device(const DeviceIdentity& identity, std::span<const SourceId> sources);
  Result<void> append_samples(std::int64_t source, std::span<const Sample> samples);
  Result<void> append_estimate(int device, const energy::EnergyEstimate& estimate);
  void keep() { place_.keep(); }
  Result<void> commit();
  Result<void> finish();

 private:
  struct Series {
    int device = 0;
    SourceId source;
  };

  Result<void> guard(Result<void> done) {
    if (!done) failure_ = done.error();
    return done;
  }

  RunFilePlace place_;  // gives back what was there once the database is closed
  Database database_;
  Inserts inserts_;
  EstimateWriter estimates_;
  std::vector<DeviceIdentity> devices_;
  std::vector<Series> series_;  // index + 1 is the id in the table `sources`
  std::optional<Error> failure_;
};

Result<std::int64_t> RunFileWriter::Impl::source_id(int device, SourceId source) const {
  const auto found = std::find_if(series_.begin(), series_.end(), [&](const Series& series) {
    return series.device == device && series.source == source;
  });
  if (found != series_.end()) return found - series_.begin() + 1;
  return Unexpected(Errc::invalid_argument,
                    fmt::format("source {} of device {} was not added to the run file",
                                to_string(source), device));
}

Result<int> RunFileWriter::Impl::add_device(const DeviceIdentity& identity,
                                            std::span<const SourceId> sources) {
  const int device = static_cast<int>(devices_.size());
  const auto added = insert(&Inserts::device, device, identity.index, identity.name, identity.uuid,
                            identity.pci, identity.driver, watts_of(identity.power_limit));
  if (!added) return Unexpected(added.error());
  devices_.push_back(identity);
  for (const SourceId source : sources) {
    if (source_id(device, source)) continue;
    series_.push_back({device, source});
    const auto id = static_cast<std::int64_t>(series_.size());
    const auto named = insert(&Inserts::source, id, device, to_string(source));
    if (!named) return Unexpected(named.error());
  }
  return device;
}

Result<void> RunFileWriter::Impl::append_samples(std::int64_t source,
                                                 std::span<const Sample> samples) {
  for (const Sample& sample : samples) {
    auto done = insert(&Inserts::sample, source, count_ns(sample.before), count_ns(sample.seen),
                       optional_ns(sample.stamp), sample.value, optional_ns(sample.call));
    if (!done) return done;
  }
  return {};
}

Result<void> RunFileWriter::Impl::append_estimate(int device,
                                                  const energy::EnergyEstimate& estimate) {
  if (failure_) return Unexpected(*failure_);
  if (const auto known = check_device(device); !known) return known;
  if (estimate.device != devices_[static_cast<std::size_t>(device)]) {
    return Unexpected(
        Errc::invalid_argument,
        fmt::format("the estimate is of {}, device {} of the run file is {}", estimate.device.uuid,
                    device, devices_[static_cast<std::size_t>(device)].uuid));
  }
  return guard(estimates_.append(device, estimate));
}

Result<void> RunFileWriter::Impl::commit() {
  if (failure_) return Unexpected(*failure_);
  if (auto committed = guard(database_.execute("COMMIT")); !committed) return committed;
  return begin();
}

Result<void> RunFileWriter::Impl::finish() {
  if (failure_) return Unexpected(*failure_);
  auto done = guard(database_.execute("UPDATE run SET finished = 1; COMMIT"));
  if (!done) return done;
  done = guard(database_.execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  if (!done) return done;
  // Fails only while another program has the file open; then it stays in WAL mode, which is as
  // good.
  // A journal in memory: one on disk would stay behind a kill, and no reader may roll it back.
  (void)database_.execute("PRAGMA journal_mode = MEMORY");
  failure_ = {Errc::invalid_argument, "the run file is finished; nothing can be added"};
  place_.keep();
  return place_.check_still_there();
}

RunFileWriter::RunFileWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunFileWriter::RunFileWriter(RunFileWriter&&) noexcept = default;
RunFileWriter& RunFileWriter::operator=(RunFileWriter&&) noexcept = default;
RunFileWriter::~RunFileWriter() = default;

Result<RunFileWriter> RunFileWriter::create(const std::filesystem::path& path,
                                            const Metadata& metadata,
                                            const RunFileOptions& options) {
  auto place = RunFilePlace::take(path);
  if (!place) return Unexpected(place.error());
  auto database = Database::open(place->path(), Database::Mode::read_write);
  if (!database) return Unexpected(database.error());
  const auto wal = enter_wal_mode(*database, place->path(), options);
  if (!wal) return Unexpected(wal.error());
  auto inserts = prepare_inserts(*database);
  if (!inserts) return Unexpected(inserts.error());
  auto estimates = EstimateWriter::prepare(*database);
  if (!estimates) return Unexpected(estimates.error());

  RunFileWriter writer(std::make_unique<Impl>(std::move(*place), std::move(*database),
                                              std::move(*inserts), std::move(*estimates)));
  if (const auto begun = writer.impl_->begin(); !begun) return Unexpected(begun.error());
  for (const auto& [key, value] : metadata) {
    if (const auto put = writer.put_metadata(key, value); !put) return Unexpected(put.error());
  }
  if (const auto committed = writer.commit(); !committed) return Unexpected(committed.error());
  if (!options.on_trial) writer.keep();
  return writer;
}

Result<void> RunFileWriter::put_metadata(std::string_view key, std::string_view value) {
  return impl_->insert(&Inserts::metadata, key, value);
}

Result<int> RunFileWriter::add_device(const DeviceIdentity& identity,
                                      std::span<const SourceId> sources) {
  return impl_->add_device(identity, sources);
}

Result<void> RunFileWriter::append(int device, SourceId source, std::span<const Sample> samples) {
  const auto id = impl_->source_id(device, source);
  if (!id) return Unexpected(id.error());
  return impl_->append_samples(*id, samples);
}

Result<void> RunFileWriter::append(int device, SourceId source, const Gap& gap) {
  const auto id = impl_->source_id(device, source);
  if (!id) return Unexpected(id.error());
  return impl_->insert(&Inserts::gap, *id, count_ns(gap.begin), count_ns(gap.end), gap.cause);
}

Result<void> RunFileWriter::set_polls(int device, SourceId source, HostTime begin, HostTime end,
                                      std::uint64_t polls) {
  const auto id = impl_->source_id(device, source);
  if (!id) return Unexpected(id.error());
  return impl_->insert(&Inserts::polls, count_ns(begin), count_ns(end), polls, *id);
}

Result<void> RunFileWriter::append(int device, const HealthSample& health) {
  return impl_->insert_of(device, &Inserts::health, count_ns(health.time),
                          health.utilization_percent, health.p_state, health.temperature_c,
                          health.sm_clock_mhz, health.memory_clock_mhz, health.memory_used_bytes,
                          health.clocks_event_reasons);
}

Result<void> RunFileWriter::append(int device, const Window& window) {
  return impl_->insert_of(device, &Inserts::window, count_ns(window.begin), count_ns(window.end),
                          window.label);
}

Result<void> RunFileWriter::append(int device, const ActivityInterval& activity) {
  return impl_->insert_of(device, &Inserts::activity, count_ns(activity.begin),
                          count_ns(activity.end), to_string(activity.kind));
}

Result<void> RunFileWriter::append(int device, const ClockPair& pair) {
  return impl_->insert_of(device, &Inserts::clock_pair, count_ns(pair.host), count_ns(pair.driver),
                          std::int64_t{pair.width.count()});
}

Result<void> RunFileWriter::append(int device, const CaptureEvent& event) {
  return impl_->insert_of(device, &Inserts::event, count_ns(event.time), event.kind.code(),
                          event.message);
}

Result<void> RunFileWriter::append_estimate(int device, const energy::EnergyEstimate& estimate) {
  return impl_->append_estimate(device, estimate);
}

Result<void> RunFileWriter::append_curve(int device, std::span<const CurvePoint> points) {
  if (const auto known = impl_->check_device(device); !known) return known;
  for (const CurvePoint& point : points) {
    const double watts = point.power.value();
    auto done = impl_->insert(&Inserts::curve, device, count_ns(point.time), watts);
    if (!done) return done;
  }
  return {};
}

void RunFileWriter::keep() { impl_->keep(); }

Result<void> RunFileWriter::commit() { return impl_->commit(); }

Result<void> RunFileWriter::finish() { return impl_->finish(); }

}  // namespace truewatt::store
