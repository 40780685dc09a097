#include "truewatt/energy/observe/read_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::energy {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

ObservedSource source_of(Look look, const std::vector<double>& times) {
  ObservedSource source{.look = look, .period = 0.1};
  for (const double time : times) source.readings.push_back({.time = time, .value = 10.0});
  if (look == Look::counter) source.readings.front().is_first = true;
  return source;
}

/// `count` times, so far apart, from `from` on.
std::vector<double> every(double apart, int count, double from = 0.0) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(from + apart * i);
  return times;
}

std::vector<double> both(std::vector<double> times, const std::vector<double>& more) {
  times.insert(times.end(), more.begin(), more.end());
  return times;
}

ObservedBoard board_of(std::vector<ObservedSource> sources) {
  ObservedBoard board{.sources = std::move(sources)};
  note_read_time(board);
  return board;
}

auto span(double begin, double end) {
  return AllOf(Field(&TimeSpan::begin, testing::DoubleNear(begin, 1e-9)),
               Field(&TimeSpan::end, testing::DoubleNear(end, 1e-9)));
}

TEST(ReadTime, OfAPowerSourceEndsOneAndAHalfPeriodsFromAHole) {
  const auto board = board_of({source_of(Look::point, both(every(0.1, 20), every(0.1, 20, 9.0)))});
  EXPECT_THAT(board.read, ElementsAre(span(-0.15, 2.05), span(8.85, 11.05)));
  EXPECT_THAT(board.summed, IsEmpty());
}

TEST(ReadTime, OfACounterGoesThroughAHoleAsASum) {
  const auto board =
      board_of({source_of(Look::counter, both(every(0.1, 20), every(0.1, 20, 9.0)))});
  EXPECT_THAT(board.read, SizeIs(1));
  EXPECT_THAT(board.summed, ElementsAre(span(1.9, 9.0)));
}

TEST(ReadTime, IsNoSumWherePowerIsReadBesideTheCounter) {
  const auto counter = source_of(Look::counter, both(every(0.1, 20), every(0.1, 20, 9.0)));
  EXPECT_THAT(board_of({source_of(Look::point, every(0.1, 110)), counter}).summed, IsEmpty());
}

// A log that goes on with a row a second is read as seldom as it is written.
TEST(ReadTime, IsWholeWhereTheLoggerIsSlowerInAPart) {
  for (const Look look : {Look::point, Look::counter}) {
    const auto board = board_of({source_of(look, both(every(0.1, 50), every(1.0, 20, 5.9)))});
    EXPECT_THAT(board.read, SizeIs(1));
    EXPECT_THAT(board.summed, IsEmpty());
  }
}

TEST(ReadTime, EndsASecondBehindTheLastOfSlowRows) {
  auto slow = source_of(Look::point, every(30.0, 10));
  slow.period = 30.0;
  EXPECT_THAT(board_of({slow}).read, ElementsAre(span(-1.0, 271.0)));
}

}  // namespace
}  // namespace truewatt::energy
