#include "truewatt/counters/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::counters {
namespace {

TEST(Refusal, SaysWhatHappenedAndWhatToSet) {
  const auto error = counters_refused("ncu was refused");
  EXPECT_EQ(error.code, Errc::permission);
  EXPECT_THAT(error.message, testing::StartsWith("ncu was refused: "));
  for (const auto* part : {"CAP_SYS_ADMIN", "--cap-add=SYS_ADMIN",
                           "options nvidia NVreg_RestrictProfilingToAdminUsers=0", "reboot"}) {
    EXPECT_THAT(error.message, testing::HasSubstr(part));
  }
}

}  // namespace
}  // namespace truewatt::counters
