#pragma once

#include <array>

#include "truewatt/model/device_description.hpp"
#include "truewatt/model/sector_energies.hpp"

namespace truewatt::simgpu {

/// Accesses of a thread in one iteration of its loop; kernels/kernel.hpp, MemoryAccess.
struct MemoryWork {
  bool shared = false;
  bool store = false;
  bool zeros = false;
  bool through_l1 = true;
  double accesses = 0.0;
  double sectors = 0.0;
  double bytes = 0.0;
  double stride = 32.0;
  bool of_block = false;
  bool dependent = false;
};

/// Sectors by the level that served them, in the order of kMemoryLevels.
using ServedSectors = std::array<double, std::size(kMemoryLevels)>;

/// Of `work`'s sectors, by the level that serves them when `blocks_per_sm` blocks share an L1.
/// A cache serves everything while what is walked fits into 90 % of it, nothing from 110 % on. Of
/// what is aimed at L2 or DRAM the device's share `stray` is served by the other. Pure.
ServedSectors served_sectors(const DeviceDescription& device, const MemoryWork& work,
                             double blocks_per_sm);

/// Joules of these sectors.
double joules_of(const DeviceDescription& device, const MemoryWork& work,
                 const ServedSectors& served);

/// Cycles of a multiprocessor's clock that an iteration of `threads` threads on it takes at least:
/// bytes over the widths of the levels, and waits where each access needs the one before it, or
/// where as many are under way as a thread can have. Usual ones of Hopper.
double memory_cycles(const MemoryWork& work, const ServedSectors& served, double threads);

}  // namespace truewatt::simgpu
