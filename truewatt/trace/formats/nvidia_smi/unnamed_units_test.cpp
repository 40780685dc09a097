#include "truewatt/trace/formats/nvidia_smi/unnamed_units.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

namespace truewatt::trace {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Ten rows, one a second, of a board that draws `power` and whose counter rises by `step` a row.
std::vector<std::string> notes_of_table(std::string_view header, double power, double step) {
  std::string text(header);
  for (int i = 0; i < 10; ++i) {
    text += fmt::format("\n{},{},{}", 1'700'000'000 + i, power + i, 5e6 + i * step);
  }
  const auto log = parse_nvidia_smi_log(text + "\n");
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  return log ? log->notes : std::vector<std::string>();
}

TEST(UnnamedUnits, PowerOfKilowattsWithoutAUnitIsTold) {
  EXPECT_THAT(notes_of_table("timestamp,power,x", 61'000, 0),
              Contains(AllOf(HasSubstr("power names no unit"), HasSubstr("power [mW]"))));
  for (const char* named : {"timestamp,power [mW],x", "timestamp,power_mw,x"}) {
    EXPECT_THAT(notes_of_table(named, 61'000, 0), Not(Contains(HasSubstr("names no unit and"))));
  }
  EXPECT_THAT(notes_of_table("timestamp,power,x", 700, 0),
              Not(Contains(HasSubstr("names no unit and"))));
}

TEST(UnnamedUnits, WattsUnderATitleInMilliwattsAreTold) {
  EXPECT_THAT(notes_of_table("timestamp,power_mw,x", 70, 0),
              Contains(AllOf(HasSubstr("power_mw is read in mW"), HasSubstr("power_w"))));
  EXPECT_THAT(notes_of_table("timestamp,power_w,x", 70, 0), Not(Contains(HasSubstr("is read in"))));
}

TEST(UnnamedUnits, EnergyOfEachRowIsNoRunningCount) {
  std::string text = "timestamp,energy_mj";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("\n{},{}", 1'700'000'000 + i, i >= 15 && i < 25 ? 311'240 : 70'280);
  }
  const auto log = parse_nvidia_smi_log(text + "\n");
  ASSERT_TRUE(log);
  EXPECT_THAT(log->notes, Contains(HasSubstr("energy since the row before")));
}

TEST(UnnamedUnits, ACounterThatAddsUpToNoBoardsPowerIsTold) {
  const auto is_told = Contains(AllOf(HasSubstr("total_energy_consumption names no unit"),
                                      HasSubstr("total_energy_consumption [J]")));
  // 300 J a second read in mJ are 0.3 W, with or without a power beside it.
  EXPECT_THAT(notes_of_table("timestamp,x,total_energy_consumption", 300, 300), is_told);
  EXPECT_THAT(notes_of_table("timestamp,power,total_energy_consumption", 300, 300), is_told);
  EXPECT_THAT(notes_of_table("timestamp,x,total_energy_consumption", 300, 3e8), is_told);
  for (const char* right :
       {"timestamp,x,total_energy_consumption", "timestamp,power,total_energy_consumption"}) {
    EXPECT_THAT(notes_of_table(right, 300, 3e5), Not(is_told)) << right;
  }
  EXPECT_THAT(notes_of_table("timestamp,power,total_energy_consumption [J]", 300, 300),
              Not(is_told));
  // A board may draw less than a watt, and stand still.
  EXPECT_THAT(notes_of_table("timestamp,power,total_energy_consumption", 0.5, 500), Not(is_told));
  EXPECT_THAT(notes_of_table("timestamp,power,total_energy_consumption", 60, 0), Not(is_told));
}

}  // namespace
}  // namespace truewatt::trace
