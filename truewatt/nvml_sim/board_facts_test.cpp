#include "truewatt/nvml_sim/board_facts.hpp"

#include <gtest/gtest.h>

namespace truewatt::nvml_sim {
namespace {

TEST(BoardFacts, EveryBuiltInDeviceHasItsOwn) {
  for (const std::string& name : builtin_device_names()) {
    EXPECT_NE(board_facts(builtin_device(name).value()).compute_major, 0) << name;
  }
}

}  // namespace
}  // namespace truewatt::nvml_sim
