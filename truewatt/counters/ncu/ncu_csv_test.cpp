#include "truewatt/counters/ncu/ncu_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/counters/ncu/csv_records.hpp"
#include "truewatt/counters/ncu/ncu_command.hpp"
#include "truewatt/counters/ncu/ncu_number.hpp"

namespace truewatt::counters::ncu {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

/// As ncu 2023 to 2025 write it, the program's own lines between theirs.
constexpr std::string_view kRaw =
    R"csv(==PROF== Connected to process 4711 (/home/me/probe)
probe: 2 kernels, 3 buffers
7 of 9 checks passed, good
==PROF== Profiling "copy" - 0: 0%....50%....100% - 4 passes
==PROF== Profiling "chain" - 1: 0%....50%....100% - 4 passes
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__sectors_read.sum","gpu__time_duration.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum","smsp__inst_executed_pipe_fma.sum"
"","","","","","","","","","","","sector","us","sector","inst"
"0","4711","probe","127.0.0.1","copy(const float *, float *, int)","1","7","(256, 1, 1)","(132, 1, 1)","0","9.0","1,048,576","12.83","2,097,152","0"
"1","4711","probe","127.0.0.1","void chain<3, float>(float *)","1","7","(1024, 1, 1)","(132, 1, 1)","0","9.0","12","3.20","40","67,108,864"
)csv";

TEST(NcuCsv, ARawTableHasALaunchInEachRow) {
  const auto report = parse_ncu_csv(kRaw);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->launches.size(), 2U);
  const auto& copy = report->launches[0];
  EXPECT_EQ(copy.id, "0");
  EXPECT_EQ(copy.process, "4711");
  EXPECT_EQ(copy.kernel, "copy(const float *, float *, int)");
  EXPECT_EQ(copy.device, 0);
  EXPECT_EQ(copy.counts.dram_reads, 1048576.0);
  EXPECT_EQ(copy.counts.l1_misses, 2097152.0);
  EXPECT_EQ(copy.counts.l1_hits, std::nullopt);
  EXPECT_EQ(report->launches[1].kernel, "void chain<3, float>(float *)");
  EXPECT_THAT(report->launches[1].counts.pipe_instructions, ElementsAre(Pair("fma", 67108864.0)));
  EXPECT_THAT(report->notes, IsEmpty());
}

TEST(NcuCsv, TimesAreNoCounts) {
  EXPECT_THAT(parse_ncu_csv(kRaw)->launches[0].values,
              Not(Contains(Pair("gpu__time_duration.sum", testing::_))));
}

TEST(NcuCsv, ADetailsTableHasARowForEachMetric) {
  const auto report = parse_ncu_csv(
      R"csv(==PROF== Connected to process 12
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","12","a","127.0.0.1","copy","1","7","(256, 1, 1)","(16, 1, 1)","1","8.0","Command line profiler metrics","dram__bytes_read.sum","Kbyte","64.00"
"0","12","a","127.0.0.1","copy","1","7","(256, 1, 1)","(16, 1, 1)","1","8.0","Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum","sector","8"
"1","12","a","127.0.0.1","copy","1","7","(256, 1, 1)","(16, 1, 1)","1","8.0","Command line profiler metrics","dram__bytes_read.sum","Mbyte","1.28"
"0","12","a","127.0.0.1","copy","1","7","(256, 1, 1)","(16, 1, 1)","1","8.0","Command line profiler metrics","l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum","sector","2"
"0","12","a","127.0.0.1","copy","1","7","(256, 1, 1)","(16, 1, 1)","1","8.0","SpeedOfLight","","","","Bottleneck","OPT","Memory is ""busier"" than compute,
and so on"
)csv");
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->launches.size(), 2U);
  EXPECT_EQ(report->launches[0].counts.dram_reads, 2000.0);
  EXPECT_EQ(report->launches[0].counts.local_sectors, 10.0);
  EXPECT_EQ(report->launches[0].device, 1);
  EXPECT_DOUBLE_EQ(report->launches[1].counts.dram_reads.value_or(0), 40000.0);
}

TEST(NcuCsv, LaunchesOfTwoProcessesAreTwo) {
  const auto report = parse_ncu_csv(R"csv("ID","Process ID","Kernel Name","dram__sectors_write.sum"
"","","","Ksector"
"0","1","a","1.5"
"0","2","a","2.5"
)csv");
  ASSERT_TRUE(report);
  ASSERT_EQ(report->launches.size(), 2U);
  EXPECT_EQ(report->launches[0].counts.dram_writes, 1500.0);
  EXPECT_EQ(report->launches[1].counts.dram_writes, 2500.0);
}

TEST(NcuCsv, AUnitMayStandInTheColumnsName) {
  const auto report = parse_ncu_csv(
      "\"ID\",\"Kernel Name\",\"dram__sectors_read.sum [Msector]\"\r\n"
      "\"0\",\"k\",\"2.5\"\r\n");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->launches[0].counts.dram_reads, 2.5e6);
}

TEST(NcuCsv, AMetricThatWasNotCountedIsAbsentAndNoted) {
  const auto report = parse_ncu_csv(
      R"csv("ID","Kernel Name","dram__sectors_read.sum","dram__sectors_write.sum"
"","","sector","sector"
"0","k","n/a","5"
)csv");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->launches[0].counts.dram_reads, std::nullopt);
  EXPECT_EQ(report->launches[0].counts.dram_writes, 5.0);
  EXPECT_THAT(report->notes, ElementsAre(HasSubstr("dram__sectors_read.sum (\"n/a\")")));
}

TEST(NcuCsv, NumbersOfOtherLocalesAreRead) {
  const auto report = parse_ncu_csv(
      R"csv("ID","Kernel Name","dram__bytes_read.sum","dram__sectors_write.sum"
"","","byte","Ksector"
"0","k","27.595.520","1,25"
"1","k","32","1.234"
)csv");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->launches[0].counts.dram_reads, 862360.0);
  EXPECT_EQ(report->launches[0].counts.dram_writes, 1250.0);
  EXPECT_EQ(report->launches[1].counts.dram_writes, 1234000.0);
}

TEST(NcuCsv, NumbersOfTwoLocalesAreRefused) {
  const auto report = parse_ncu_csv(R"csv("ID","Kernel Name","dram__sectors_read.sum"
"","","sector"
"0","k","1,000,000"
"1","k","1.000.000"
)csv");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::parse);
  EXPECT_THAT(report.error().message, AllOf(HasSubstr("1,000,000"), HasSubstr("LC_ALL=C")));
}

TEST(NcuCsv, RowsThatAreDamagedAreCounted) {
  const auto report = parse_ncu_csv(R"csv("ID","Kernel Name","dram__sectors_read.sum"
"","","sector"
"0","k","4"
"x","k","5"
"2","k
)csv");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->launches.size(), 1U);
  EXPECT_THAT(report->notes, ElementsAre(HasSubstr("1 rows")));
}

TEST(NcuCsv, ARefusalSaysWhatToSet) {
  const auto report = parse_ncu_csv(
      "==PROF== Connected to process 12 (/bin/a)\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
      "Performance Counters on the target device 0.\n"
      "==PROF== Disconnected from process 12\n==WARNING== No kernels were profiled.\n");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::permission);
  EXPECT_THAT(report.error().message, AllOf(HasSubstr("ERR_NVGPUCTRPERM"),
                                            HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
}

TEST(NcuCsv, CountersInUseAreUnavailable) {
  const auto report = parse_ncu_csv(
      "==ERROR== An error was reported by the driver\n==ERROR== Profiling failed because a driver "
      "resource was unavailable. Ensure that no other tool (like DCGM) is collecting.\n");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::unavailable);
  EXPECT_THAT(report.error().message, HasSubstr("dcgmi profile --pause"));
}

TEST(NcuCsv, OtherFailuresAreNcusOwnWords) {
  const auto failed = parse_ncu_csv("==ERROR== 'probe' does not exist or is no executable.\n");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "ncu failed: 'probe' does not exist or is no executable.");
  const auto none = parse_ncu_csv("==WARNING== No kernels were profiled.\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::insufficient_data);
  const auto text = parse_ncu_csv("a,b,c\n1,2,3\n");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::parse);
}

TEST(NcuCsv, ATableWithoutKnownCountersSaysHowToRecord) {
  const auto report =
      parse_ncu_csv(R"csv("ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","k","Memory Throughput","%","14.26"
)csv");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::insufficient_data);
  EXPECT_THAT(report.error().message, HasSubstr("--page raw"));
}

TEST(NcuNumber, AStyleIsKnownOnlyWhereANumberShowsIt) {
  EXPECT_EQ(style_of("1,234"), std::nullopt);
  EXPECT_EQ(style_of("1.234"), std::nullopt);
  EXPECT_EQ(style_of("42"), std::nullopt);
  EXPECT_EQ(style_of("n/a"), std::nullopt);
  EXPECT_EQ(style_of("1,234.5"), NumberStyle::point);
  EXPECT_EQ(style_of("1,234,567"), NumberStyle::point);
  EXPECT_EQ(style_of("0.125"), NumberStyle::point);
  EXPECT_EQ(style_of("1234.567"), NumberStyle::point);
  EXPECT_EQ(style_of("1.234,5"), NumberStyle::comma);
  EXPECT_EQ(style_of("1.234.567"), NumberStyle::comma);
  EXPECT_EQ(style_of("65,77"), NumberStyle::comma);
}

TEST(NcuNumber, CountsAreReadInTheirStyle) {
  EXPECT_EQ(parse_count("1,234.5", NumberStyle::point), 1234.5);
  EXPECT_EQ(parse_count("1.234,5", NumberStyle::comma), 1234.5);
  EXPECT_EQ(parse_count("1\xE2\x80\xAF"
                        "234,5",
                        NumberStyle::comma),
            1234.5);
  EXPECT_EQ(parse_count("4.0e+06", NumberStyle::point), 4e6);
  for (const auto* text : {"", "n/a", "-3", "inf", "nan", "1.2.3", ".", "12 sector"}) {
    EXPECT_EQ(parse_count(text, NumberStyle::point), std::nullopt) << text;
  }
}

TEST(NcuNumber, UnitsOfCountsHaveDecimalPrefixes) {
  EXPECT_EQ(unit_scale(""), 1.0);
  EXPECT_EQ(unit_scale("sector"), 1.0);
  EXPECT_EQ(unit_scale("Ksector"), 1e3);
  EXPECT_EQ(unit_scale("Msectors"), 1e6);
  EXPECT_EQ(unit_scale("Gbyte"), 1e9);
  EXPECT_EQ(unit_scale("inst"), 1.0);
  for (const auto* unit : {"%", "us", "byte/second", "inst/cycle", "K", "sector/K"}) {
    EXPECT_EQ(unit_scale(unit), std::nullopt) << unit;
  }
}

TEST(CsvRecords, PassOverLinesThatAreNone) {
  CsvRecords records("hello\n\"a\",\"b\"\"c\"\n==PROF== x\n\"open\n\"1\",2,\n");
  EXPECT_THAT(*records.next(), ElementsAre("a", "b\"c"));
  EXPECT_THAT(*records.next(), ElementsAre("1", "2", ""));
  EXPECT_EQ(records.next(), std::nullopt);
}

TEST(NcuCommand, LeavesClocksAndCachesAsTheyAre) {
  const auto command = ncu_command({.ncu = "/opt/ncu",
                                    .metrics = {"a.sum", "b.sum"},
                                    .log_file = "out.csv",
                                    .program = {"./probe", "--size", "4"}});
  EXPECT_THAT(command, ElementsAre("/opt/ncu", "--csv", "--page", "raw", "--print-units", "base",
                                   "--clock-control", "none", "--cache-control", "none",
                                   "--target-processes", "all", "--metrics", "a.sum,b.sum",
                                   "--log-file", "out.csv", "./probe", "--size", "4"));
}

TEST(NcuCommand, AsksEachGenerationByItsOwnNames) {
  EXPECT_THAT(ncu_metrics(90), AllOf(Contains("dram__sectors_read.sum"),
                                     Contains("lts__t_sectors_srcunit_ltcfabric.sum")));
  EXPECT_THAT(ncu_metrics(120), AllOf(Contains("dram__sectors_op_read.sum"),
                                      Not(Contains("dram__sectors_read.sum"))));
  EXPECT_THAT(ncu_metrics(80), Contains("smsp__inst_executed_pipe_fp16.sum"));
}

}  // namespace
}  // namespace truewatt::counters::ncu
