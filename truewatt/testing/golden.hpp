#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace truewatt::report {

/// Holds `text` against the golden file of that name. With TRUEWATT_UPDATE_GOLDEN set in the
/// environment it writes the file instead; look at the difference before keeping it.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(TRUEWATT_TEST_DATA) + "/golden/" + name;
  if (std::getenv("TRUEWATT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << "wrote " << path;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; run with TRUEWATT_UPDATE_GOLDEN=1";
  const std::string golden((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  EXPECT_EQ(text, golden);
}

}  // namespace truewatt::report
