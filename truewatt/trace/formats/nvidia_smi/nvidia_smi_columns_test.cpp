#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"

#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

LogColumn column(std::string_view title) {
  return parse_log_header({"timestamp", title}).value().back();
}

TEST(NvidiaSmiColumns, PowerColumnsBecomeSources) {
  EXPECT_EQ(to_string(column("power.draw [W]").source.value()), "power.usage");
  EXPECT_EQ(to_string(column("power.draw.average [W]").source.value()), "power.average");
  EXPECT_EQ(to_string(column("power.draw.instant").source.value()), "power.instant");
  EXPECT_EQ(to_string(column("module.power.draw.instant [W]").source.value()),
            "power.instant@module");
  EXPECT_EQ(column("power.limit [W]").field, LogField::power_limit);
}

TEST(NvidiaSmiColumns, TheDriversCounterIsInMillijoulesUnlessAUnitIsThere) {
  for (const char* title : {"total_energy_consumption", "total_energy_consumption [mJ]",
                            "energy_mJ", "energy_counter"}) {
    EXPECT_EQ(column(title).field, LogField::energy) << title;
    EXPECT_EQ(to_string(column(title).source.value()), "energy.counter") << title;
    EXPECT_EQ(parse_log_number(column(title), "5000"), 5.0) << title;
  }
  EXPECT_EQ(parse_log_number(column("total_energy_consumption [J]"), "5000"), 5000.0);
  EXPECT_EQ(parse_log_number(column("total_energy_consumption [kWh]"), "0.5"), 1.8e6);
  EXPECT_EQ(parse_log_number(column("total_energy_consumption"), "2 Wh"), 7200.0);
  EXPECT_EQ(parse_log_number(column("energy_counter_J"), "5000"), 5000.0);
  EXPECT_EQ(parse_log_number(column("total_energy_mj"), "5000"), 5.0);
  // What a script has added up of powers is no counter.
  for (const char* title : {"energy", "energy_j", "energy_consumed", "total_energy"}) {
    EXPECT_NE(column(title).field, LogField::energy) << title;
  }
}

TEST(NvidiaSmiColumns, ATitleMayNameTheUnitOfTime) {
  for (const char* title : {"time_s", "time_ms", "elapsed_us", "timestamp_ns", "t_s"}) {
    EXPECT_EQ(parse_log_header({title, "power"})->front().field, LogField::timestamp) << title;
  }
  EXPECT_EQ(parse_log_header({"elapsed_us", "power"})->front().unit, "us");
  EXPECT_EQ(column("time_zone").field, LogField::ignored);
}

TEST(NvidiaSmiColumns, AliasesMeanTheSame) {
  EXPECT_EQ(column("clocks.sm [MHz]").field, LogField::sm_clock);
  EXPECT_EQ(column("clocks.current.sm [MHz]").field, LogField::sm_clock);
  EXPECT_EQ(column("clocks_throttle_reasons.active").field, LogField::event_reasons);
  EXPECT_EQ(column("clocks_event_reasons.active").field, LogField::event_reasons);
}

TEST(NvidiaSmiColumns, HeaderIsALineWithATimestampColumn) {
  EXPECT_FALSE(parse_log_header({"power.draw [W]", "pstate"}));
  EXPECT_FALSE(parse_log_header({"2023/07/14 10:10:26.905", "56.38"}));
  EXPECT_EQ(parse_log_header({"timestamp", "power.draw [W]", ""})->size(), 2U);
}

TEST(NvidiaSmiColumns, SecondColumnAboutTheSameIsIgnored) {
  const auto columns = parse_log_header({"timestamp", "clocks.sm", "clocks.current.sm"}).value();
  EXPECT_EQ(columns[1].field, LogField::sm_clock);
  EXPECT_EQ(columns[2].field, LogField::ignored);
}

TEST(NvidiaSmiColumns, AGpusCounterMayHaveAColumnOfItsOwn) {
  for (const auto& [title, unit] :
       {std::pair{"gpu_1_energy_mj", "mJ"}, std::pair{"gpu1_total_energy_j", "J"},
        std::pair{"GPU1 energy counter (kJ)", "kJ"}}) {
    const LogColumn counter = column(title);
    EXPECT_EQ(counter.field, LogField::energy) << title;
    EXPECT_EQ(counter.gpu, 1) << title;
    EXPECT_EQ(counter.unit, unit) << title;
  }
  EXPECT_EQ(column("gpu1_energy_j").field, LogField::ignored) << "somebody may have added it up";
  EXPECT_EQ(column("gpu1_power_energy_mj").field, LogField::ignored);
}

TEST(NvidiaSmiColumns, CellUnitGoesBeforeHeaderUnit) {
  EXPECT_EQ(parse_log_number(column("power.draw [W]"), "46.19 W"), 46.19);
  EXPECT_EQ(parse_log_number(column("power.draw [W]"), "46.19"), 46.19);
  EXPECT_EQ(parse_log_number(column("power.draw"), "46190 mW"), 46190.0 * 1e-3);
  EXPECT_EQ(parse_log_number(column("power.draw"), "46.19W"), 46.19);
  EXPECT_EQ(parse_log_number(column("power.draw"), "46190mW"), 46190.0 * 1e-3);
  EXPECT_EQ(parse_log_number(column("memory.used [MiB]"), "2"), 2097152.0);
  EXPECT_EQ(parse_log_number(column("memory.used"), "2 GiB"), 2147483648.0);
  EXPECT_EQ(parse_log_number(column("temperature.gpu"), "32"), 32.0);
}

TEST(NvidiaSmiColumns, ImpossibleNumbersAreNone) {
  const LogColumn power = column("power.draw [W]");
  for (const char* cell : {"46.19 MHz", "nan", "inf W", "-5", "4294967.29", "1e6", "W", "46.1.9",
                           "46,19", "46.19 W W"}) {
    EXPECT_FALSE(parse_log_number(power, cell)) << cell;
  }
  EXPECT_FALSE(parse_log_number(column("utilization.gpu [%]"), "101 %"));
  EXPECT_FALSE(parse_log_number(column("memory.used [MiB]"), "1e30"));
}

TEST(NvidiaSmiColumns, RefusalsAreNotFaults) {
  for (const char* cell : {"", "N/A", "[N/A]", "[Not Supported]", "[Unknown Error]",
                           "[GPU requires reset]", "[Insufficient Permissions]"}) {
    EXPECT_TRUE(is_unanswered(cell)) << cell;
  }
  EXPECT_FALSE(is_unanswered("46.19"));
  EXPECT_FALSE(is_unanswered("[Unkno"));
}

TEST(NvidiaSmiColumns, PStatesAreSixteen) {
  EXPECT_EQ(parse_p_state("P0"), 0);
  EXPECT_EQ(parse_p_state("P15"), 15);
  EXPECT_FALSE(parse_p_state("P16"));
  EXPECT_FALSE(parse_p_state("P"));
  EXPECT_FALSE(parse_p_state("0"));
}

TEST(NvidiaSmiColumns, ShapeShowsThatANumberWasCut) {
  EXPECT_EQ(shape_of("60.92 W"), shape_of("161.13 W"));
  EXPECT_NE(shape_of("60.9"), shape_of("60.92"));
  EXPECT_NE(shape_of("60.92"), shape_of("60.92 W"));
  EXPECT_NE(shape_of("60"), shape_of("60.92"));
}

}  // namespace
}  // namespace truewatt::trace
