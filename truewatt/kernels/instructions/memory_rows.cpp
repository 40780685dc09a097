// Memory that hits a cache by construction. Loads chase pointers that the thread wrote itself: no
// copy can start before the last one, and none merges with another.

#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

/// Four words of 8 bytes per thread in the block's part of the results, a warp's side by side: slot
/// j has the address of slot j + 1. No thread stores its results before all are through.
constexpr std::string_view kGlobalRing =
    ".reg .b64 %rd_slot<4>, %rd_step; "
    "mul.wide.u32 %rd_slot0, %r_lane, 56; "
    "sub.u64 %rd_slot0, %rd_out, %rd_slot0; "
    "mul.wide.u32 %rd_step, %r_width, 8; "
    "add.u64 %rd_slot1, %rd_slot0, %rd_step; "
    "add.u64 %rd_slot2, %rd_slot1, %rd_step; "
    "add.u64 %rd_slot3, %rd_slot2, %rd_step; "
    "st.global.u64 [%rd_slot0], %rd_slot1; "
    "st.global.u64 [%rd_slot1], %rd_slot2; "
    "st.global.u64 [%rd_slot2], %rd_slot3; "
    "st.global.u64 [%rd_slot3], %rd_slot0; "
    "mov.b64 %d0_0, %rd_slot0; "
    "mov.b64 %d1_0, %rd_slot1; "
    "mov.b64 %d2_0, %rd_slot2; "
    "mov.b64 %d3_0, %rd_slot3;";

/// A word per thread at four places of the block's results, which change before the last stores.
constexpr std::string_view kGlobalWord =
    ".reg .b64 %rd_word; "
    "mul.wide.u32 %rd_word, %r_lane, 60; "
    "sub.u64 %rd_word, %rd_out, %rd_word;";

constexpr std::string_view kWait = "bar.sync 0;";

/// A word per thread of 256 at four places of shared memory.
constexpr std::string_view kSharedWord =
    ".reg .b32 %r_shared, %r_place; "
    "mov.u32 %r_shared, shared_values; "
    "and.b32 %r_place, %r_lane, 255; "
    "mad.lo.u32 %r_shared, %r_place, 4, %r_shared;";

/// The same, each with the address of the next.
constexpr std::string_view kSharedRing =
    ".reg .b32 %r_shared, %r_place; "
    "mov.u32 %r_shared, shared_values; "
    "and.b32 %r_place, %r_lane, 255; "
    "mad.lo.u32 %d0_0, %r_place, 4, %r_shared; "
    "add.u32 %d1_0, %d0_0, 1024; "
    "add.u32 %d2_0, %d0_0, 2048; "
    "add.u32 %d3_0, %d0_0, 3072; "
    "st.shared.u32 [%d0_0], %d1_0; "
    "st.shared.u32 [%d1_0], %d2_0; "
    "st.shared.u32 [%d2_0], %d3_0; "
    "st.shared.u32 [%d3_0], %d0_0;";

/// 16 bytes per thread of 256 at four places of shared memory, filled with the thread's constants;
/// the block's operands are where they come from, a warp's side by side.
constexpr std::string_view kSharedRows =
    ".reg .b32 %r_shared, %r_place; "
    ".reg .b64 %rd_near; "
    "mov.u32 %r_shared, shared_values; "
    "and.b32 %r_place, %r_lane, 255; "
    "mad.lo.u32 %r_shared, %r_place, 16, %r_shared; "
    "mul.wide.u32 %rd_near, %r_lane, 176; "
    "sub.u64 %rd_near, %rd_in, %rd_near; "
    "st.shared.u32 [%r_shared], %c0_0; "
    "st.shared.u32 [%r_shared+4], %c1_0; "
    "st.shared.u32 [%r_shared+8], %c2_0; "
    "st.shared.u32 [%r_shared+12], %c3_0; "
    "bar.sync 0;";

/// The same for ldmatrix, which a thread asks for with the address of a row and which gives it a
/// word of row lane / 4 of each of four matrices: in rows 0 to 7 of a warp's 32 word j of row i is
/// the address of row 4 i + j, so that each thread gets its own address again; the others are data.
constexpr std::string_view kMatrixRing =
    ".reg .b32 %r_shared, %r_place, %r_warp, %r_row, %r_next<4>; .reg .pred %p_address; "
    "mov.u32 %r_shared, shared_values; "
    "and.b32 %r_place, %r_lane, 255; "
    "mad.lo.u32 %r_shared, %r_place, 16, %r_shared; "
    "and.b32 %r_row, %r_lane, 31; "
    "setp.lt.u32 %p_address, %r_row, 8; "
    "mul.lo.u32 %r_warp, %r_row, 16; "
    "sub.u32 %r_warp, %r_shared, %r_warp; "
    "mad.lo.u32 %r_warp, %r_row, 64, %r_warp; "
    "add.u32 %r_next1, %r_warp, 16; "
    "add.u32 %r_next2, %r_warp, 32; "
    "add.u32 %r_next3, %r_warp, 48; "
    "selp.b32 %r_next0, %r_warp, %c0_0, %p_address; "
    "selp.b32 %r_next1, %r_next1, %c1_0, %p_address; "
    "selp.b32 %r_next2, %r_next2, %c2_0, %p_address; "
    "selp.b32 %r_next3, %r_next3, %c3_0, %p_address; "
    "st.shared.v4.b32 [%r_shared], {%r_next0, %r_next1, %r_next2, %r_next3}; "
    "bar.sync 0; "
    "mov.b32 %d0_0, %r_shared; "
    "mov.b32 %d1_0, %r_shared; "
    "mov.b32 %d2_0, %r_shared; "
    "mov.b32 %d3_0, %r_shared;";

constexpr unsigned kSharedWords = 4 * 1024;
constexpr unsigned kMatrixRows = 4096;
constexpr unsigned kSharedRowsBytes = 4 * 4096;

Instruction memory(std::string_view key, std::string_view text, std::string_view machine,
                   std::string_view setup, unsigned shared_bytes = 0) {
  return {.key = key,
          .group = group::kMemory,
          .text = text,
          .machine = machine,
          .unchecked = reason::kMemory,
          .shared_bytes = shared_bytes,
          .setup = setup,
          .finish = kWait};
}

Instruction chase(std::string_view key, std::string_view text) {
  Instruction one = memory(key, text, "LDG", kGlobalRing);
  one.d = kLong;
  return one;
}

}  // namespace

Rows memory_rows() {
  Instruction matrices = memory("ldmatrix.sync.aligned.m8n8.x4.shared.b16",
                                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 $d, [$m0];", "LDSM",
                                kMatrixRing, kMatrixRows);
  matrices.ptx_version = 65;
  matrices.d = {'r', 4};
  Instruction copy = memory("cp.async.cg.shared.global",
                            "cp.async.cg.shared.global [%r_shared+4096*$i], [%rd_near], 16;",
                            "LDGSTS", kSharedRows, kSharedRowsBytes);
  copy.lowest = {80};
  copy.ptx_version = 70;
  copy.end = "cp.async.wait_all;";
  return {
      chase("ld.global.ca.u64", "ld.global.ca.u64 $d, [$d];"),
      chase("ld.global.cg.u64", "ld.global.cg.u64 $d, [$d];"),
      memory("st.global.u32", "st.global.u32 [%rd_word+512*$i], $c;", "STG", kGlobalWord),
      memory("atom.global.add.u32", "atom.global.add.u32 $d, [%rd_word+512*$i], $d;", "ATOMG",
             kGlobalWord),
      memory("red.global.add.u32", "red.global.add.u32 [%rd_word+512*$i], $c;", "RED|REDG",
             kGlobalWord),
      memory("ld.shared.u32", "ld.shared.u32 $d, [$d];", "LDS", kSharedRing, kSharedWords),
      memory("st.shared.u32", "st.shared.u32 [%r_shared+1024*$i], $c;", "STS", kSharedWord,
             kSharedWords),
      memory("atom.shared.add.u32", "atom.shared.add.u32 $d, [%r_shared+1024*$i], $d;", "ATOMS",
             kSharedWord, kSharedWords),
      memory("red.shared.add.u32", "red.shared.add.u32 [%r_shared+1024*$i], $c;", "ATOMS",
             kSharedWord, kSharedWords),
      matrices,
      copy,
  };
}

}  // namespace truewatt::kernels
