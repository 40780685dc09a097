#include "truewatt/kernels/fma_chain.hpp"

#include <fmt/format.h>

#include <cstring>

namespace truewatt::kernels {
namespace {

/// Parameters share their scope with registers, hence the prefix. %thread, %block and the like
/// would read as special registers to a person, hence the names.
constexpr std::string_view kPrologue = R"(.version 6.0
.target sm_30
.address_size 64

.visible .entry {entry}(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_passes
)
{{
    .reg .pred %p_more;
    .reg .b32 %r_block, %r_width, %r_lane, %r_index, %r_passes;
    .reg .b64 %rd_in, %rd_out, %rd_offset;
    .reg .f32 %f_x;

    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_passes, [param_passes];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_width, %ntid.x;
    mov.u32 %r_lane, %tid.x;
    mad.lo.u32 %r_index, %r_block, %r_width, %r_lane;
    mul.wide.u32 %rd_offset, %r_index, 4;
    add.u64 %rd_in, %rd_in, %rd_offset;
    add.u64 %rd_out, %rd_out, %rd_offset;
    ld.global.f32 %f_x, [%rd_in];
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
    st.global.f32 [%rd_out], %f_x;
    ret;
}
)";

class FmaChain final : public Kernel {
 public:
  std::string_view name() const override { return "FMA chain"; }
  Grid grid() const override { return Grid::block_per_multiprocessor; }

  Result<KernelSource> text(int /*sm*/) const override {
    return KernelSource{.ptx = fma_chain_ptx(),
                        .entry = std::string(kFmaChainEntry),
                        .operand_bytes = sizeof(float),
                        .result_bytes = sizeof(float)};
  }

  std::vector<std::byte> operands(std::size_t threads) const override {
    const std::vector<float> start(threads, kFmaChainStart);
    std::vector<std::byte> bytes(threads * sizeof(float));
    std::memcpy(bytes.data(), start.data(), bytes.size());
    return bytes;
  }

  std::optional<std::string> check(std::uint32_t /*iterations*/,
                                   std::span<const std::byte> /*operands*/,
                                   std::span<const std::byte> results) const override {
    for (std::size_t thread = 0; thread < results.size() / sizeof(float); ++thread) {
      float value = 0.0F;
      std::memcpy(&value, results.data() + thread * sizeof(float), sizeof(float));
      if (value == kFmaChainStart) continue;
      return fmt::format("{} instead of {} in thread {}", value, kFmaChainStart, thread);
    }
    return std::nullopt;
  }

  std::vector<Executed> iteration() const override {
    return {{"fma.rn.f32", 2.0 * kFmaChainStepsPerPass}};
  }
};

}  // namespace

const Kernel& fma_chain() {
  static const FmaChain kernel;
  return kernel;
}

std::string fma_chain_ptx() {
  std::string text = fmt::format(kPrologue, fmt::arg("entry", kFmaChainEntry));
  for (int step = 0; step < kFmaChainStepsPerPass; ++step) text += kStep;
  text += kEpilogue;
  return text;
}

}  // namespace truewatt::kernels
