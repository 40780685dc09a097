#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"

namespace truewatt::kernels {

/// What the driver's compiler is asked for.
enum class Optimization { O0, O3 };  // NOLINT(readability-identifier-naming): as compilers say
/// "O0", "O3".
std::string_view to_string(Optimization optimization);

/// How many threads a kernel runs with. Levels of a schedule are shares of its blocks.
enum class Grid {
  full,                       ///< as many as the device holds at a time
  block_per_multiprocessor,   ///< one block of as many threads as a block may have
  thread_per_multiprocessor,  ///< one thread on every multiprocessor
  one_thread,                 ///< one thread on one of them
};

/// PTX of one kernel. Its entry takes `u64 in, u64 out, u32 iterations`: thread t of the grid reads
/// its operands at in + t * operand_bytes and leaves its result at out + t * result_bytes; its loop
/// runs `iterations` times, also 0 times.
struct KernelSource {
  std::string ptx;
  std::string entry;
  std::size_t operand_bytes = 0;   ///< of a thread; a multiple of 4
  std::size_t array_bytes = 0;     ///< instead: of one array at `in` that all threads share
  std::size_t result_bytes = 0;    ///< of a thread
  unsigned threads_multiple = 32;  ///< threads of a block come in multiples of it
};

/// So many of a PTX instruction, executed by one thread.
struct Executed {
  std::string instruction;  ///< its name: "fma.rn.f32"
  double count = 0.0;
};

enum class MemorySpace { shared, global };
enum class MemoryOperation { load, store };
std::string_view to_string(MemoryOperation operation);  ///< "load", "store"

/// The accesses to memory of one iteration of a loop: what decides where they are served.
struct MemoryAccess {
  MemorySpace space = MemorySpace::global;
  MemoryOperation operation = MemoryOperation::load;
  bool through_l1 = true;  ///< L1 may have it; false: L2 at the nearest
  double accesses = 0.0;   ///< of one thread
  double sectors = 0.0;    ///< of 32 bytes that they come to, of one thread
  double bytes = 0.0;      ///< that the walk covers before it begins again
  double stride = 32.0;    ///< bytes from one place that is touched to the next
  bool of_block = false;   ///< `bytes` are each block's own; else all blocks share them
  bool same = false;       ///< ... and all walk the same ones, each by itself
  bool dependent = false;  ///< each access waits for the one before it
};

/// A kernel as a value: what it is made of and what it computes, on any back end. A real device
/// compiles its text; a simulated one draws what `iteration` costs. Immutable; any thread.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// What tells it from others that run beside it, and what a reader sees.
  virtual std::string_view name() const = 0;
  virtual Optimization optimization() const { return Optimization::O3; }
  virtual Grid grid() const { return Grid::full; }
  /// 0: as many as suit the grid.
  virtual unsigned threads_per_block() const { return 0; }
  /// For a device of compute capability `sm` (90 for 9.0). Errors: unsupported where the device
  /// lacks what the kernel is about.
  virtual Result<KernelSource> text(int sm) const = 0;
  /// operand_bytes for each of `threads`, or the array.
  virtual std::vector<std::byte> operands(std::size_t threads) const = 0;
  /// What tells these operands from other kernels'; kernels of one name share them.
  virtual std::string operands_name() const { return std::string(name()); }
  /// What is wrong with the results of a launch of `iterations`, thread by thread; nothing where
  /// they are right, or where the host cannot tell. Of a large array `operands` are the begin.
  virtual std::optional<std::string> check(std::uint32_t iterations,
                                           std::span<const std::byte> operands,
                                           std::span<const std::byte> results) const = 0;
  /// What one thread executes in one iteration of the loop, without the loop's own instructions
  /// and without memory().
  virtual std::vector<Executed> iteration() const = 0;
  /// What it does to memory, where that is what the kernel is about.
  virtual std::vector<MemoryAccess> memory() const { return {}; }
  /// Whether its operands are all 0, so that hardly a bit of the datapath toggles.
  virtual bool zeros() const { return false; }
};

}  // namespace truewatt::kernels
