#include "truewatt/base/source.hpp"

#include <gmock/gmock.h>

namespace truewatt {
namespace {

using testing::ElementsAre;
using enum SourceKind;

TEST(SourceKinds, AreFoundByTheirNames) {
  for (const SourceKind kind : kSourceKinds) EXPECT_EQ(parse_source_kind(to_string(kind)), kind);
  EXPECT_EQ(parse_source("power.average@module"), (SourceId{power_average, Scope::module}));
  EXPECT_EQ(parse_source("power"), std::nullopt);
  EXPECT_EQ(parse_source(""), std::nullopt);
}

TEST(SourceKinds, AreBelievedCountersFirstAndAveragesLast) {
  EXPECT_THAT(kKindsAsBelieved, ElementsAre(energy_counter, power_samples, power_instant,
                                            power_usage, power_average));
}

TEST(SourceKinds, CalibrateTheLeastAveragedBesideACounter) {
  EXPECT_THAT(kKindsBySharpness, ElementsAre(energy_counter, power_instant, power_samples,
                                             power_usage, power_average));
}

TEST(SourceKinds, ArePolledByOthersFromNvidiaSmisPowerDrawOn) {
  EXPECT_THAT(kKindsPolled, ElementsAre(power_usage, power_average, power_instant));
}

TEST(SourceKinds, CountEnergyOrWattsAndComeOneByOneButForTheRing) {
  for (const SourceKind kind : kSourceKinds) {
    EXPECT_EQ(counts_energy(kind), kind == energy_counter) << to_string(kind);
    EXPECT_EQ(comes_in_ring(kind), kind == power_samples) << to_string(kind);
  }
}

}  // namespace
}  // namespace truewatt
