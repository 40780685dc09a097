#include "truewatt/energy/estimate/idle_rung.hpp"

#include <gtest/gtest.h>

namespace truewatt::energy {
namespace {

using std::chrono::milliseconds;

constexpr HostTime at_ms(int ms) { return HostTime(milliseconds(ms)); }

struct Note {
  int p_state = 0;
  std::uint64_t megabytes = 0;
  double mhz = 0.0;
};

/// One note a second.
Recording noted(const std::vector<Note>& notes) {
  Recording recording;
  int ms = 0;
  for (const Note& one : notes) {
    recording.health.push_back({.time = at_ms(ms),
                                .p_state = one.p_state,
                                .sm_clock_mhz = one.mhz,
                                .memory_used_bytes = one.megabytes << 20});
    ms += 1000;
  }
  return recording;
}

// As an H200 shows it: a context takes 500 MB and more, and clocks go down where none exists.
TEST(IdleRung, IsToldByPStateMemoryAndClock) {
  const Recording recording =
      noted({{8, 615, 345}, {0, 615, 420}, {0, 615, 1980}, {0, 2100, 1980}, {0, 2100, 1980}});
  EXPECT_EQ(rung_of(recording, at_ms(-200), at_ms(300)), IdleRung::asleep);
  EXPECT_EQ(rung_of(recording, at_ms(900), at_ms(1300)), IdleRung::bare);
  EXPECT_EQ(rung_of(recording, at_ms(1800), at_ms(2300)), IdleRung::active);
  EXPECT_EQ(rung_of(recording, at_ms(3000), at_ms(4500)), IdleRung::context);
}

TEST(IdleRung, WithAContextClocksThatAreStillUpAreActive) {
  const Recording recording = noted({{0, 2100, 1980}, {0, 2100, 700}});
  EXPECT_EQ(rung_of(recording, at_ms(0), at_ms(100)), IdleRung::active);
}

TEST(IdleRung, IsNoneWhereItChangesOrNothingShowsIt) {
  const Recording changes = noted({{8, 615, 345}, {0, 2100, 1980}, {0, 2100, 1980}});
  EXPECT_FALSE(rung_of(changes, at_ms(0), at_ms(1000)));
  const Recording steady = noted({{0, 615, 1980}, {0, 615, 1980}});
  EXPECT_FALSE(rung_of(steady, at_ms(0), at_ms(1000)));
  EXPECT_FALSE(rung_of(Recording(), at_ms(0), at_ms(1000)));
  EXPECT_FALSE(rung_of(changes, at_ms(100), at_ms(900))) << "nothing was noted in it";
}

}  // namespace
}  // namespace truewatt::energy
