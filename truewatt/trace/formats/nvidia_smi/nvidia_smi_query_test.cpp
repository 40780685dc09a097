#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

std::string block(int second, const std::string& gpus) {
  return "\n==============NVSMI LOG==============\n\n"
         "Timestamp                                 : Tue Mar  4 09:30:0" +
         std::to_string(second) +
         " 2025\nDriver Version                            : 570.86.15\n\n" +
         "Attached GPUs                             : 2\n" + gpus;
}

std::string gpu(const std::string& bus_id, double watts) {
  return "GPU " + bus_id + "\n    Product Name                          : NVIDIA H100\n" +
         "    GPU Power Readings\n" +
         "        Average Power Draw                : " + std::to_string(watts - 1) + " W\n" +
         "        Instantaneous Power Draw          : " + std::to_string(watts) + " W\n" +
         "        Max Power Limit                   : 700.00 W\n" +
         "    GPU Memory Power Readings\n" +
         "        Average Power Draw                : " + std::to_string(watts / 2) + " W\n" +
         "        Instantaneous Power Draw          : N/A\n" + "    Module Power Readings\n" +
         "        Instantaneous Power Draw          : N/A\n";
}

TEST(NvidiaSmiQuery, BlocksAreQueriesAndTheirPartsGpus) {
  const std::string text = block(0, gpu("00000000:1B:00.0", 100) + gpu("00000000:5E:00.0", 200)) +
                           block(1, gpu("00000000:1B:00.0", 110) + gpu("00000000:5E:00.0", 220));
  ASSERT_TRUE(looks_like_nvidia_smi_query(text));
  const auto log = parse_nvidia_smi_query(text);
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_EQ(log->recordings.size(), 2U);
  EXPECT_EQ(log->rows, 4U);
  EXPECT_EQ(log->bad_rows, 0U);
  const Recording& second = log->recordings[1];
  EXPECT_EQ(second.device.pci, "00000000:5E:00.0");
  EXPECT_EQ(second.device.index, 1);
  EXPECT_EQ(second.device.name, "NVIDIA H100");
  EXPECT_EQ(second.device.driver, "570.86.15");
  EXPECT_EQ(second.device.power_limit, Watts(700));
  for (const auto& [source, watts] :
       {std::pair{SourceId{SourceKind::power_instant, Scope::gpu}, 220.0},
        std::pair{SourceId{SourceKind::power_average, Scope::gpu}, 219.0},
        std::pair{SourceId{SourceKind::power_average, Scope::memory}, 110.0}}) {
    const Trace* trace = find_trace(second, source);
    ASSERT_NE(trace, nullptr) << to_string(source);
    ASSERT_EQ(trace->samples.size(), 2U);
    EXPECT_EQ(trace->samples[1].value, watts);
    EXPECT_EQ(trace->samples[1].seen - trace->samples[0].seen, std::chrono::seconds(1));
  }
  EXPECT_EQ(find_trace(second, {SourceKind::power_instant, Scope::memory}), nullptr);
}

TEST(NvidiaSmiQuery, CutLastLineGivesNoNumber) {
  std::string text =
      block(0, gpu("00000000:1B:00.0", 100)) + block(1, gpu("00000000:1B:00.0", 250));
  text.resize(text.find("250.0") + 2);
  const auto log = parse_nvidia_smi_query(text);
  ASSERT_TRUE(log);
  const Trace* trace = find_trace(log->recordings.at(0), {SourceKind::power_instant, Scope::gpu});
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->samples.size(), 1U);
}

TEST(NvidiaSmiQuery, BlocksWithoutPowerAreInsufficient) {
  const auto log = parse_nvidia_smi_query(block(0, "GPU 00000000:1B:00.0\n    Utilization\n"));
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::trace
