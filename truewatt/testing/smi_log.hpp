#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

namespace truewatt {

inline constexpr SourceId kUsageColumn{SourceKind::power_usage, Scope::gpu};
inline constexpr SourceId kInstantColumn{SourceKind::power_instant, Scope::gpu};

/// 2023/07/14 10:10:26.000 as UTC, and `ms` behind it.
inline HostTime at_ms_of_log(int ms) {
  return HostTime(std::chrono::seconds(1'689'329'426)) + std::chrono::milliseconds(ms);
}

/// A log of nvidia-smi that can be read.
inline trace::PowerLog parsed_log(std::string_view text) {
  auto log = trace::parse_nvidia_smi_log(text);
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  return log ? *std::move(log) : trace::PowerLog{};
}

/// What a column became; empty without it.
inline std::vector<double> watts(const Recording& recording, SourceId source) {
  std::vector<double> all;
  const Trace* trace = find_trace(recording, source);
  if (trace == nullptr) return all;
  for (const Sample& sample : trace->samples) all.push_back(sample.value);
  return all;
}

}  // namespace truewatt
