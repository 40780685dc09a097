#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/store/run_file.hpp"

// What the tests of run files have in common.
namespace truewatt::store {

inline constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
inline constexpr SourceId kCounter{SourceKind::energy_counter, Scope::module};

/// A folder of this test alone, removed at the end.
class RunFileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("truewatt-{}-{}", test->name(), getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(std::string_view name = "run.db") const { return folder_ / name; }
  void put(std::string_view name, std::string_view content) const {
    std::ofstream(file(name), std::ios::binary) << content;
  }
  /// A file's content; of a folder nothing.
  std::string bytes(std::string_view name) const {
    if (!std::filesystem::is_regular_file(file(name))) return {};
    std::ifstream stream(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_;
};

inline HostTime at(std::int64_t ns) { return HostTime(Nanoseconds(ns)); }

inline Sample sample_at(std::int64_t ns, double value) {
  return {at(ns - 10), at(ns), std::nullopt, value};
}

/// A small finished run file; returns its samples.
inline std::vector<Sample> write_small_file(const std::filesystem::path& path) {
  auto writer = RunFileWriter::create(path, {});
  EXPECT_TRUE(writer);
  const std::vector<SourceId> sources = {kInstant};
  const int device = writer->add_device({.uuid = "GPU-1"}, sources).value();
  const std::vector<Sample> samples = {sample_at(100, 1.5), sample_at(200, 2.5)};
  EXPECT_TRUE(writer->append(device, kInstant, samples));
  EXPECT_TRUE(writer->finish());
  return samples;
}

}  // namespace truewatt::store
