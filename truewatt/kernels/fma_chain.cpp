#include "truewatt/kernels/fma_chain.hpp"

#include <fmt/format.h>

namespace truewatt::kernels {
namespace {

/// Parameters share their scope with registers, hence the prefix. %thread, %block and the like
/// would read as special registers to a person, hence the names.
constexpr std::string_view kPrologue = R"(.version 6.0
.target sm_30
.address_size 64

.visible .entry {entry}(
    .param .u64 param_values,
    .param .u32 param_passes
)
{{
    .reg .pred %p_more;
    .reg .b32 %r_block, %r_width, %r_lane, %r_index, %r_passes;
    .reg .b64 %rd_values, %rd_offset, %rd_address;
    .reg .f32 %f_x;

    ld.param.u64 %rd_values, [param_values];
    ld.param.u32 %r_passes, [param_passes];
    cvta.to.global.u64 %rd_values, %rd_values;
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_width, %ntid.x;
    mov.u32 %r_lane, %tid.x;
    mad.lo.u32 %r_index, %r_block, %r_width, %r_lane;
    mul.wide.u32 %rd_offset, %r_index, 4;
    add.u64 %rd_address, %rd_values, %rd_offset;
    ld.global.f32 %f_x, [%rd_address];
    setp.eq.u32 %p_more, %r_passes, 0;
    @%p_more bra $done;

$pass:
    .pragma "nounroll";
)";

/// 0f40000000 = 2, 0f3F000000 = 0.5, 0fBF800000 = -1.
constexpr std::string_view kStep = R"(    fma.rn.f32 %f_x, %f_x, 0f40000000, 0f40000000;
    fma.rn.f32 %f_x, %f_x, 0f3F000000, 0fBF800000;
)";

constexpr std::string_view kEpilogue = R"(    sub.u32 %r_passes, %r_passes, 1;
    setp.ne.u32 %p_more, %r_passes, 0;
    @%p_more bra $pass;

$done:
    st.global.f32 [%rd_address], %f_x;
    ret;
}
)";

}  // namespace

std::string fma_chain_ptx() {
  std::string text = fmt::format(kPrologue, fmt::arg("entry", kFmaChainEntry));
  for (int step = 0; step < kFmaChainStepsPerPass; ++step) text += kStep;
  text += kEpilogue;
  return text;
}

}  // namespace truewatt::kernels
