#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "truewatt/testing/test_folder.hpp"

namespace truewatt::testing_support {

/// Files of a simulated board that has a sample ring and a counter, both of 20 ms; in a folder of
/// the test's own that goes with it.
class TestBoard {
 public:
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// The selector of one whose counter, and whose power, have these keys more.
  std::string selector(const std::string& of_counter = "", const std::string& of_power = "") const {
    const std::filesystem::path file = folder() / "board.toml";
    std::ofstream(file) << "[power]\nidle_w = 60.0\nmax_w = 500.0\n"
                        << of_power
                        << "[[sensor]]\nsource = \"power.samples\"\nupdate_period_s = 0.02\n"
                           "averaging_window_s = 0.02\n"
                           "[[sensor]]\nsource = \"energy.counter\"\nupdate_period_s = 0.02\n"
                        << of_counter;
    return "sim:" + file.string();
  }

 private:
  TestFolder folder_;
};

}  // namespace truewatt::testing_support
