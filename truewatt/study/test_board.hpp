#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace truewatt::study {

/// Files of a simulated board that has a sample ring and a counter, both of 20 ms; in a folder of
/// the test's own that goes with it.
class TestBoard {
 public:
  TestBoard() { std::filesystem::create_directories(folder_); }
  ~TestBoard() { std::filesystem::remove_all(folder_); }
  TestBoard(const TestBoard&) = delete;
  TestBoard& operator=(const TestBoard&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  /// The selector of one whose counter has these keys more.
  std::string selector(const std::string& of_counter = "") const {
    const std::filesystem::path file = folder_ / "board.toml";
    std::ofstream(file) << "[power]\nidle_w = 60.0\nmax_w = 500.0\n"
                           "[[sensor]]\nsource = \"power.samples\"\nupdate_period_s = 0.02\n"
                           "averaging_window_s = 0.02\n"
                           "[[sensor]]\nsource = \"energy.counter\"\nupdate_period_s = 0.02\n"
                        << of_counter;
    return "sim:" + file.string();
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("board_" + std::to_string(getpid()));
};

}  // namespace truewatt::study
