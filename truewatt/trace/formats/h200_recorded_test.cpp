// The reader on traces of an H200.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "truewatt/trace/formats/recording_file.hpp"

namespace truewatt::trace {
namespace {

constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};
constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kAverage{SourceKind::power_average, Scope::gpu};
constexpr SourceId kBuffer{SourceKind::power_samples, Scope::gpu};

struct File {
  const char* name;
  std::size_t counter;  ///< rows per source: `cut -d, -f1 FILE | sort | uniq -c`
  std::size_t instant;
  std::size_t average;
  std::size_t buffer;
  std::size_t loads;
};

const File kFiles[] = {
    {"ref_2", 171, 160, 167, 851, 260},  {"ref_10", 171, 164, 166, 849, 160},
    {"ref_40", 170, 161, 166, 845, 85},  {"lock_10_0", 82, 79, 78, 405, 50},
    {"single_1", 43, 34, 41, 207, 1},    {"step", 62, 50, 60, 304, 1},
    {"poll_step_100", 71, 50, 69, 0, 1},
};

class RecordedH200 : public testing::TestWithParam<File> {
 protected:
  void SetUp() override {
    const auto path = std::filesystem::path(TRUEWATT_TEST_DATA) / "h200" / GetParam().name;
    auto data = read_recorded(path.string() + ".csv");
    ASSERT_TRUE(data) << data.error().message;
    data_ = *std::move(data);
  }
  const RecordedData& data() const { return data_; }
  const Recording& recording() const { return data_.recordings.front(); }
  std::size_t samples(SourceId source) const {
    const Trace* trace = find_trace(recording(), source);
    return trace == nullptr ? 0 : trace->samples.size();
  }

 private:
  RecordedData data_;
};

TEST_P(RecordedH200, EveryRowIsRead) {
  EXPECT_EQ(data().format, "h200 trace");
  EXPECT_EQ(data().bad_rows, 0U);
  EXPECT_EQ(samples(kCounter), GetParam().counter);
  EXPECT_EQ(samples(kInstant), GetParam().instant);
  EXPECT_EQ(samples(kAverage), GetParam().average);
  EXPECT_EQ(samples(kBuffer), GetParam().buffer);
  EXPECT_EQ(recording().windows.size(), GetParam().loads);
  EXPECT_EQ(recording().activity.size(), GetParam().loads);
}

TEST_P(RecordedH200, BracketsAreInOrderAndShort) {
  for (const Trace& trace : recording().traces) {
    for (std::size_t i = 0; i < trace.samples.size(); ++i) {
      const Sample& sample = trace.samples[i];
      EXPECT_LE(sample.before, sample.seen);
      // 16 ms is the slowest round in the file that has its polls.
      EXPECT_LE(sample.seen - sample.before, std::chrono::microseconds(16'100));
      if (i > 0) {
        EXPECT_GE(sample.before, trace.samples[i - 1].seen);
      }
      EXPECT_LE(sample.seen, trace.end);
    }
  }
}

TEST_P(RecordedH200, CounterRisesBetweenIdleAndFullPower) {
  const Trace& counter = *find_trace(recording(), kCounter);
  const Sample& first = counter.samples.front();
  const Sample& last = counter.samples.back();
  const double mean_w = (last.value - first.value) / seconds_between(first.seen, last.seen);
  EXPECT_GT(mean_w, 120.0);  // idle is 122 to 135 W
  EXPECT_LT(mean_w, 280.0);  // full load is 262 to 275 W
}

TEST_P(RecordedH200, OnlyRealtimeFilesHaveAClockPair) {
  const bool monotonic = std::string(GetParam().name).starts_with("poll_");
  EXPECT_EQ(recording().clock_pairs.empty(), monotonic);
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedH200, testing::ValuesIn(kFiles),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace truewatt::trace
