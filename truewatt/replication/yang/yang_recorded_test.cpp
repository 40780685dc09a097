// The procedures of Yang 2024 on that paper's own data.
#include <gtest/gtest.h>

#include <filesystem>

#include "truewatt/numerics/summary.hpp"
#include "truewatt/replication/yang/yang_step.hpp"
#include "truewatt/replication/yang/yang_update.hpp"
#include "truewatt/replication/yang/yang_window.hpp"
#include "truewatt/trace/formats/read_file.hpp"
#include "truewatt/trace/formats/recording_file.hpp"

namespace truewatt::replication::yang {
namespace {

const std::filesystem::path kData = std::filesystem::path(TRUEWATT_TEST_DATA) / "sc24";

Recording recording_of(const std::string& name) {
  const auto data = trace::read_recorded(kData / name);
  EXPECT_TRUE(data) << (data ? "" : data.error().message);
  return data->recordings.front();
}

struct Log {
  const char* file;
  SourceKind source;
  std::size_t runs;
  double median_ms;
  double mean_ms;
  double sd_ms;
};

// Counts, medians, means and deviations were computed from the files by a script that knows nothing
// of this code. The files are the first 4000 rows of logs whose medians the paper prints.
TEST(YangRecorded, UpdatePeriodsAreThoseOfTheLogs) {
  for (const Log& log :
       {Log{"update_v100.csv", SourceKind::power_usage, 1921, 20.0, 20.3816, 5.0573},
        Log{"update_v100.csv", SourceKind::power_instant, 1921, 20.0, 20.3816, 5.0642},
        Log{"update_rtx3090.csv", SourceKind::power_average, 264, 100.0, 101.1098, 13.8492},
        Log{"update_rtx3090.csv", SourceKind::power_instant, 267, 100.0, 99.9738, 0.7824}}) {
    const Recording recording = recording_of(log.file);
    const Trace* trace = find_trace(recording, {log.source, Scope::gpu});
    ASSERT_TRUE(trace) << log.file;
    const auto runs = numerics::summarize(run_lengths(*trace));
    ASSERT_TRUE(runs);
    EXPECT_EQ(runs->count, log.runs) << log.file;
    EXPECT_NEAR(1e3 * runs->median, log.median_ms, 1e-6) << log.file;
    EXPECT_NEAR(1e3 * runs->mean, log.mean_ms, 1e-3) << log.file;
    EXPECT_NEAR(1e3 * runs->sd, log.sd_ms, 1e-3) << log.file;
  }
}

struct Crossings {
  const char* folder;
  SourceKind source;
  double t10_ms;
  double t50_ms;
  double t90_ms;
  double update_period;
  TransientKind kind;
};

// Times of the first readings at 10, 50 and 90 %, read off the same traces by other means.
TEST(YangRecorded, StepsRiseAsThePapersTracesDo) {
  for (const Crossings& expected :
       {Crossings{"step_rtx3090", SourceKind::power_average, 235, 635, 1135, 0.1,
                  TransientKind::averaging},
        Crossings{"step_rtx3090", SourceKind::power_instant, 36, 135, 235, 0.1,
                  TransientKind::slow_board},
        Crossings{"step_a100", SourceKind::power_instant, 59, 59, 59, 0.1, TransientKind::instant},
        Crossings{"step_k40m", SourceKind::power_usage, 6, 36, 128, 0.015,
                  TransientKind::logarithmic}}) {
    const Recording recording = recording_of(expected.folder);
    const Trace* trace = find_trace(recording, {expected.source, Scope::gpu});
    ASSERT_TRUE(trace);
    const HostTime origin = trace->begin;
    std::vector<ticks::Tick> readings;
    for (const Sample& sample : trace->samples) {
      readings.push_back({seconds_between(origin, sample.seen), 0.0, sample.value});
    }
    const Window& window = recording.windows.front();
    const identification::Work step{seconds_between(origin, window.begin),
                                    seconds_between(origin, window.end)};
    const auto response = step_response(readings, step, seconds_between(origin, trace->end));
    ASSERT_TRUE(response) << expected.folder;
    // Rows are stamped to the millisecond.
    EXPECT_NEAR(1e3 * response->t10, expected.t10_ms, 1.0) << expected.folder;
    EXPECT_NEAR(1e3 * response->t50, expected.t50_ms, 1.0) << expected.folder;
    EXPECT_NEAR(1e3 * response->t90, expected.t90_ms, 1.0) << expected.folder;
    const auto transient = summarize_transient({{*response}}, expected.update_period);
    EXPECT_EQ(transient->kind, expected.kind) << expected.folder;
    EXPECT_EQ(transient->too_long_for_window(), expected.kind == TransientKind::averaging);
  }
}

// The published fits to the metered A100's kind of run scatter around 25 ms; one run has as good a
// fit one load period further on.
TEST(YangRecorded, ShapeAloneHasLobesOnTheSquareWaveOfAnA100) {
  const Recording recording = recording_of("square_a100");
  const Trace* trace = find_trace(recording, {SourceKind::power_instant, Scope::gpu});
  ASSERT_TRUE(trace);
  const HostTime origin = trace->begin;
  std::vector<identification::Work> wave;
  for (const Window& window : recording.windows) {
    wave.push_back({seconds_between(origin, window.begin), seconds_between(origin, window.end)});
  }
  ASSERT_GT(wave.size(), 50U);
  std::vector<ticks::Tick> readings;
  for (const Sample& sample : trace->samples) {
    const double time = seconds_between(origin, sample.seen);
    if (time < wave.front().begin + kDiscarded || time > wave.back().end) continue;
    readings.push_back({time, 0.0, sample.value});
  }
  const auto fit = fit_window({readings, wave}, 0.101);
  ASSERT_TRUE(fit);
  const double load_period =
      (wave.back().begin - wave.front().begin) / static_cast<double>(wave.size() - 1);
  const double near = window_loss({readings, wave}, fit->window, fit->delay);
  const double far = window_loss({readings, wave}, fit->window + load_period, fit->delay);
  EXPECT_LT(near, 0.1);
  EXPECT_LT(far, near + 0.01);
}

}  // namespace
}  // namespace truewatt::replication::yang
