#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

/// What the operands hold. Datapaths draw by the bits that toggle, so a result names this.
enum class Operands {
  zeros,     ///< every word 0
  constant,  ///< one value in range for a row's registers, the same in every thread
  bits,  ///< random bits: any value of the type, NaNs too; odd integers where products would end at
         ///< 0
  random,  ///< random values in the row's range, which stay alive over any number of iterations
  last_ = random,
};

/// "zeros", "constant", "bits", "random".
std::string_view to_string(Operands operands);
std::optional<Operands> find_operands(std::string_view name);

/// A target of PTX: {90, true} is sm_90a, which runs on compute capability 9.0 alone.
struct Target {
  int sm = 0;
  bool arch_specific = false;
};

/// "sm_75", "sm_90a".
std::string to_string(Target target);

/// What a register's bits stand for; a register of 32 bits holds two of 16 or four of 8.
enum class Element { integer, f16, bf16, f32, tf32, f64, e4m3, e5m2 };

/// The registers of one operand.
struct Registers {
  char kind = 'r';  ///< as PTX declares them. r: .b32, d: .b64, h: .b16, f: .f32, g: .f64
  int count = 1;    ///< more than 1: a list in braces
  Element element = Element::integer;
};

/// The values that Operands::random puts into a row's registers.
enum class Values {
  integers,          ///< any words
  odd,               ///< odd words, which products never bring to 0
  dividends,         ///< ring of 14 to 17 bits, 31-bit dividends in pairs that keep quotients there
  signed_dividends,  ///< the same with random signs
  shifts,            ///< any words, the constants between 1 and 31
  sums,              ///< floats below 1, on a grid where sums are exact; the constants add up to 0
  products,          ///< floats of magnitude 1 to 2; the constants multiply to 1
  positive,          ///< floats of 1 to 2
  large,             ///< floats of 4 to 8
  counts,            ///< floats of magnitude 2^20 to 2^24
  affine,            ///< floats below 1, the constants below 0.75: a ring that contracts
  matrices,          ///< factors of matrices whose products add up to 0 over a ring
};

struct Instruction;

/// One step of a row on the host, on bits: d (the register written), n and m (the next and the last
/// one of the ring), c and e (the thread's constants).
struct StepOperands {
  std::uint64_t d, n, m, c, e;
};
using Step = std::uint64_t (*)(const StepOperands&);

/// One PTX instruction: a row of the table.
struct Instruction {
  std::string_view key;    ///< as users name it: "add.s32", "mma.sync.m16n8k16.f32.f16"
  std::string_view group;  ///< a group of Table I of Arafa et al. 2020, or one of ours
  std::string_view paper;  ///< its row of that table, empty if it has none
  /// Copy k in PTX. $d: register k of the ring, $n and $m: registers k + 1 and k - 1 of it, $c and
  /// $e: constants k of the thread, all modulo 4; $d0, $d1: parts of an operand of several
  /// registers. $p: at O3, in every other round of the ring, a predicate that is always true, which
  /// the assembler cannot know: what it would merge stays apart; $q: one in every round. $i: k
  /// modulo 4; $j: k + 1. $l: a label of the copy.
  std::string_view text;
  /// Machine instructions that show that it ran, "IADD3|IMAD.IADD|VIADD", and how many one copy
  /// has.
  std::string_view machine;
  double machine_count = 1;
  Values values = Values::integers;
  Registers d{}, c{}, e{};
  Step step = nullptr;         ///< on the host; nullptr where `unchecked` says why not
  std::string_view unchecked;  ///< why the host does not compute the results again
  std::string_view partner;    ///< what each copy runs as well, "add.s32"; empty if nothing
  bool settles = false;        ///< results come to rest: a register then keeps its value
  Target lowest{75, false};    ///< lowest target; arch_specific: only this one
  int ptx_version = 64;        ///< lowest, 64 = 6.4
  int fma_per_warp = 0;        ///< multiply-adds of a matrix instruction per warp, else 0
  unsigned threads_multiple = 32;
  unsigned shared_bytes = 0;    ///< shared memory of a block, as `shared_values` in PTX
  std::string_view setup;       ///< PTX before the loop
  std::string_view begin, end;  ///< PTX at the start and the end of an iteration
  std::string_view finish;      ///< PTX after the loop
};

/// The table.
std::span<const Instruction> instructions();

/// The row of this key, nullptr if there is none.
const Instruction* find_instruction(std::string_view key);

/// Whether the row exists on a device of this target.
bool exists_on(const Instruction& instruction, Target device);

/// Name of the kernel in every text made here. Parameters: `u64` address of the operands, `u64`
/// address of the results, `u32` iterations of the loop (0 is allowed). Thread t of the grid reads
/// kOperandBytes at in + t * kOperandBytes and stores kResultBytes at out + t * kResultBytes.
inline constexpr std::string_view kInstructionEntry = "truewatt_instruction";
inline constexpr std::size_t kOperandBytes = 192;
inline constexpr std::size_t kResultBytes = 64;
/// Registers of the ring: `copies` is a multiple of it.
inline constexpr unsigned kRing = 4;

struct KernelText {
  std::string ptx;
  unsigned instructions_per_iteration = 0;  ///< PTX instructions of the row that a thread runs
  unsigned shared_bytes = 0;       ///< static shared memory of a block, already in the text
  unsigned threads_multiple = 32;  ///< a block's threads are a multiple of this
};

/// What the loop does besides the copies: its counter, comparison and branch and a word made of all
/// counts; or as many instructions again of a second counter. Energies per instruction must not
/// depend on it.
enum class LoopOverhead { normal, doubled };

/// The kernel that runs `copies` of the instruction per iteration of its loop, on a ring of four
/// registers per thread. 0 copies: the empty loop with the same loads and stores. invalid_argument:
/// copies is no multiple of kRing; unsupported: the row does not exist on the device.
Result<KernelText> instruction_kernel(const Instruction& instruction, Target device,
                                      unsigned copies, Optimization optimization,
                                      LoopOverhead overhead = LoopOverhead::normal);

/// One instruction of a kernel of several, and its copies in an iteration.
struct MixedPart {
  const Instruction* instruction = nullptr;
  unsigned copies = 0;
};

/// The kernel whose loop runs the copies of all parts, a ring of each in turn; each part has a ring
/// of its own. Thread t reads kOperandBytes for every part at in + t * parts * kOperandBytes, and
/// stores as many times kResultBytes. invalid_argument: copies that are no multiple of kRing, or a
/// part whose row has PTX around its copies; unsupported as above.
Result<KernelText> mixed_kernel(std::span<const MixedPart> parts, Target device,
                                Optimization optimization);

/// All multiprocessors busy with as little switching as can be: a chain of dependent products that
/// issues one instruction every few clocks and whose value is 0 after a few of them. For one warp
/// per multiprocessor; parameters as above.
KernelText spin_kernel(Target device);

/// Operands of `threads` threads, kOperandBytes each: element k of the ring at byte 16 k, constants
/// c at 64 + 16 k, e at 128 + 16 k. The same seed gives the same bytes.
std::vector<std::byte> operand_data(const Instruction& instruction, Operands operands,
                                    std::size_t threads, std::uint64_t seed);

/// What is wrong with the results of the threads given, computed again on the host; nothing if they
/// are right, or if the row cannot be computed there (`unchecked` says why). Time: threads x copies
/// x iterations; check short launches.
std::optional<std::string> check_results(const Instruction& instruction, unsigned copies,
                                         unsigned iterations, std::span<const std::byte> operands,
                                         std::span<const std::byte> results);

}  // namespace truewatt::kernels
