#pragma once

#include <string_view>

#include "truewatt/model/device_description.hpp"

namespace truewatt {

/// Levels of a memory hierarchy, as [memory] names them, from the nearest.
inline constexpr std::string_view kMemoryLevels[] = {"shared", "l1", "l2", "dram"};

/// What a sector is moved for, and what it holds.
struct SectorUse {
  bool store = false;
  bool zeros = false;
};

/// Joules of a sector of 32 bytes served at `level`, all the way, on a simulated device: of its own
/// tables, else usual ones of an A100 (loads above a busy spin that a project published: 2.6, 3.7,
/// 24.8, 79 pJ per byte). Stores and zeros cost what random loads do unless the device says
/// otherwise; stores of zeros are less by the same factor as loads of zeros.
double sector_joules(const DeviceDescription& device, std::string_view level, SectorUse use);

}  // namespace truewatt
