#include "truewatt/energy/estimate/quiet.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::energy {
namespace {

// What a slow filter still shows of the time before it was read tells little of when that was.
TEST(IdleStretches, LieWhereReadingsAre) {
  ObservedBoard board{.lowest_w = 60.0, .limit_w = 450.0};
  ObservedSource source{.source = {SourceKind::power_usage, Scope::gpu},
                        .period = 0.18,
                        .time_constant = 0.6,
                        .scatter = 1.0};
  for (int i = 0; i < 40; ++i) {
    const double t = 0.18 * i;
    source.readings.push_back({.time = t, .time_sd = 1e-3, .value = 60.0 + 8 * std::exp(-t / 0.6)});
  }
  board.sources.push_back(source);
  const CourseHints known{.work = {{6.0, 6.2, 0}}};
  for (const CourseHints& hints : {CourseHints{}, known}) {
    const EnergyCourse course(board, hints);
    ASSERT_LT(course.span().begin, -1.0);
    const IdleStretches idle(course);
    const auto found = idle.baseline_of({6.0, 6.2}, std::nullopt);
    ASSERT_TRUE(found);
    EXPECT_GE(found->stretch.begin, 0.0);
    for (const double level : idle.levels()) EXPECT_NEAR(level, 60.0, 4.0);
  }
}

}  // namespace
}  // namespace truewatt::energy
