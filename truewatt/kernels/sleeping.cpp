#include "truewatt/kernels/sleeping.hpp"

#include <fmt/format.h>

#include <cstring>

namespace truewatt::kernels {
namespace {

constexpr std::string_view kSleepingEntry = "truewatt_sleeping";
/// The first compute capability with `nanosleep`.
constexpr int kFirstThatSleeps = 70;

/// The count goes on from the operand, so that a launch that did nothing shows.
constexpr std::string_view kSleepingText = R"(.version 6.3
.target sm_70
.address_size 64

.visible .entry {entry}(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_iterations
)
{{
    .reg .pred %p_more;
    .reg .b32 %r_block, %r_width, %r_lane, %r_index, %r_iterations, %r_count;
    .reg .b64 %rd_in, %rd_out, %rd_offset;

    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_iterations, [param_iterations];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_width, %ntid.x;
    mov.u32 %r_lane, %tid.x;
    mad.lo.u32 %r_index, %r_block, %r_width, %r_lane;
    mul.wide.u32 %rd_offset, %r_index, 4;
    add.u64 %rd_in, %rd_in, %rd_offset;
    add.u64 %rd_out, %rd_out, %rd_offset;
    ld.global.u32 %r_count, [%rd_in];
    setp.eq.u32 %p_more, %r_iterations, 0;
    @%p_more bra $done;

$sleep:
    .pragma "nounroll";
    nanosleep.u32 {nanoseconds};
    add.u32 %r_count, %r_count, 1;
    sub.u32 %r_iterations, %r_iterations, 1;
    setp.ne.u32 %p_more, %r_iterations, 0;
    @%p_more bra $sleep;

$done:
    st.global.u32 [%rd_out], %r_count;
    ret;
}}
)";

std::uint32_t number_of(std::span<const std::byte> bytes, std::size_t thread) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + thread * sizeof number, sizeof number);
  return number;
}

class Sleeping final : public Kernel {
 public:
  std::string_view name() const override { return "sleeping threads"; }
  Grid grid() const override { return Grid::thread_per_multiprocessor; }

  Result<KernelSource> text(int sm) const override {
    if (sm < kFirstThatSleeps) {
      return Unexpected(Errc::unsupported,
                        fmt::format("threads of compute capability {}.{} cannot sleep; 7.0 is "
                                    "needed",
                                    sm / 10, sm % 10));
    }
    return KernelSource{.ptx = fmt::format(kSleepingText, fmt::arg("entry", kSleepingEntry),
                                           fmt::arg("nanoseconds", kSleepNanoseconds)),
                        .entry = std::string(kSleepingEntry),
                        .operand_bytes = sizeof(std::uint32_t),
                        .result_bytes = sizeof(std::uint32_t)};
  }

  std::vector<std::byte> operands(std::size_t threads) const override {
    std::vector<std::byte> bytes(threads * sizeof(std::uint32_t));
    for (std::size_t thread = 0; thread < threads; ++thread) {
      const auto start = static_cast<std::uint32_t>(thread);
      std::memcpy(bytes.data() + thread * sizeof start, &start, sizeof start);
    }
    return bytes;
  }

  std::optional<std::string> check(std::uint32_t iterations, std::span<const std::byte> operands,
                                   std::span<const std::byte> results) const override {
    for (std::size_t thread = 0; thread < results.size() / sizeof(std::uint32_t); ++thread) {
      const std::uint32_t wanted = number_of(operands, thread) + iterations;
      const std::uint32_t found = number_of(results, thread);
      if (found == wanted) continue;
      return fmt::format("{} instead of {} in thread {}", found, wanted, thread);
    }
    return std::nullopt;
  }

  std::vector<Executed> iteration() const override {
    return {{"nanosleep.u32", 1.0}, {"add.u32", 1.0}};
  }
};

}  // namespace

std::shared_ptr<const Kernel> make_sleeping() { return std::make_shared<const Sleeping>(); }

}  // namespace truewatt::kernels
