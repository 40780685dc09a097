#pragma once

#include <gtest/gtest.h>

#include <string>

#include "truewatt/store/profile_file.hpp"

namespace truewatt::testing_support {

/// The profile of a simulated device (`sim:a100`), characterized with seed 1 when the tests were
/// built.
inline Profile profile_of(std::string device) {
  device.replace(device.find(':'), 1, "_");
  const auto profile = store::read_profile(TRUEWATT_PROFILES "/" + device + ".json");
  EXPECT_TRUE(profile) << (profile ? "" : profile.error().message);
  return profile ? *profile : Profile{};
}

}  // namespace truewatt::testing_support
