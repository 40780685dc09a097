#include <fmt/format.h>

#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::kernels {
namespace {

constexpr int kSpinSteps = 64;

constexpr std::string_view kSpinHead = R"(.version 6.4
.target sm_75
.address_size 64

.visible .entry {entry}(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_iterations
)
{{
    .reg .pred %p_more;
    .reg .b32 %r_iterations, %r_value;
    .reg .b64 %rd_in, %rd_out;

    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_iterations, [param_iterations];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    ld.global.u32 %r_value, [%rd_in];
    setp.eq.u32 %p_more, %r_iterations, 0;
    @%p_more bra DONE;

LOOP:
    .pragma "nounroll";
)";

/// A value of 0 stays 0, and the assembler does not know it.
constexpr std::string_view kSpinStep = "    mul.hi.u32 %r_value, %r_value, %r_value;\n";

constexpr std::string_view kSpinEnd = R"(    sub.u32 %r_iterations, %r_iterations, 1;
    setp.ne.u32 %p_more, %r_iterations, 0;
    @%p_more bra LOOP;

DONE:
    setp.ne.u32 %p_more, %r_value, 0;
    @%p_more st.global.u32 [%rd_out], %r_value;
    ret;
}
)";

}  // namespace

KernelText spin_kernel(Target) {
  std::string text = fmt::format(kSpinHead, fmt::arg("entry", kInstructionEntry));
  for (int step = 0; step < kSpinSteps; ++step) text += kSpinStep;
  text += kSpinEnd;
  return {.ptx = std::move(text), .instructions_per_iteration = kSpinSteps};
}

}  // namespace truewatt::kernels
