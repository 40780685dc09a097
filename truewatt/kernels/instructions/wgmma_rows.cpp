// wgmma of Hopper: a warpgroup of 128 threads multiplies two matrices of shared memory into 64
// accumulators per thread (of half precision 32 pairs). A and its negative alternate, so that the
// accumulators stay in range.

#include <fmt/format.h>

#include <string>

#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

constexpr unsigned kWarpgroup = 128;
constexpr unsigned kWarpgroupWarps = 4;
constexpr unsigned kThreadBytes = 64;

/// The registers that a thread accumulates into.
struct Accumulators {
  int count = 64;
  char kind = 'f';  ///< f: .f32, r: .b32
};

/// "{%acc0, ..., %acc63}".
std::string accumulator_list(Accumulators accumulators) {
  std::string list = "{";
  for (int i = 0; i < accumulators.count; ++i)
    list += fmt::format("{}%acc{}", i == 0 ? "" : ", ", i);
  return list + "}";
}

/// Shared memory filled with the threads' constants, and descriptors of two A and one B in it,
/// without swizzling: 8 x 16 bytes after one another, 128 bytes apart along K, 256 along M and N.
std::string wgmma_setup(Accumulators accumulators) {
  std::string text = fmt::format(
      ".reg .{} %acc<{}>; "
      ".reg .pred %p_add; .reg .b32 %r_shared, %r_place; .reg .b64 %rd_a<4>, %rd_b; "
      "setp.eq.u32 %p_add, 0, 0; "
      "mov.u32 %r_shared, shared_values; "
      "and.b32 %r_place, %r_lane, {}; "
      "mad.lo.u32 %r_place, %r_place, {}, %r_shared; ",
      accumulators.kind == 'f' ? "f32" : "b32", accumulators.count, kWarpgroup - 1, kThreadBytes);
  for (unsigned k = 0; k < kRing; ++k) {
    text += fmt::format("st.shared.v4.b32 [%r_place+{0}], {{%c{1}_0, %c{1}_1, %c{1}_2, %c{1}_3}}; ",
                        16 * k, k);
  }
  text +=
      "fence.proxy.async; bar.sync 0; "
      "shr.u32 %r_shared, %r_shared, 4; "
      "and.b32 %r_shared, %r_shared, 0x3fff; "
      "cvt.u64.u32 %rd_b, %r_shared; "
      "or.b64 %rd_b, %rd_b, 0x1000080000; "
      "add.u64 %rd_a0, %rd_b, 256; "
      "add.u64 %rd_a1, %rd_b, 384; "
      "mov.b64 %rd_a2, %rd_a0; "
      "mov.b64 %rd_a3, %rd_a1; ";
  for (int i = 0; i < accumulators.count; ++i) text += fmt::format("mov.b32 %acc{}, 0; ", i);
  text.pop_back();
  return text;
}

/// Every accumulator goes into a result, so that none is dropped.
std::string wgmma_finish(Accumulators accumulators) {
  const std::string_view type = accumulators.kind == 'f' ? "f32" : "u32";
  std::string text;
  for (int i = 0; i < accumulators.count; ++i) {
    text += fmt::format("add.{0} %d{1}_0, %d{1}_0, %acc{2}; ", type, i % 4, i);
  }
  text.pop_back();
  return text;
}

Instruction wgmma(std::string_view types, std::string_view scales, int k, std::string_view machine,
                  Element element, Accumulators accumulators = {}) {
  Instruction row{.group = group::kMatrix, .machine = machine, .values = Values::matrices};
  row.key = keep(fmt::format("wgmma.m64n128k{}.{}", k, types.substr(0, types.rfind('.'))));
  row.text =
      keep(fmt::format("wgmma.mma_async.sync.aligned.m64n128k{}.{} {}, %rd_a$i, %rd_b, %p_add{};",
                       k, types, accumulator_list(accumulators), scales));
  row.setup = keep(wgmma_setup(accumulators));
  row.finish = keep(wgmma_finish(accumulators));
  row.begin = "wgmma.fence.sync.aligned;";
  row.end = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;";
  row.d = {accumulators.kind, 1};
  row.c = {'r', 4, element};
  row.unchecked = "the order of a tensor core's additions is not published";
  row.lowest = {90, true};
  row.ptx_version = 80;
  row.fma_per_warp = 64 * 128 * k / static_cast<int>(kWarpgroupWarps);
  row.threads_multiple = kWarpgroup;
  row.shared_bytes = kWarpgroup * kThreadBytes;
  return row;
}

}  // namespace

Rows wgmma_rows() {
  constexpr std::string_view kTransposable = ", 1-2*($i/2), 1, 0, 0";
  constexpr std::string_view kScaled = ", 1-2*($i/2), 1";
  return {
      wgmma("f32.f16.f16", kTransposable, 16, "HGMMA", Element::f16),
      wgmma("f16.f16.f16", kTransposable, 16, "HGMMA", Element::f16, {32, 'r'}),
      wgmma("f32.bf16.bf16", kTransposable, 16, "HGMMA", Element::bf16),
      wgmma("f32.tf32.tf32", kScaled, 8, "HGMMA", Element::tf32),
      wgmma("f32.e4m3.e4m3", kScaled, 32, "QGMMA", Element::e4m3),
      wgmma("s32.s8.s8", "", 32, "IGMMA", Element::integer, {64, 'r'}),
  };
}

}  // namespace truewatt::kernels
