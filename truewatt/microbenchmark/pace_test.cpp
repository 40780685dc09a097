#include "truewatt/microbenchmark/pace.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
  Profile slow_board = profile_of(0.02, 0.3);
  slow_board.sources.front().averaging_window_s = Interval{0.02, 0.02, 0.02};
  EXPECT_EQ(pace_of(&few_readings).shortest, Seconds(0.3));
  EXPECT_EQ(pace_of(&slow_board).shortest, Seconds(0.3));
  EXPECT_EQ(pace_of(nullptr).shortest, Seconds(0.3));
}

TEST(Pace, WaitsForABoardThatIsKnownToRiseSlowly) {
  Profile board = profile_of(0.02, 0.028);
  FittedModel fitted;
  fitted.board = std::vector<BoardTransient>{{{0.3, 0.25, 0.35}, {0.5, 0.4, 0.6}}};
  board.sources.front().fitted = fitted;
  const Pace pace = pace_of(&board);
  constexpr double kStep = 0.01;  // s, in which it is looked for
  EXPECT_LE(0.3 * std::exp(-pace.settles.count() / 0.5), 0.01);
  EXPECT_GT(0.3 * std::exp(-(pace.settles.count() - kStep) / 0.5), 0.01);
  EXPECT_NEAR((pace.shortest - pace.settles).count(), 0.15, 1e-9);
  fitted.board->front().share.value = 0.009;  // less than it matters
  board.sources.front().fitted = fitted;
  EXPECT_EQ(pace_of(&board).settles, Seconds(0.05));
}

// As 15 s tell of a board that lacks 8 % first, behind 0.88 s.
TEST(Pace, WaitsForARiseWhoseTimeIsHardlyKnown) {
  Profile board = profile_of(0.02, 0.028);
  FittedModel fitted;
  fitted.board = std::vector<BoardTransient>{{{0.083, 0.052, 0.114}, {0.8, -0.57, 2.17}}};
  board.sources.front().fitted = fitted;
  EXPECT_NEAR(pace_of(&board).settles.count(), 0.8 * std::log(8.3), 0.02);
  fitted.board->front().share = {0.083, -0.01, 0.176};
  board.sources.front().fitted = fitted;
  EXPECT_EQ(pace_of(&board).settles, Seconds(0.05));
}

// As of two H100s: a part of a fit that may be nothing, and that takes 1.5 s.
TEST(Pace, DoesNotWaitForWhatAFitOnlyAllows) {
  Profile board = profile_of(0.02, 0.028);
  FittedModel fitted;
  fitted.board = std::vector<BoardTransient>{{{-0.022, -0.072, 0.028}, {1.5, -3.7, 6.7}},
                                             {{0.534, -0.418, 1.486}, {0.3, -0.1, 0.7}},
                                             {{0.02, 0.015, 0.025}, {1.0, 0.9, 1.1}},
                                             {{1.0, 1.0, 1.0}, {0.228, -0.217, 0.673}}};
  board.sources.front().fitted = fitted;
  EXPECT_EQ(pace_of(&board).settles, Seconds(0.05));
}

// An H200's fit: parts of 1.0 and -0.988 behind 0.151 and 0.147 s are one of 0.012.
TEST(Pace, DoesNotWaitForPartsThatCancel) {
  Profile board = profile_of(0.02, 0.028);
  FittedModel fitted;
  fitted.board = std::vector<BoardTransient>{{{1.0, 1.0, 1.0}, {0.1507, 0.062, 0.2394}},
                                             {{-0.988, -0.996, -0.98}, {0.147, 0.0604, 0.2336}}};
  board.sources.front().fitted = fitted;
  EXPECT_LE(pace_of(&board).settles, Seconds(0.3));
  fitted.board->back().time_constant_s = {0.05, 0.04, 0.06};  // it rises late
  board.sources.front().fitted = fitted;
  EXPECT_GT(pace_of(&board).settles, Seconds(0.6));
}

// Of a board that rises by half behind 0.36 s a fit may tell no part, but how late all of it is.
TEST(Pace, WaitsForABoardThatIsLateWhateverItsPartsAre) {
  Profile board = profile_of(0.1, 0.58);
  FittedModel fitted{.age_s = {0.0125, 0.0124, 0.0126}};
  fitted.board = std::vector<BoardTransient>{{{0.667, -21.0, 22.5}, {0.348, -0.25, 0.94}},
                                             {{-0.168, -22.0, 21.7}, {0.315, -1.65, 2.28}}};
  SourceProfile& source = board.sources.front();
  source.fitted = fitted;
  source.total_lag_s = {0.192, 0.179, 0.204};
  EXPECT_NEAR(pace_of(&board).settles.count(), 0.36 * std::log(50), 0.05);
  source.total_lag_s = {0.192, 0.02, 0.364};  // which may be nothing
  EXPECT_EQ(pace_of(&board).settles, Pace{}.settles);
}

// What a board draws too much at first counts like what it lacks: rows were 3 to 16 % high.
TEST(Pace, WaitsForABoardThatOvershoots) {
  Profile board = profile_of(0.02, 0.028);
  FittedModel fitted{.age_s = {0.01, 0.01, 0.01}};
  fitted.board = std::vector<BoardTransient>{{{-0.3, -0.32, -0.28}, {0.25, 0.23, 0.27}}};
  SourceProfile& source = board.sources.front();
  source.fitted = fitted;
  EXPECT_NEAR(pace_of(&board).settles.count(), 0.25 * std::log(30), 0.02);
  // Parts that no fit tells apart, of a board that is surely ahead of its sensor.
  fitted.board = std::vector<BoardTransient>{{{0.7, -21.0, 22.5}, {0.25, -0.25, 0.94}},
                                             {{-1.0, -22.0, 21.7}, {0.25, -1.65, 2.28}}};
  source.fitted = fitted;
  source.total_lag_s = {-0.065, -0.07, -0.06};
  EXPECT_NEAR(pace_of(&board).settles.count(), 0.25 * std::log(30), 0.02);
}

// A reading of 1 s each 0.5 s shows no shorter stretch alone.
TEST(Pace, IsAsSlowAsTheFastestSensor) {
  const auto with_window = [](double period, double window) {
    Profile board = profile_of(period, 0.2);
    const Interval age{window / 2, window / 2, window / 2};
    board.sources.front().fitted =
        FittedModel{.averaging_window_s = {window, window, window}, .age_s = age};
    return board;
  };
  Profile board = with_window(0.5, 1.0);
  const Pace slow = pace_of(&board);
  EXPECT_NEAR((slow.shortest - slow.settles).count(), 2 * 1.5, 1e-9);
  EXPECT_NEAR((slow.idle - Pace{}.idle).count(), 1.5, 1e-9);
  const Profile usual = with_window(0.1000003, 0.1000003);
  EXPECT_EQ(pace_of(&usual).shortest, Pace{}.shortest);
  board.sources.push_back(usual.sources.front());
  EXPECT_EQ(pace_of(&board).shortest, Pace{}.shortest);
  EXPECT_EQ(pace_of(&board).idle, Pace{}.idle);
}

// After few seconds a reading each 0.5 s tells nothing of its window: drivers average over 1 s.
TEST(Pace, AllowsForTheLongestWindowThatIsNotExcluded) {
  Profile board = profile_of(0.5, 0.2);
  SourceProfile& source = board.sources.front();
  const auto counts = [&board] {
    const Pace pace = pace_of(&board);
    return (pace.shortest - pace.settles).count();
  };
  EXPECT_NEAR(counts(), 2 * (0.5 + 1.1 * 0.2 / 0.8), 0.02);  // by its rise
  source.rise_time_s.reset();
  source.reasons = {ProfileReason::too_few_readings};
  EXPECT_NEAR(counts(), 2 * (0.5 + 1.0), 1e-9);
  source.fitted = FittedModel{.averaging_window_s = {0.3, 0.0, 0.8}, .age_s = {0.3, 0.2, 0.5}};
  EXPECT_NEAR(counts(), 2 * (0.5 + 0.8), 1e-9);
  source.fitted->age_s = {0.2, 0.1, 0.3};  // which leaves no room for more than 0.6
  EXPECT_NEAR(counts(), 2 * (0.5 + 0.6), 1e-9);
}

// What the memory's own sensor shows is not the board.
TEST(Pace, DoesNotWaitForTheMemorysSensor) {
  Profile board = profile_of(0.02, 0.028);
  SourceProfile memory = board.sources.front();
  memory.source.scope = Scope::memory;
  FittedModel fitted;
  fitted.board = std::vector<BoardTransient>{{{0.3, 0.25, 0.35}, {0.5, 0.4, 0.6}}};
  memory.fitted = fitted;
  board.sources.push_back(memory);
  EXPECT_EQ(pace_of(&board).settles, Seconds(0.05));
}

// Of an H100's rows beside one that met 700 W: 390 W at 1710 MHz, for 0.3 s.
TEST(Pace, AClockStillLoweredByTheStretchBeforeIsTold) {
  EXPECT_TRUE(is_still_held(Watts(690), Watts(390)));
  EXPECT_FALSE(is_still_held(Watts(690), Watts(680)));
  EXPECT_FALSE(is_still_held(std::nullopt, Watts(390)));
}

TEST(Pace, TheDriverMayLowerClocksNearTheLimit) {
  EXPECT_TRUE(is_near_limit(Watts(675), Watts(700)));
  EXPECT_FALSE(is_near_limit(Watts(600), Watts(700)));
  EXPECT_FALSE(is_near_limit(Watts(675), std::nullopt));
}

}  // namespace
}  // namespace truewatt::microbenchmark
