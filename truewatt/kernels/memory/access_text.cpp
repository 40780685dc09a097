#include "truewatt/kernels/memory/access_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace truewatt::kernels {
namespace {

/// %r_mask is 0, which the assembler does not know: no launch runs 2^31 times.
constexpr std::string_view kAccessHead = R"(.version 6.4
.target sm_50
.address_size 64

{shared}.visible .entry {entry}(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_iterations
) .maxntid {threads}
{{
    .reg .pred %p_more, %p_end;
    .reg .b32 %r_block, %r_width, %r_lane, %r_index, %r_all, %r_iterations, %r_mask, %r_at, %r_first;
    .reg .b32 %r_advance, %r_next, %r_word, %r_low, %r_high, %r_q, %r_d, %r_kept, %a<4>, %b<4>, %v<4>, %s<4>;
    .reg .b64 %rd_in, %rd_out, %rd_base, %rd_address, %rd_wide;

    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_iterations, [param_iterations];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_width, %ntid.x;
    mov.u32 %r_lane, %tid.x;
    mov.u32 %r_all, %nctaid.x;
    mad.lo.u32 %r_index, %r_block, %r_width, %r_lane;
    mul.wide.u32 %rd_wide, %r_index, 16;
    add.u64 %rd_out, %rd_out, %rd_wide;
    and.b32 %r_word, %r_index, {last_value};
    mul.wide.u32 %rd_wide, %r_word, 16;
    add.u64 %rd_wide, %rd_wide, %rd_in;
    ld.global.v4.u32 {{%v0, %v1, %v2, %v3}}, [%rd_wide];
    add.u64 %rd_in, %rd_in, {values};
    shr.u32 %r_mask, %r_iterations, 31;
    mov.u32 %s0, 0;
    mov.u32 %s1, 0;
    mov.u32 %a0, 0;
    mov.u32 %a1, 0;
    mov.u32 %r_q, %v1;
    mov.u32 %r_kept, %r_index;
)";

/// A region of its own: %rd_base is its begin.
constexpr std::string_view kOwnRegion = R"(    and.b32 %r_word, %r_block, {last_region};
    mul.wide.u32 %rd_base, %r_word, {region};
    add.u64 %rd_base, %rd_base, %rd_in;
    mov.u32 %r_first, 0;
    mov.u32 %r_advance, {step};
)";
constexpr std::string_view kOneArray = R"(    mov.u64 %rd_base, %rd_in;
    rem.u32 %r_word, %r_block, {steps};
    mul.lo.u32 %r_first, %r_word, {step};
    mul.lo.u32 %r_advance, %r_all, {step};
)";

/// Fills shared memory with the block's region of the array, 16 bytes a thread at a time. Few
/// rounds are written out: a loop must not be taken for the one that counts.
constexpr std::string_view kFillBegin = R"(    mul.lo.u32 %r_at, %r_lane, 16;
    mov.u32 %r_low, buffer;
)";
constexpr std::string_view kFillLoop = "FILL:\n";
constexpr std::string_view kFill = R"(    setp.lt.u32 %p_end, %r_at, {region};
    cvt.u64.u32 %rd_wide, %r_at;
    add.u64 %rd_wide, %rd_wide, %rd_base;
    add.u32 %r_word, %r_low, %r_at;
    @%p_end ld.global.v4.u32 {{%b0, %b1, %b2, %b3}}, [%rd_wide];
    @%p_end st.shared.v4.u32 [%r_word], {{%b0, %b1, %b2, %b3}};
    mad.lo.u32 %r_at, %r_width, 16, %r_at;
)";
constexpr std::string_view kFillAgain = "    @%p_end bra FILL;\n";
constexpr std::string_view kFilled = "    bar.sync 0;\n";
constexpr std::uint64_t kMostRounds = 16;

std::string fill_of(const AccessPattern& pattern) {
  const std::string round = fmt::format(fmt::runtime(kFill), fmt::arg("region", pattern.region));
  const std::uint64_t row = std::uint64_t{16} * pattern.threads;
  const std::uint64_t rounds = (pattern.region + row - 1) / row;
  std::string text(kFillBegin);
  if (rounds > kMostRounds) {
    text += kFillLoop;
    text += round;
    text += kFillAgain;
  } else {
    for (std::uint64_t i = 0; i < rounds; ++i) text += round;
  }
  text += kFilled;
  return text;
}

constexpr std::string_view kAccessLoop = R"(    mul.lo.u32 %r_word, %r_lane, {bytes};
    cvt.u64.u32 %rd_wide, %r_word;
    add.u64 %rd_base, %rd_base, %rd_wide;
    mov.u32 %r_at, %r_first;
    mov.u32 %r_high, 0;
    setp.eq.u32 %p_more, %r_iterations, 0;
    @%p_more bra DONE;

LOOP:
    .pragma "nounroll";
)";

constexpr std::string_view kGlobalAddress = R"(    cvt.u64.u32 %rd_address, %r_at;
    add.u64 %rd_address, %rd_address, %rd_base;
    mov.b64 {%r_low, %r_high}, %rd_address;
)";
constexpr std::string_view kSharedAddress = R"(    mov.u32 %r_low, buffer;
    add.u32 %r_low, %r_low, %r_word;
    add.u32 %r_low, %r_low, %r_at;
)";

/// The walk's next step, from its first one where the region ends.
constexpr std::string_view kAccessEnd = R"({keep}    add.u32 %r_next, %r_at, %r_advance;
    setp.gt.u32 %p_end, %r_next, {last};
    selp.b32 %r_at, %r_first, %r_next, %p_end;
    sub.u32 %r_iterations, %r_iterations, 1;
    setp.ne.u32 %p_more, %r_iterations, 0;
    @%p_more bra LOOP;

{back}DONE:
    mul.lo.u32 %r_word, %r_all, %r_width;
    mov.u32 %b0, 0;
    setp.eq.u32 %p_end, %r_q, 0x5eed0bad;
    selp.b32 %b0, 1, %b0, %p_end;
    setp.eq.u32 %p_end, %r_kept, 0x5eed0baf;
    selp.b32 %b0, 1, %b0, %p_end;
    setp.eq.u32 %p_end, %r_low, 0x5eed0bae;
    selp.b32 %b0, 1, %b0, %p_end;
    setp.eq.u32 %p_end, %r_high, 0x5eed0bae;
    selp.b32 %b0, 1, %b0, %p_end;
    st.global.v4.u32 [%rd_out], {{%s0, %s1, %r_word, %b0}};
    ret;
}}
)";

/// Stores leave nothing in registers: a loop without them would be no loop.
constexpr std::string_view kKeep = "    xor.b32 %r_kept, %r_kept, %r_iterations;\n";

/// What the last store left.
constexpr std::string_view kReadBack = R"(    {load} {{%a0, %a1{more}}}, [{address}];
    xor.b32 %s0, %a0, %a1;
)";

std::string address_of(const AccessPattern& pattern, unsigned copy) {
  const bool global = pattern.space == MemorySpace::global;
  return fmt::format("{}+{}", global ? "%rd_address" : "%r_low", copy * row_bytes(pattern));
}

std::string opcode_of(const AccessPattern& pattern, MemoryOperation operation) {
  const bool load = operation == MemoryOperation::load;
  if (pattern.space == MemorySpace::shared) {
    return fmt::format("{}.shared.v{}.u32", load ? "ld" : "st", pattern.bytes / 4);
  }
  const std::string_view cache = pattern.through_l1 ? (load ? ".ca" : ".wb") : ".cg";
  return fmt::format("{}.global{}.v{}.u32", load ? "ld" : "st", cache, pattern.bytes / 4);
}

/// A chain goes on where the words loaded, and nothing, say.
std::string chain(const AccessPattern& pattern, std::string_view low, std::string_view high) {
  const bool global = pattern.space == MemorySpace::global;
  std::string text = fmt::format("    lop3.b32 %r_low, %r_low, {}, %r_mask, 0xF8;\n", low);
  text += global ? fmt::format("    lop3.b32 %r_high, %r_high, {}, %r_mask, 0xF8;\n", high)
                 : fmt::format("    lop3.b32 %r_low, %r_low, {}, %r_mask, 0xF8;\n", high);
  if (global) text += "    mov.b64 %rd_address, {%r_low, %r_high};\n";
  return text;
}

std::string load_of(const AccessPattern& pattern, unsigned copy) {
  const bool wide = pattern.bytes == 16;
  std::string text =
      fmt::format("    {} {{%a0, %a1{}}}, [{}];\n", opcode_of(pattern, MemoryOperation::load),
                  wide ? ", %a2, %a3" : "", address_of(pattern, copy));
  if (pattern.dependent) return text + chain(pattern, "%a0", "%a1");
  text += "    lop3.b32 %s0, %s0, %a0, %a1, 0x96;\n";
  if (wide) text += "    lop3.b32 %s1, %s1, %a2, %a3, 0x96;\n";
  return text;
}

std::string no_load_of(const AccessPattern& pattern, unsigned copy) {
  if (pattern.dependent) {
    return chain(pattern, copy % 2 == 0 ? "%v0" : "%r_high", copy % 2 == 0 ? "%v1" : "%r_low");
  }
  std::string text = "    lop3.b32 %s0, %s0, %s1, %v0, 0x96;\n";
  if (pattern.bytes == 16) text += "    lop3.b32 %s1, %s1, %s0, %v1, 0x96;\n";
  return text;
}

std::string store_of(const AccessPattern& pattern, unsigned copy) {
  return fmt::format("    {} [{}], {{%v0, %v1{}}};\n", opcode_of(pattern, MemoryOperation::store),
                     address_of(pattern, copy), pattern.bytes == 16 ? ", %v2, %v3" : "");
}

std::string access_of(const AccessPattern& pattern, unsigned copy) {
  const bool load = pattern.operation == MemoryOperation::load;
  std::string text = load && pattern.without ? no_load_of(pattern, copy)
                     : load                  ? load_of(pattern, copy)
                     : pattern.without       ? std::string()
                                             : store_of(pattern, copy);
  if (pattern.divide) {
    // Another divisor each time, so that nothing of a division is done once for all.
    text += "    or.b32 %r_d, %r_q, 0x101;\n";
    text += fmt::format("    xor.b32 %r_q, %r_q, {};\n", load && !pattern.without ? "%a0" : "%v2");
    text += "    div.u32 %r_q, %r_q, %r_d;\n";
  }
  return text;
}

std::string read_back(const AccessPattern& pattern) {
  if (pattern.operation == MemoryOperation::load) {
    if (!pattern.dependent) return {};
    return pattern.without ? "    xor.b32 %s0, %v0, %v1;\n" : "    xor.b32 %s0, %a0, %a1;\n";
  }
  if (pattern.without) return {};
  const bool wide = pattern.bytes == 16;
  std::string text = fmt::format(fmt::runtime(kReadBack),
                                 fmt::arg("load", opcode_of(pattern, MemoryOperation::load)),
                                 fmt::arg("more", wide ? ", %a2, %a3" : ""),
                                 fmt::arg("address", address_of(pattern, pattern.copies - 1)));
  if (wide) text += "    xor.b32 %s1, %a2, %a3;\n";
  return text;
}

}  // namespace

std::uint64_t array_of(const AccessPattern& pattern) {
  if (pattern.array > 0) return pattern.array;
  return pattern.of_block ? regions_of(pattern) * pattern.region : pattern.region;
}

std::uint64_t regions_of(const AccessPattern& pattern) { return pattern.same ? 1 : kRegions; }

unsigned logic_per_load(const AccessPattern& pattern) {
  return pattern.dependent || pattern.bytes == 16 ? 2 : 1;
}

std::string access_text(const AccessPattern& pattern) {
  const bool shared = pattern.space == MemorySpace::shared;
  const std::uint64_t step = step_bytes(pattern);
  const std::string buffer =
      shared ? fmt::format(".shared .align 16 .b8 buffer[{}];\n\n", pattern.region) : "";
  std::string text =
      fmt::format(fmt::runtime(kAccessHead), fmt::arg("entry", kAccessEntry),
                  fmt::arg("shared", buffer), fmt::arg("last_value", kValues - 1),
                  fmt::arg("values", kValuesBytes), fmt::arg("threads", pattern.threads));
  text += pattern.of_block ? fmt::format(fmt::runtime(kOwnRegion),
                                         fmt::arg("last_region", regions_of(pattern) - 1),
                                         fmt::arg("region", pattern.region), fmt::arg("step", step))
                           : fmt::format(fmt::runtime(kOneArray), fmt::arg("step", step),
                                         fmt::arg("steps", pattern.region / step));
  if (shared) text += fill_of(pattern);
  text += fmt::format(fmt::runtime(kAccessLoop), fmt::arg("bytes", pattern.bytes));
  text += shared ? kSharedAddress : kGlobalAddress;
  for (unsigned copy = 0; copy < pattern.copies; ++copy) text += access_of(pattern, copy);
  text += fmt::format(fmt::runtime(kAccessEnd), fmt::arg("last", pattern.region - step),
                      fmt::arg("keep", pattern.operation == MemoryOperation::store ? kKeep : ""),
                      fmt::arg("back", read_back(pattern)));
  return text;
}

}  // namespace truewatt::kernels
