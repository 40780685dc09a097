#include "truewatt/store/run_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>

#include "truewatt/base/enum_table.hpp"
#include "truewatt/testing/test_run_file.hpp"
#include "truewatt/testing/test_transcript.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

/// Doubles that a careless store would change.
std::vector<double> awkward_numbers() {
  using Limits = std::numeric_limits<double>;
  return {0.0,
          -0.0,
          5.0,
          1e15,
          -3.0,
          1.0 / 3.0,
          0.1,
          9007199254740993.0,
          1e300,
          Limits::denorm_min(),
          Limits::max(),
          Limits::lowest(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN()};
}

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

const std::string kAwkwardText = std::string("a'b\"c;\n\tgrün ") + '\0' + "end";

energy::EnergyEstimate full_estimate(const DeviceIdentity& device) {
  energy::EnergyEstimate estimate;
  estimate.device = device;
  estimate.window = Seconds(0.1);
  estimate.energy = energy::EnergyInterval{{143.83, 143.66, 144.0, 0.95}, 0.0867, 0.08};
  estimate.net_energy = energy::EnergyInterval{{100.1, 99.0, 101.0, 0.95}, 0.5, 0.4};
  estimate.mean_power = Watts(400.0 / 3.0);
  estimate.baseline = Watts(70.25);
  estimate.baseline_kind = energy::BaselineKind::lowest;
  estimate.baseline_rung = energy::IdleRung::context;
  estimate.scale = energy::ScaleUncertainty{0.04, 6.25, -0.5};
  estimate.foreign = {{"the_moon"}, {{"tides", "A", 1.5}}};
  estimate.source = kCounter;
  estimate.sources = {kCounter, kInstant};
  estimate.method = energy::Method::smoothing;
  estimate.observed_fraction = 0.25;
  estimate.budget = {{uncertainty::Cause::gain, 0.1}, {uncertainty::Cause::ticks, 1e-300}};
  estimate.readers = {{energy::Reader::papi, kInstant, Joules(160.0), Seconds(3.5)},
                      {energy::Reader::sma, std::nullopt, std::nullopt, Seconds(3.5)}};
  estimate.naive_j = {{"power.instant", 150.0}, {"power.usage@module", 1.0 / 7.0}};
  estimate.truth = Joules(-0.0);
  estimate.valid = true;
  estimate.needs = Seconds(12.5);
  for (std::size_t i = 0; i < kEnumerators<energy::Reason>; ++i) {
    estimate.reasons.push_back(static_cast<energy::Reason>(i));
  }
  return estimate;
}

/// One device with something in every table, and one with nothing but its name.
RunFile full_file() {
  RunFile file;
  file.finished = true;
  file.metadata = {{"", ""}, {"load", "square:period=100ms"}, {kAwkwardText, kAwkwardText}};
  DeviceRun run;
  Recording& recording = run.recording;
  recording.device = {3,           "NVIDIA \"H200\"", "GPU-1", "00000000:1B:00.0", kAwkwardText,
                      Watts(700.0)};
  Trace instant{kInstant, at(kFirst), at(kLast), {}, {}, std::numeric_limits<std::uint64_t>::max()};
  for (const double value : awkward_numbers()) {
    const auto ns = static_cast<std::int64_t>(instant.samples.size()) * 1000;
    instant.samples.push_back(
        {at(ns), at(ns + 1), DriverTime(Nanoseconds(kLast - ns)), value, Nanoseconds(ns)});
    instant.samples.push_back({at(kFirst), at(kLast), std::nullopt, value});
    run.curve.push_back({at(ns), Watts(value)});
  }
  instant.gaps = {{at(5), at(6), "timed_out"}, {at(7), at(8), ""}};
  recording.traces = {instant, {kCounter, at(1), at(2), {sample_at(2, 1e9)}, {}, 2}};
  recording.windows = {{at(1), at(2), "load"}, {at(-5), at(5), kAwkwardText}};
  recording.activity = {{at(3), at(4), {.what = "copy", .level = 0.5}}};
  recording.health.push_back({.time = at(1)});
  recording.health.push_back({at(2), 99.5, 0, 61.25, 1980.0, 2619.0, ~std::uint64_t{0}, 0x40});
  recording.clock_pairs = {{at(9), DriverTime(Nanoseconds(kLast)), Nanoseconds(120)}};
  recording.events = {{at(10), EventKind::gpu_lost, "the GPU has fallen off the bus"},
                      {at(11), Coded<EventKind>::read("a newer code", parse_event_kind), ""}};
  run.estimates = {full_estimate(recording.device), {.device = recording.device}};
  run.estimates[1].method = Coded<energy::Method>::read("by dreaming", energy::parse_method);
  file.devices = {run, {}};
  file.devices[1].recording.device.uuid = "GPU-2";
  return file;
}

template <class Items>
void append_all(RunFileWriter& writer, int device, const Items& items) {
  for (const auto& item : items) ASSERT_TRUE(writer.append(device, item));
}

void append_trace(RunFileWriter& writer, int device, const Trace& trace) {
  ASSERT_TRUE(writer.append(device, trace.source, trace.samples));
  for (const Gap& gap : trace.gaps) ASSERT_TRUE(writer.append(device, trace.source, gap));
  ASSERT_TRUE(writer.set_polls(device, trace.source, at(0), at(0), 1));
  ASSERT_TRUE(writer.set_polls(device, trace.source, trace.begin, trace.end, trace.polls));
}

void append_run(RunFileWriter& writer, const DeviceRun& run) {
  std::vector<SourceId> sources;
  for (const Trace& trace : run.recording.traces) sources.push_back(trace.source);
  const auto device = writer.add_device(run.recording.device, sources);
  ASSERT_TRUE(device);
  for (const Trace& trace : run.recording.traces) append_trace(writer, *device, trace);
  append_all(writer, *device, run.recording.windows);
  append_all(writer, *device, run.recording.activity);
  append_all(writer, *device, run.recording.health);
  append_all(writer, *device, run.recording.clock_pairs);
  append_all(writer, *device, run.recording.events);
  for (const auto& estimate : run.estimates) {
    ASSERT_TRUE(writer.append_estimate(*device, estimate));
  }
  ASSERT_TRUE(writer.append_curve(*device, run.curve));
}

TEST_F(RunFileTest, GivesBackEveryBit) {
  const RunFile written = full_file();
  auto writer = RunFileWriter::create(file(), written.metadata);
  ASSERT_TRUE(writer);
  for (const DeviceRun& run : written.devices) append_run(*writer, run);
  ASSERT_TRUE(writer->finish());
  const auto read = read_run_file(file());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(transcript(*read), transcript(written));
}

TEST_F(RunFileTest, IsOneFileAfterFinish) {
  write_small_file(file());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::ElementsAre("run.db"));
}

TEST_F(RunFileTest, ShowsTheCommittedPartWhileItIsWritten) {
  auto writer = RunFileWriter::create(file(), {{"load", "fma"}}, {.survive_power_cut = false});
  const std::vector<SourceId> sources = {kInstant};
  const int device = writer->add_device({.uuid = "GPU-1"}, sources).value();
  const std::vector<Sample> first = {sample_at(100, 1.0)};
  const std::vector<Sample> second = {sample_at(200, 2.0)};
  ASSERT_TRUE(writer->append(device, kInstant, first));
  ASSERT_TRUE(writer->commit());
  ASSERT_TRUE(writer->append(device, kInstant, second));
  const auto during = read_run_file(file());
  ASSERT_TRUE(during) << during.error().message;
  EXPECT_FALSE(during->finished);
  EXPECT_EQ(during->metadata.at("load"), "fma");
  ASSERT_EQ(during->devices.at(0).recording.traces.at(0).samples.size(), 1U);
  ASSERT_TRUE(writer->finish());
  const auto after = read_run_file(file());
  EXPECT_TRUE(after->finished);
  EXPECT_EQ(after->devices.at(0).recording.traces.at(0).samples.size(), 2U);
}

TEST_F(RunFileTest, TakesATracesEndsFromItsSamplesWhenPollsAreUnknown) {
  const auto samples = write_small_file(file());
  const auto read = read_run_file(file());
  const Trace& trace = read->devices.at(0).recording.traces.at(0);
  EXPECT_EQ(trace.begin, samples.front().before);
  EXPECT_EQ(trace.end, samples.back().seen);
  EXPECT_EQ(trace.polls, 0U);
}

TEST_F(RunFileTest, NamesDeviceSourceAndTimesToSqlUsers) {
  write_small_file(file());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  std::string rows;
  const auto collect = [](void* out, int count, char** values, char**) {
    for (int i = 0; i < count; ++i) {
      static_cast<std::string*>(out)->append(values[i] == nullptr ? "NULL" : values[i]).append(" ");
    }
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database,
                         "SELECT device, source, t_before_ns, t_ns, stamp_ns, value FROM samples",
                         collect, &rows, nullptr),
            SQLITE_OK);
  EXPECT_EQ(rows, "0 power.instant 90 100 NULL 1.5 0 power.instant 190 200 NULL 2.5 ");
  sqlite3_close(database);
}

TEST_F(RunFileTest, ReadsFilesOfATimeThatNotedLess) {
  write_small_file(file());
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(
                database,
                "DROP VIEW samples; ALTER TABLE sample_rows DROP COLUMN call_ns; "
                "ALTER TABLE devices DROP COLUMN power_limit_w; "
                "DROP TABLE estimate_sources; DROP TABLE estimate_readers; "
                "DROP TABLE estimate_gain; DROP TABLE estimate_scale; DROP TABLE estimate_baseline",
                nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const auto read = read_run_file(file());
  ASSERT_TRUE(read) << read.error().message;
  const auto& samples = read->devices.front().recording.traces.front().samples;
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[1].value, 2.5);
  EXPECT_FALSE(samples[1].call);
}

TEST_F(RunFileTest, LosesWhatWasNotCommitted) {
  {
    auto writer = RunFileWriter::create(file(), {});
    ASSERT_TRUE(writer->put_metadata("kept", "1"));
    ASSERT_TRUE(writer->commit());
    ASSERT_TRUE(writer->put_metadata("lost", "1"));
  }
  const auto read = read_run_file(file());
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->finished);
  EXPECT_EQ(read->metadata, (Metadata{{"kept", "1"}}));
}

TEST_F(RunFileTest, ReplacesAnOldRunFileAndTheWalOfItsKilledWriter) {
  // Two writers' worth of leftovers: a run file in WAL mode and a -wal that is not its own.
  { auto killed = RunFileWriter::create(file(), {{"load", "old"}}); }
  put("run.db-wal", "left by somebody");
  auto writer = RunFileWriter::create(file(), {{"load", "new"}});
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE(writer->finish());
  const auto read = read_run_file(file());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->metadata.at("load"), "new");
}

TEST_F(RunFileTest, ReplacesTheFileBehindASymbolicLink) {
  write_small_file(file("real.db"));
  std::filesystem::create_symlink("real.db", file("link.db"));
  ASSERT_TRUE(RunFileWriter::create(file("link.db"), {{"load", "new"}})->finish());
  EXPECT_TRUE(std::filesystem::is_symlink(file("link.db")));
  EXPECT_EQ(read_run_file(file("real.db"))->metadata.at("load"), "new");
}

TEST_F(RunFileTest, RefusesToReplaceARunFileThatIsBeingWritten) {
  auto first = RunFileWriter::create(file(), {{"load", "first"}});
  const auto second = RunFileWriter::create(file(), {{"load", "second"}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::io);
  EXPECT_THAT(second.error().message, HasSubstr("another process is writing it"));
  ASSERT_TRUE(first->finish());
  EXPECT_EQ(read_run_file(file())->metadata.at("load"), "first");
}

TEST_F(RunFileTest, SaysThatTheFolderDoesNotExist) {
  const auto writer = RunFileWriter::create(file("nowhere/run.db"), {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, Errc::unavailable);
  EXPECT_THAT(writer.error().message, HasSubstr("nowhere/run.db: there is no folder "));
}

TEST_F(RunFileTest, SurvivesCallsWithUnknownDevicesAndSources) {
  auto writer = RunFileWriter::create(file(), {});
  const std::vector<SourceId> sources = {kInstant};
  const int device = writer->add_device({.uuid = "GPU-1"}, sources).value();
  const std::vector<Sample> samples = {sample_at(1, 1)};
  const auto no_source = writer->append(device, kCounter, samples);
  const auto no_device = writer->append(device + 1, Window{at(0), at(1), "load"});
  const auto other_device = writer->append_estimate(device, {.device = {.uuid = "GPU-2"}});
  for (const auto* refused : {&no_source, &no_device, &other_device}) {
    ASSERT_FALSE(*refused);
    EXPECT_EQ(refused->error().code, Errc::invalid_argument);
  }
  EXPECT_THAT(no_source.error().message, HasSubstr("energy.counter@module"));
  EXPECT_TRUE(writer->append(device, kInstant, samples));
  EXPECT_TRUE(writer->finish());
  EXPECT_EQ(writer->commit().error().code, Errc::invalid_argument);
}

}  // namespace
}  // namespace truewatt::store
