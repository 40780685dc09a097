#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>

#include "truewatt/testing/characterized.hpp"

namespace truewatt::characterize {
namespace {

/// Random superchips: CPU of 20 to 320 W beside a GPU of 150 to 650 W, any window and period.
TEST(Scopes, TellsWhoSeesTheModuleOnRandomDevices) {
  int right = 0;
  int covered = 0;
  constexpr int kDevices = 24;
  for (int i = 0; i < kDevices; ++i) {
    std::mt19937_64 rng(100 + static_cast<unsigned>(i));
    const auto draw = [&rng](double low, double high) {
      return low + (high - low) * static_cast<double>(rng() >> 11) * 0x1.0p-53;
    };
    const bool module = i % 2 == 0;
    const double cpu = draw(20, 320);
    const double period = draw(0.02, 0.12);
    const std::string path = testing::TempDir() + "truewatt_scopes.toml";
    std::ofstream(path) << "[power]\nsleep_w = 60\nidle_w = 80\nmax_w = " << draw(230, 730)
                        << "\ncpu_idle_w = 50\ncpu_max_w = " << 50 + cpu
                        << "\novershoot = " << draw(0, 0.15)
                        << "\n[[sensor]]\nsource = \"power.instant\"\nobserves = \""
                        << (module ? "module" : "gpu") << "\"\nupdate_period_s = " << period
                        << "\naveraging_window_s = " << draw(0.1, 1.0) * period
                        << "\nnoise_w = " << draw(0, 2) << "\n";
    const auto result = characterized("sim:" + path, {.scopes = true});
    const SourceProfile& source = result.profile.sources.at(0);
    const bool found = has_reason(source, ProfileReason::observes_module);
    right += found == module ? 1 : 0;
    const Interval& response = source.scopes.value().cpu_response_w.value();
    const double truth = module ? cpu : 0.0;
    covered += response.lower <= truth && truth <= response.upper ? 1 : 0;
  }
  EXPECT_EQ(right, kDevices);
  // Of 24 intervals of 95 % fewer than 20 hold the truth in 0.6 % of cases.
  EXPECT_GE(covered, 20);
}

}  // namespace
}  // namespace truewatt::characterize
