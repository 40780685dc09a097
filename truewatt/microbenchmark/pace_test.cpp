#include "truewatt/microbenchmark/pace.hpp"

#include <gtest/gtest.h>

namespace truewatt::microbenchmark {
namespace {

Profile profile_of(double period, double rise) {
  SourceProfile source;
  source.update_period_s = Interval{period, period, period};
  source.rise_time_s = Interval{rise, 0.9 * rise, 1.1 * rise};
  Profile profile;
  profile.sources = {source};
  return profile;
}

TEST(Pace, IsFastWhereASensorShowsAStepAtOnce) {
  const Profile ring = profile_of(0.02, 0.028);
  EXPECT_EQ(pace_of(&ring).shortest, Seconds(0.2));
  EXPECT_EQ(pace_of(&ring).settles, Seconds(0.05));
}

TEST(Pace, IsSlowWhereNothingShowsIt) {
  const Profile few_readings = profile_of(0.1, 0.028);
  const Profile slow_board = profile_of(0.02, 0.3);
  for (const Profile* profile : {&few_readings, &slow_board}) {
    EXPECT_EQ(pace_of(profile).shortest, Seconds(0.3));
  }
  EXPECT_EQ(pace_of(nullptr).shortest, Seconds(0.3));
}

}  // namespace
}  // namespace truewatt::microbenchmark
