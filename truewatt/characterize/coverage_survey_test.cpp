#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "truewatt/testing/characterized.hpp"

namespace truewatt::characterize {
namespace {

/// How often intervals held the truth.
struct Tally {
  int held = 0;
  int all = 0;
  void add(const Interval& interval, double truth) {
    held += interval.lower <= truth && truth <= interval.upper ? 1 : 0;
    ++all;
  }
  /// 3.2 standard deviations below 95 %, of so many intervals as are drawn for themselves: among
  /// some twenty sources it is by chance in none.
  double least(int alike = 1) const {
    return 0.95 - 3.2 * std::sqrt(0.95 * 0.05 * alike / static_cast<double>(all));
  }
  double share() const { return static_cast<double>(held) / static_cast<double>(all); }
};

using Tallies = std::map<std::string, Tally>;

Tally total(const Tallies& tallies) {
  Tally sum;
  for (const auto& [name, tally] : tallies) {
    sum.held += tally.held;
    sum.all += tally.all;
  }
  return sum;
}

void print(const Tallies& tallies) {
  for (const auto& [name, tally] : tallies) {
    fmt::print("{:<44} {:5.1f} % of {}\n", name, 100 * tally.share(), tally.all);
  }
}

void add_agreement(Tallies& tallies, const std::string& device, const Profile& profile) {
  for (const SourceProfile& source : profile.sources) {
    if (!source.counter) continue;
    for (const auto& other : source.counter->agreement) {
      tallies[device + " " + to_string(other.source)].add(other.ratio, 1.0);
    }
  }
}

void add_levels(Tallies& shares, Tallies& later, const std::string& device,
                const Profile& profile) {
  for (const SourceProfile& source : profile.sources) {
    const std::string name = device + " " + to_string(source.source);
    for (const auto& level : source.levels) {
      shares[name + " share"].add(level.share, level.level);
      later[name + " later"].add(level.later_s, 0.0);
    }
  }
}

/// Few, so that it is a test; TRUEWATT_COVERAGE_SEEDS of them make a survey.
std::uint64_t seeds(std::uint64_t usual) {
  const char* wanted = std::getenv("TRUEWATT_COVERAGE_SEEDS");
  return wanted ? std::strtoull(wanted, nullptr, 10) : usual;
}

Profile profile_of(const std::string& device, std::uint64_t seed) {
  return characterized("sim:" + device, {.seed = seed}).profile;
}

TEST(Coverage, ACountersIntervalsHoldThatItCountsWhatIsShown) {
  Tallies ratios;
  for (const char* device : {"a100", "h100", "h200"}) {
    for (std::uint64_t seed = 1; seed <= seeds(3); ++seed) {
      add_agreement(ratios, device, profile_of(device, seed));
    }
  }
  print(ratios);
  ASSERT_GE(ratios.size(), 7U);
  for (const auto& [name, tally] : ratios) EXPECT_GE(tally.share(), tally.least()) << name;
  EXPECT_GE(total(ratios).share(), total(ratios).least());
}

// A simulated board draws its level's share of full power, and no sensor of it is later at a level.
// Intervals may be wider than need be (a source whose ticks move more than its fit believes), not
// narrower. The three levels of a run share its board and its fit.
TEST(Coverage, ALevelsIntervalsHoldItsShareAndThatItIsNotLater) {
  Tallies shares;
  Tallies later;
  for (const char* device :
       {"a100", "h100", "h200", "k40", "p100", "rtx3090", "rtx4090", "turing", "v100"}) {
    for (std::uint64_t seed = 1; seed <= seeds(1); ++seed) {
      add_levels(shares, later, device, profile_of(device, seed));
    }
  }
  for (const Tallies* tallies : {&shares, &later}) {
    print(*tallies);
    ASSERT_GE(tallies->size(), 18U);
    for (const auto& [name, tally] : *tallies) EXPECT_GE(tally.share(), tally.least(3)) << name;
    EXPECT_GE(total(*tallies).share(), total(*tallies).least(3));
  }
}

}  // namespace
}  // namespace truewatt::characterize
