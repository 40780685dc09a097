#include "truewatt/trace/formats/nvidia_smi/dotted_thousands.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

namespace truewatt::trace {
namespace {

using testing::HasSubstr;

Result<PowerLog> log_of(std::string_view title, std::initializer_list<const char*> cells) {
  std::string text = fmt::format("timestamp,{}\n", title);
  int second = 1'700'000'000;
  for (const char* cell : cells) text += fmt::format("{},{}\n", second++, cell);
  return parse_nvidia_smi_log(text);
}

TEST(DottedThousands, AreRefusedBesideWholeWatts) {
  for (const char* title : {"power_w", "power.draw [W]", "power"}) {
    const auto log = log_of(title, {"400", "1.300", "95", "1.275"});
    ASSERT_FALSE(log) << title;
    EXPECT_THAT(log.error().message, HasSubstr("'1.300'"));
    EXPECT_THAT(log.error().message, HasSubstr("1300"));
  }
  EXPECT_FALSE(log_of("power.draw", {"1.300 W", "400 W", "[N/A]"}));
}

TEST(DottedThousands, DecimalsAreRead) {
  EXPECT_TRUE(log_of("power_w", {"400", "1300", "95"}));             // whole
  EXPECT_TRUE(log_of("power_w", {"400.00", "9.30", "95.25"}));       // two decimals
  EXPECT_TRUE(log_of("power_w", {"400", "9.3", "95.25", "9.125"}));  // as many as it takes
  EXPECT_TRUE(log_of("power_w", {"400", "95.125", "9.125"}));        // of milliwatts
  EXPECT_TRUE(log_of("power_w", {"400", "1300", "9.125"}));          // a whole thousand
  EXPECT_TRUE(log_of("power_w", {"9", "9.125", "12"}));              // of a board near nothing
  EXPECT_TRUE(log_of("power_w", {"400", "0.125"}));                  // no number begins with 0
  EXPECT_TRUE(log_of("power_w", {"9.125", "9.250", "8.875"}));       // three decimals throughout
  EXPECT_TRUE(log_of("power [kW]", {"400", "1.300"}));               // of another unit
}

}  // namespace
}  // namespace truewatt::trace
