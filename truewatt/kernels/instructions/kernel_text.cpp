// The PTX around the copies of an instruction: loads, the loop, stores.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

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
std::string operand(std::string_view name, Registers registers, unsigned k) {
  if (registers.count == 1) return fmt::format("%{}{}_0", name, k);
  std::string list = "{";
  for (int i = 0; i < registers.count; ++i) {
    list += fmt::format("{}%{}{}_{}", i == 0 ? "" : ", ", name, k, i);
  }
  return list + "}";
}

std::string declarations(std::string_view name, Registers registers) {
  std::string text;
  for (unsigned k = 0; k < kRing; ++k) {
    text += fmt::format("    .reg .{} %{}{}_<{}>;\n", register_type(registers.kind), name, k,
                        registers.count);
  }
  return text;
}

std::string transfers(std::string_view form, std::string_view name, Registers registers,
                      std::size_t at) {
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
void replace_role(std::string& text, std::string_view placeholder, std::string_view name,
                  Registers registers, unsigned k) {
  for (int i = 0; registers.count > 1 && i < registers.count; ++i) {
    replace_all(text, fmt::format("{}{}", placeholder, i), fmt::format("%{}{}_{}", name, k, i));
  }
  replace_all(text, placeholder, operand(name, registers, k));
}

/// A row in a kernel: where its operands lie, and how its registers are called.
struct Placed {
  const Instruction& row;
  unsigned copies = 0;
  std::size_t index = 0;

  std::string name(char role) const {
    return index == 0 ? std::string(1, role) : fmt::format("p{}{}", index, role);
  }
  std::size_t operands_at(std::size_t role) const { return index * kOperandBytes + role; }
  std::size_t results_at() const { return index * kResultBytes; }
};

std::string one_copy(const Placed& part, unsigned copy, Optimization optimization) {
  const Instruction& instruction = part.row;
  const unsigned k = copy % kRing;
  std::string text = lines(instruction.text);
  // At O0 nothing is merged, and a predicate would cost a select of its own.
  const bool even = copy / kRing % 2 == 0;
  const bool merges = optimization == Optimization::O3;
  replace_all(text, "$p ", merges && even ? "@%p_true " : "");
  replace_all(text, "$q ", !merges ? "" : even ? "@%p_true " : "@%p_also ");
  const std::string d = part.name('d');
  replace_role(text, "$d", d, instruction.d, k);
  replace_role(text, "$n", d, instruction.d, (k + 1) % kRing);
  replace_role(text, "$m", d, instruction.d, (k + kRing - 1) % kRing);
  replace_role(text, "$c", part.name('c'), instruction.c, k);
  replace_role(text, "$e", part.name('e'), instruction.e, k);
  replace_all(text, "$i", fmt::format("{}", k));
  replace_all(text, "$j", fmt::format("{}", (k + 1) % kRing));
  replace_all(text, "$l", fmt::format("COPY{}_{}", part.index == 0 ? "" : part.name('l'), copy));
  return text;
}

std::string declared(const Placed& part) {
  return declarations(part.name('d'), part.row.d) + declarations(part.name('c'), part.row.c) +
         declarations(part.name('e'), part.row.e);
}

std::string loaded(const Placed& part) {
  return transfers(kLoad, part.name('d'), part.row.d, part.operands_at(kRingAt)) +
         transfers(kLoad, part.name('c'), part.row.c, part.operands_at(kConstantsAt)) +
         transfers(kLoad, part.name('e'), part.row.e, part.operands_at(kMoreConstantsAt));
}

/// For what all parts need.
std::string head(std::span<const Placed> parts) {
  const Placed& first = parts.front();
  int version = 0;
  Target lowest = first.row.lowest;
  std::string registers;
  for (const Placed& part : parts) {
    version = std::max(version, part.row.ptx_version);
    if (part.row.lowest.sm > lowest.sm) lowest = part.row.lowest;
    registers += declared(part);
  }
  return fmt::format(
      kHead, fmt::arg("major", version / 10), fmt::arg("minor", version % 10),
      fmt::arg("target", to_string(lowest)), fmt::arg("entry", kInstructionEntry),
      fmt::arg("shared", first.row.shared_bytes == 0
                             ? ""
                             : fmt::format(".shared .align 128 .b8 shared_values[{}];\n\n",
                                           first.row.shared_bytes)),
      fmt::arg("registers", registers), fmt::arg("operand_bytes", parts.size() * kOperandBytes),
      fmt::arg("result_bytes", parts.size() * kResultBytes));
}

/// A ring of each part in turn, as often as keeps their shares alike along the loop.
std::string body(std::span<const Placed> parts, Optimization optimization) {
  unsigned all = 0;
  for (const Placed& part : parts) all += part.copies;
  std::vector<unsigned> done(parts.size(), 0);
  std::string text;
  for (unsigned copies = 0; copies < all; copies += kRing) {
    std::size_t next = 0;
    double most = -static_cast<double>(all);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double due = static_cast<double>(parts[i].copies) * (copies + kRing) / all;
      const double behind = due - done[i];
      if (behind > most && done[i] < parts[i].copies) {
        most = behind;
        next = i;
      }
    }
    for (unsigned k = 0; k < kRing; ++k) text += one_copy(parts[next], done[next]++, optimization);
  }
  return text;
}

Result<void> check(const Placed& part, Target device) {
  const Instruction& instruction = part.row;
  if (part.copies % kRing != 0) {
    return Unexpected(Errc::invalid_argument, fmt::format("{} copies of {}: give a multiple of {}",
                                                          part.copies, instruction.key, kRing));
  }
  if (exists_on(instruction, device)) return {};
  return Unexpected(
      Errc::unsupported,
      fmt::format("{} needs {}{}, the device is {}", instruction.key, to_string(instruction.lowest),
                  instruction.lowest.arch_specific ? "" : " or newer", to_string(device)));
}

/// What stands around the loop is the first part's.
KernelText kernel_text(std::span<const Placed> parts, Optimization optimization,
                       LoopOverhead overhead) {
  const Instruction& first = parts.front().row;
  const bool more = overhead == LoopOverhead::doubled;
  KernelText made{.shared_bytes = first.shared_bytes, .threads_multiple = first.threads_multiple};
  std::string text = head(parts);
  for (const Placed& part : parts) text += loaded(part);
  text += kTrue;
  text += lines(first.setup);
  if (more) text += kMoreSetup;
  text += kLoop;
  text += lines(first.begin);
  text += body(parts, optimization);
  text += lines(first.end);
  if (more) text += kMore;
  text += kLoopEnd;
  if (more) text += kMoreEnd;
  text += lines(first.finish);
  for (const Placed& part : parts) {
    text += transfers(kStore, part.name('d'), part.row.d, part.results_at() + kRingAt);
    made.instructions_per_iteration += part.copies;
  }
  made.ptx = text + "    ret;\n}\n";
  return made;
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
  const Placed only[] = {{instruction, copies, 0}};
  if (auto good = check(only[0], device); !good) return Unexpected(good.error());
  return kernel_text(only, optimization, overhead);
}

Result<KernelText> mixed_kernel(std::span<const MixedPart> parts, Target device,
                                Optimization optimization) {
  std::vector<Placed> placed;
  for (const MixedPart& part : parts) {
    const Instruction& row = *part.instruction;
    placed.push_back({row, part.copies, placed.size()});
    if (auto good = check(placed.back(), device); !good) return Unexpected(good.error());
    const bool plain = row.setup.empty() && row.begin.empty() && row.end.empty() &&
                       row.finish.empty() && row.shared_bytes == 0;
    if (plain) continue;
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} has PTX around its copies: it runs alone", row.key));
  }
  if (placed.empty()) return Unexpected(Errc::invalid_argument, "a mixed kernel has no parts");
  return kernel_text(placed, optimization, LoopOverhead::normal);
}

}  // namespace truewatt::kernels
