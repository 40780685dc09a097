#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace truewatt::testing_support {

/// A folder of the test's own, empty at first, that goes with it.
class TestFolder {
 public:
  TestFolder() { std::filesystem::create_directories(path_); }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("truewatt_test_{}", getpid());
};

}  // namespace truewatt::testing_support
