#include "truewatt/simgpu/memory_system.hpp"

#include <algorithm>

namespace truewatt::simgpu {
namespace {

constexpr double kSectorBytes = 32.0;
constexpr double kLineBytes = 128.0;
/// A cache has all of what fits into the first share of it, and nothing from the second on.
constexpr double kAllHit = 0.9;
constexpr double kNoneHit = 1.1;
/// Bytes of a cycle that a multiprocessor gets from each level, and cycles until they are there.
constexpr double kWidth[] = {128.0, 128.0, 40.0, 14.0};
constexpr double kStoreWidth[] = {128.0, 128.0, 17.0, 16.5};
constexpr double kUntilThere[] = {29.0, 33.0, 270.0, 600.0};
constexpr double kMostOutstanding = 8.0;

double hit_share(double bytes, double size) {
  if (size <= 0) return 0.0;
  return std::clamp((kNoneHit - bytes / size) / (kNoneHit - kAllHit), 0.0, 1.0);
}

}  // namespace

ServedSectors served_sectors(const DeviceDescription& device, const MemoryWork& work,
                             double blocks_per_sm) {
  if (work.shared) return {work.sectors, 0.0, 0.0, 0.0};
  // Lines are allocated whole, sectors filled one by one.
  const double lines = work.bytes * kLineBytes / std::max(work.stride, kLineBytes);
  const double in_l1 =
      work.of_block ? lines * std::max(1.0, blocks_per_sm) : lines / device.machine.sms;
  const double in_l2 = work.of_block && !work.same ? lines * device.machine.sms : lines;
  // Places in a sector that L1 just fetched are hits whatever its size.
  const double near = 1.0 - std::min(1.0, work.stride / kSectorBytes);
  double l1 = work.through_l1 ? hit_share(in_l1, static_cast<double>(device.l1_bytes)) : 0.0;
  if (work.through_l1) l1 = near + (1.0 - near) * l1;
  const double l2 = hit_share(in_l2, static_cast<double>(device.l2_bytes));
  const double stray = device.machine.stray;
  const double beyond = work.sectors * (1.0 - l1);
  const double l2_share = (1.0 - stray) * l2 + stray * (1.0 - l2);
  return {0.0, work.sectors * l1, beyond * l2_share, beyond * (1.0 - l2_share)};
}

double joules_of(const DeviceDescription& device, const MemoryWork& work,
                 const ServedSectors& served) {
  double joules = 0.0;
  for (std::size_t i = 0; i < served.size(); ++i) {
    joules += served[i] *
              sector_joules(device, kMemoryLevels[i], {.store = work.store, .zeros = work.zeros});
  }
  return joules;
}

double memory_cycles(const MemoryWork& work, const ServedSectors& served, double threads) {
  double moving = 0.0;
  double waiting = 0.0;
  for (std::size_t i = 0; i < served.size(); ++i) {
    moving += threads * served[i] * kSectorBytes / (work.store ? kStoreWidth : kWidth)[i];
    if (work.sectors > 0) waiting += served[i] / work.sectors * kUntilThere[i];
  }
  const double together = work.dependent ? 1.0 : std::clamp(work.accesses, 1.0, kMostOutstanding);
  return std::max(moving, work.accesses * waiting / together);
}

}  // namespace truewatt::simgpu
