#include "truewatt/trace/formats/recording_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "truewatt/trace/formats/sc24_folder.hpp"

namespace truewatt::trace {
namespace {

namespace fs = std::filesystem;
using std::chrono::minutes;
using testing::HasSubstr;

constexpr const char* kLogOfMinutes =
    "timestamp, power.draw [W]\n"
    "2023/07/14 12:10:26.000, 50.00\n"
    "2023/07/14 12:10:36.000, 51.00\n";
constexpr const char* kEventsOfMinutes = "1689329427000000\n1689329430000000\n1689329435000000\n";

/// A folder of the running test's own.
class RecordingFile : public testing::Test {
 public:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("truewatt_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST_F(RecordingFile, NvidiaSmiLogIsRecognised) {
  const auto data = read_recorded(write("any.name", kLogOfMinutes));
  ASSERT_TRUE(data);
  EXPECT_EQ(data->format, "nvidia-smi");
  EXPECT_EQ(data->rows, 2U);
}

TEST_F(RecordingFile, AbsoluteWindowsFindTheLogsOffset) {
  RecordedOptions options;
  options.windows = read_windows_file(write("events.csv", kEventsOfMinutes)).value();
  const auto data = read_recorded(write("log.csv", kLogOfMinutes), options);
  ASSERT_TRUE(data);
  EXPECT_EQ(data->utc_offset, minutes(120));
  EXPECT_EQ(data->recordings.at(0).windows.size(), 1U);
}

TEST_F(RecordingFile, LabelsOfWindowsKeepTheirCommas) {
  const auto list = read_windows_file(
      write("windows.csv", "begin_s,end_s,label\n0,1,\"a, b\"\n\"1,5\",2,\"8,16\"\n"));
  ASSERT_TRUE(list) << list.error().message;
  const auto& windows = std::get<std::vector<RelativeWindow>>(list->windows);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].label, "a, b");
  EXPECT_EQ(windows[1].label, "8,16");
  EXPECT_EQ(windows[1].begin, std::chrono::milliseconds(1500));
}

TEST_F(RecordingFile, NamesAndMessagesKeepTheirCommas) {
  const auto data = read_recorded(write("log.csv",
                                        "timestamp,name,power.draw [W]\n"
                                        "2025/06/12 14:03:20.000,\"A100, 80 GB\",\"46.25 W\"\n"
                                        "2025/06/12 14:03:20.100,\"A100, 80 GB\",\"69,830\"\n"));
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->recordings.at(0).device.name, "A100, 80 GB");
  EXPECT_THAT(data->warnings, testing::Contains(HasSubstr("power.draw is '69,830'")));
}

TEST_F(RecordingFile, H200TraceIsRecognisedAndItsWindowsCanBeReplaced) {
  const auto path = write("t.csv",
                          "source,t_ns,value\ninstant_mW,1000000000,50000\n"
                          "load_begin,1010000000,1\nload_end,1020000000,0\n"
                          "instant_mW,3000000000,51000\n");
  EXPECT_EQ(read_recorded(path)->format, "h200 trace");
  EXPECT_EQ(read_recorded(path)->recordings.at(0).windows.size(), 1U);
  RecordedOptions options;
  options.windows = read_windows("begin_s,end_s\n0,1\n1,2\n").value();
  EXPECT_EQ(read_recorded(path, options)->recordings.at(0).windows.size(), 2U);
}

TEST_F(RecordingFile, MeterFileIsPlacedOnTheRecording) {
  RecordedOptions options;
  options.meter_file = write("meter.csv", "t_s,w\n0,60\n10,60\n");
  const auto data = read_recorded(write("log.csv", kLogOfMinutes), options);
  ASSERT_TRUE(data);
  ASSERT_TRUE(data->meter);
  EXPECT_EQ(data->meter->samples[0].time, data->recordings[0].traces[0].begin);
}

TEST_F(RecordingFile, RunFilesAreForAnotherReader) {
  const auto data = read_recorded(write("run", std::string("SQLite format 3\0rest", 20)));
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().code, Errc::unsupported);
}

TEST_F(RecordingFile, OtherThingsAreRefusedWithAdvice) {
  for (const char* content : {"{}", "", "a,b\n1,2\n"}) {
    const auto data = read_recorded(write("other", content));
    ASSERT_FALSE(data);
    EXPECT_EQ(data.error().code, Errc::parse);
    EXPECT_THAT(data.error().message, HasSubstr("nvidia-smi --query-gpu=timestamp"));
  }
  EXPECT_EQ(read_recorded(folder() / "missing").error().code, Errc::unavailable);
}

TEST_F(RecordingFile, NoheaderLogGetsTheLogReadersAdvice) {
  const auto data = read_recorded(write("log.csv", "2023/07/14 12:10:26.000, 50.00, 51.00\n"));
  ASSERT_FALSE(data);
  EXPECT_THAT(data.error().message, HasSubstr("noheader"));
  EXPECT_THAT(data.error().message, HasSubstr("log.csv"));
}

TEST_F(RecordingFile, DocumentOfOursIsNamedByTheSchemaThatItBeginsWith) {
  const auto said_of = [this](const std::string& text) {
    const auto data = read_recorded(write("some.json", text));
    EXPECT_FALSE(data) << text;
    return data ? std::string() : data.error().message;
  };
  for (const char* begin : {"{\"schema\": ", "{\n  \"schema\":", "{\"of\": 1, \"schema\": "}) {
    EXPECT_THAT(said_of(std::string(begin) + "\"truewatt.profile/1\"}"),
                HasSubstr("is a document of the schema truewatt.profile/1, not readings"));
  }
  for (const char* other :
       {"{\"schema\": \"other.profile/1\"}", "{\"schema\": 1, \"made by\": \"truewatt.org\"}",
        "[{\"schema\": \"truewatt.profile/1\"}]", "{\"by\": \"truewatt.profile/1\"}",
        "{\"schema\""}) {
    EXPECT_THAT(said_of(other), HasSubstr("is not a log of power readings")) << other;
  }
}

TEST_F(RecordingFile, FolderNeedsOnlyItsLog) {
  EXPECT_EQ(read_recorded(folder()).error().code, Errc::unavailable);
  write("gpudata.csv", kLogOfMinutes);
  const auto data = read_recorded(folder());
  ASSERT_TRUE(data);
  EXPECT_EQ(data->format, "sc24 folder");
  EXPECT_FALSE(data->meter);
  EXPECT_FALSE(data->utc_offset);
}

TEST_F(RecordingFile, FolderWithEventsHasWindowsAndAnOffset) {
  write("gpudata.csv", kLogOfMinutes);
  write("timestamps.csv", kEventsOfMinutes);
  const auto data = read_recorded(folder());
  ASSERT_TRUE(data);
  EXPECT_EQ(data->utc_offset, minutes(120));
  EXPECT_EQ(data->recordings.at(0).windows.size(), 1U);
}

TEST_F(RecordingFile, FolderWithoutEventsIsDatedByItsMetersStart) {
  write("gpudata.csv", kLogOfMinutes);
  write("PMD_start_ts.txt", "1689329426500000\n");
  EXPECT_EQ(read_folder(folder())->utc_offset, minutes(120));
}

TEST_F(RecordingFile, FolderWithBrokenEventsIsAnErrorThatNamesThem) {
  write("gpudata.csv", kLogOfMinutes);
  write("timestamps.csv", "1689329427\n");
  const auto data = read_recorded(folder());
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().code, Errc::parse);
  EXPECT_THAT(data.error().message, HasSubstr("timestamps.csv"));
}

TEST_F(RecordingFile, BrokenMeterIsLeftOutWithAWarning) {
  write("gpudata.csv", kLogOfMinutes);
  write("timestamps.csv", kEventsOfMinutes);
  write("PMD_data.bin", "not a stream");
  EXPECT_THAT(read_recorded(folder())->warnings.at(1), HasSubstr("PMD_start_ts.txt"));
  write("PMD_start_ts.txt", "1689329426500000\n");
  const auto data = read_recorded(folder());
  ASSERT_TRUE(data);
  EXPECT_FALSE(data->meter);
  EXPECT_THAT(data->warnings.at(1), HasSubstr("no stream of PMD-USB frames"));
}

TEST_F(RecordingFile, MeterFileOfAnotherKindIsUnsupported) {
  const auto meter = read_meter_file(write("m", std::string(100, '\0')));
  ASSERT_FALSE(meter);
  EXPECT_EQ(meter.error().code, Errc::unsupported);
}

}  // namespace
}  // namespace truewatt::trace
