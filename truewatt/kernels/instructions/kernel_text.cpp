// The PTX around the copies of an instruction: loads, the loop, stores.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/kernels/instructions/layout.hpp"

namespace truewatt::kernels {
namespace {

constexpr std::string_view kHead = R"(.version {major}.{minor}
.target {target}
.address_size 64

{shared}.visible .entry {entry}(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_iterations
)
{{
    .reg .pred %p_more, %p_true, %p_also;
    .reg .b32 %r_block, %r_width, %r_lane, %r_index, %r_iterations, %r_word, %r_kept, %r_more<4>;
    .reg .b64 %rd_in, %rd_out, %rd_offset;
{registers}
    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_iterations, [param_iterations];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_width, %ntid.x;
    mov.u32 %r_lane, %tid.x;
    mad.lo.u32 %r_index, %r_block, %r_width, %r_lane;
    mul.wide.u32 %rd_offset, %r_index, {operand_bytes};
    add.u64 %rd_in, %rd_in, %rd_offset;
    mul.wide.u32 %rd_offset, %r_index, {result_bytes};
    add.u64 %rd_out, %rd_out, %rd_offset;
)";

/// Two words that operand_data() never makes 0, for $p and $q.
constexpr std::string_view kTrue = R"(    ld.global.u32 %r_word, [%rd_in+184];
    setp.ne.u32 %p_also, %r_word, 0;
    ld.global.u32 %r_word, [%rd_in+188];
    setp.ne.u32 %p_true, %r_word, 0;
    mov.u32 %r_kept, %r_index;
)";

constexpr std::string_view kLoop = R"(    setp.eq.u32 %p_more, %r_iterations, 0;
    @%p_more bra DONE;

LOOP:
    .pragma "nounroll";
)";

/// One word is made of all counts, so that a loop without copies is a loop nevertheless: it is
/// stored where it has one value in four thousand million, which the assembler cannot exclude.
constexpr std::string_view kLoopEnd = R"(    xor.b32 %r_kept, %r_kept, %r_iterations;
    sub.u32 %r_iterations, %r_iterations, 1;
    setp.ne.u32 %p_more, %r_iterations, 0;
    @%p_more bra LOOP;

DONE:
    setp.eq.u32 %p_more, %r_kept, 0x5eed0bad;
    @%p_more st.global.u32 [%rd_out+60], %r_kept;
)";

/// A second counter: four multiply-adds that depend on one another, as many as the loop's own
/// instructions. Its value is stored where it is one that the assembler cannot exclude.
constexpr std::string_view kMoreSetup = R"(    mov.u32 %r_more0, %r_index;
    mov.u32 %r_more1, %r_width;
)";
constexpr std::string_view kMore = R"(    mad.lo.u32 %r_more0, %r_more0, %r_more1, %r_lane;
    mad.lo.u32 %r_more0, %r_more0, %r_more1, %r_block;
    mad.lo.u32 %r_more0, %r_more0, %r_more1, %r_index;
    mad.lo.u32 %r_more0, %r_more0, %r_more1, %r_word;
)";
constexpr std::string_view kMoreEnd = R"(    setp.eq.u32 %p_more, %r_more0, 0x5eed;
    @%p_more st.global.u32 [%rd_out+60], %r_more0;
)";

std::string_view register_type(char kind) {
  switch (kind) {
    case 'd':
      return "b64";
    case 'h':
      return "b16";
    case 'f':
      return "f32";
    case 'g':
      return "f64";
    default:
      return "b32";
  }
}

/// One operand: a register, or several in braces.
std::string operand(char name, Registers registers, unsigned k) {
  if (registers.count == 1) return fmt::format("%{}{}_0", name, k);
  std::string list = "{";
  for (int i = 0; i < registers.count; ++i) {
    list += fmt::format("{}%{}{}_{}", i == 0 ? "" : ", ", name, k, i);
  }
  return list + "}";
}

std::string declarations(char name, Registers registers) {
  std::string text;
  for (unsigned k = 0; k < kRing; ++k) {
    text += fmt::format("    .reg .{} %{}{}_<{}>;\n", register_type(registers.kind), name, k,
                        registers.count);
  }
  return text;
}

std::string transfers(std::string_view form, char name, Registers registers, std::size_t at) {
  const std::size_t bytes = register_bytes(registers.kind);
  std::string text;
  for (unsigned k = 0; k < kRing; ++k) {
    for (int i = 0; i < registers.count; ++i) {
      text +=
          fmt::format(fmt::runtime(form), fmt::arg("type", register_type(registers.kind)),
                      fmt::arg("at", at + kOperandStride * k + bytes * static_cast<std::size_t>(i)),
                      fmt::arg("register", fmt::format("%{}{}_{}", name, k, i)));
    }
  }
  return text;
}

constexpr std::string_view kLoad = "    ld.global.{type} {register}, [%rd_in+{at}];\n";
constexpr std::string_view kStore = "    st.global.{type} [%rd_out+{at}], {register};\n";

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

/// Each statement on a line of its own.
std::string lines(std::string_view statements) {
  std::string text;
  for (std::size_t at = 0; at < statements.size();) {
    const std::size_t end = std::min(statements.find("; ", at), statements.size() - 1);
    text += fmt::format("    {}\n", statements.substr(at, end + 1 - at));
    at = end + 2;
  }
  return text;
}

/// Replaces a role's placeholder, "$d", and those of its parts, "$d0", "$d1", ...
void replace_role(std::string& text, std::string_view placeholder, char name, Registers registers,
                  unsigned k) {
  for (int i = 0; registers.count > 1 && i < registers.count; ++i) {
    replace_all(text, fmt::format("{}{}", placeholder, i), fmt::format("%{}{}_{}", name, k, i));
  }
  replace_all(text, placeholder, operand(name, registers, k));
}

std::string one_copy(const Instruction& instruction, unsigned copy, Optimization optimization) {
  const unsigned k = copy % kRing;
  std::string text = lines(instruction.text);
  // At O0 nothing is merged, and a predicate would cost a select of its own.
  const bool even = copy / kRing % 2 == 0;
  const bool merges = optimization == Optimization::O3;
  replace_all(text, "$p ", merges && even ? "@%p_true " : "");
  replace_all(text, "$q ", !merges ? "" : even ? "@%p_true " : "@%p_also ");
  replace_role(text, "$d", 'd', instruction.d, k);
  replace_role(text, "$n", 'd', instruction.d, (k + 1) % kRing);
  replace_role(text, "$m", 'd', instruction.d, (k + kRing - 1) % kRing);
  replace_role(text, "$c", 'c', instruction.c, k);
  replace_role(text, "$e", 'e', instruction.e, k);
  replace_all(text, "$i", fmt::format("{}", k));
  replace_all(text, "$l", fmt::format("COPY_{}", copy));
  return text;
}

std::string head(const Instruction& instruction) {
  return fmt::format(
      kHead, fmt::arg("major", instruction.ptx_version / 10),
      fmt::arg("minor", instruction.ptx_version % 10),
      fmt::arg("target", to_string(instruction.lowest)), fmt::arg("entry", kInstructionEntry),
      fmt::arg("shared", instruction.shared_bytes == 0
                             ? ""
                             : fmt::format(".shared .align 128 .b8 shared_values[{}];\n\n",
                                           instruction.shared_bytes)),
      fmt::arg("registers", declarations('d', instruction.d) + declarations('c', instruction.c) +
                                declarations('e', instruction.e)),
      fmt::arg("operand_bytes", kOperandBytes), fmt::arg("result_bytes", kResultBytes));
}

}  // namespace

std::string to_string(Target target) {
  return fmt::format("sm_{}{}", target.sm, target.arch_specific ? "a" : "");
}

bool exists_on(const Instruction& instruction, Target device) {
  if (instruction.lowest.arch_specific) return device.sm == instruction.lowest.sm;
  return device.sm >= instruction.lowest.sm;
}

Result<KernelText> instruction_kernel(const Instruction& instruction, Target device,
                                      unsigned copies, Optimization optimization,
                                      LoopOverhead overhead) {
  if (copies % kRing != 0) {
    return Unexpected(Errc::invalid_argument, fmt::format("{} copies of {}: give a multiple of {}",
                                                          copies, instruction.key, kRing));
  }
  if (!exists_on(instruction, device)) {
    return Unexpected(
        Errc::unsupported,
        fmt::format("{} needs {}{}, the device is {}", instruction.key,
                    to_string(instruction.lowest),
                    instruction.lowest.arch_specific ? "" : " or newer", to_string(device)));
  }
  const bool more = overhead == LoopOverhead::doubled;
  std::string text = head(instruction);
  text += transfers(kLoad, 'd', instruction.d, kRingAt) +
          transfers(kLoad, 'c', instruction.c, kConstantsAt) +
          transfers(kLoad, 'e', instruction.e, kMoreConstantsAt);
  text += kTrue;
  text += lines(instruction.setup);
  if (more) text += kMoreSetup;
  text += kLoop;
  text += lines(instruction.begin);
  for (unsigned copy = 0; copy < copies; ++copy) {
    text += one_copy(instruction, copy, optimization);
  }
  text += lines(instruction.end);
  if (more) text += kMore;
  text += kLoopEnd;
  if (more) text += kMoreEnd;
  text += lines(instruction.finish);
  text += transfers(kStore, 'd', instruction.d, kRingAt) + "    ret;\n}\n";
  return KernelText{.ptx = std::move(text),
                    .instructions_per_iteration = copies,
                    .shared_bytes = instruction.shared_bytes,
                    .threads_multiple = instruction.threads_multiple};
}

}  // namespace truewatt::kernels
