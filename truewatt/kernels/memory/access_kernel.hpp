#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

/// What the sectors hold that are moved: buses draw by the bits that toggle.
enum class Data { random, zeros };
std::string_view to_string(Data data);  ///< "random", "zeros"

/// A walk over memory. Every block takes steps of `copies` rows; in a row each thread of the block
/// accesses its own `bytes` beside its neighbours'. A row is at least `stride` bytes.
struct AccessPattern {
  MemorySpace space = MemorySpace::global;
  MemoryOperation operation = MemoryOperation::load;
  bool through_l1 = true;  ///< .ca; false: .cg, which L1 does not keep
  Data data = Data::random;
  unsigned bytes = 16;     ///< of a thread's access: 8 or 16
  unsigned copies = 8;     ///< accesses of an iteration
  unsigned threads = 256;  ///< of a block: a power of two up to 1024
  unsigned stride = 32;    ///< least bytes from row to row
  Grid grid = Grid::block_per_multiprocessor;
  bool of_block = true;      ///< each block walks a region of its own; else all walk one array
  std::uint64_t region = 0;  ///< bytes of it; below 2^31
  std::uint64_t array = 0;   ///< bytes of device memory, for all blocks; 0: as many as that takes
  bool dependent = false;    ///< loads: each address waits for the load before it
  bool divide = false;       ///< a div.u32 behind each access (the cross-check of Delestrac et al.
                             ///< 2024, section VI-D)
  bool without = false;      ///< the same loop without the accesses: what else it costs
};

/// Bytes of a row, and of all rows of an iteration.
std::uint64_t row_bytes(const AccessPattern& pattern);
std::uint64_t step_bytes(const AccessPattern& pattern);
/// Sectors of 32 bytes that one thread's access comes to.
double sectors_per_access(const AccessPattern& pattern);

/// The kernel of a walk (Delestrac et al., ASAP 2024, section V-B, generalised): loads keep all
/// they read in a sum without carries, which is checked; stores write what they read at their
/// begin. `without` shares its name's stem with the one that it is the twin of. The region must
/// hold a step. Kernels of one array share it.
std::shared_ptr<const Kernel> make_access_kernel(const AccessPattern& pattern);

inline constexpr std::string_view kAccessEntry = "truewatt_access";

}  // namespace truewatt::kernels
