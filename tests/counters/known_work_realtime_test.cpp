// Counters of a real GPU against kernels whose sectors and instructions are known. Skipped, saying
// why, where there is no GPU, no CUPTI, or no permission. tests/device/counters.py runs it on a
// machine with a GPU, and under ncu.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "truewatt/counters/cupti/cupti_counters.hpp"
#include "truewatt/counters/ncu/ncu_command.hpp"
#include "truewatt/counters/ncu/ncu_csv.hpp"
#include "truewatt/kernels/fma_chain.hpp"
#include "truewatt/load/cuda/gpu_kernel.hpp"

namespace truewatt::counters {
namespace {

using load::cuda::DriverApi;
using load::cuda::GpuContext;
using load::cuda::GpuKernel;

constexpr std::uint32_t kIterations = 1000;
constexpr std::string_view kCopyEntry = "truewatt_copy";

/// Every thread copies its word again and again; volatile, so that each load and each store is one.
constexpr std::string_view kCopyText = R"(.version 6.0
.target sm_30
.address_size 64

.visible .entry truewatt_copy(
    .param .u64 param_in,
    .param .u64 param_out,
    .param .u32 param_iterations
)
{
    .reg .pred %p_more;
    .reg .b32 %r_block, %r_width, %r_lane, %r_index, %r_left, %r_word;
    .reg .b64 %rd_in, %rd_out, %rd_offset;

    ld.param.u64 %rd_in, [param_in];
    ld.param.u64 %rd_out, [param_out];
    ld.param.u32 %r_left, [param_iterations];
    cvta.to.global.u64 %rd_in, %rd_in;
    cvta.to.global.u64 %rd_out, %rd_out;
    mov.u32 %r_block, %ctaid.x;
    mov.u32 %r_width, %ntid.x;
    mov.u32 %r_lane, %tid.x;
    mad.lo.u32 %r_index, %r_block, %r_width, %r_lane;
    mul.wide.u32 %rd_offset, %r_index, 4;
    add.u64 %rd_in, %rd_in, %rd_offset;
    add.u64 %rd_out, %rd_out, %rd_offset;
    setp.eq.u32 %p_more, %r_left, 0;
    @%p_more bra $done;

$again:
    .pragma "nounroll";
    ld.volatile.global.u32 %r_word, [%rd_in];
    st.volatile.global.u32 [%rd_out], %r_word;
    sub.u32 %r_left, %r_left, 1;
    setp.ne.u32 %p_more, %r_left, 0;
    @%p_more bra $again;

$done:
    ret;
}
)";

class Copy final : public kernels::Kernel {
 public:
  std::string_view name() const override { return "copy"; }
  Result<kernels::KernelSource> text(int /*sm*/) const override {
    return kernels::KernelSource{.ptx = std::string(kCopyText),
                                 .entry = std::string(kCopyEntry),
                                 .operand_bytes = sizeof(std::uint32_t),
                                 .result_bytes = sizeof(std::uint32_t)};
  }
  std::vector<std::byte> operands(std::size_t threads) const override {
    std::vector<std::byte> bytes(threads * sizeof(std::uint32_t));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37);
    return bytes;
  }
  std::optional<std::string> check(std::uint32_t /*iterations*/,
                                   std::span<const std::byte> operands,
                                   std::span<const std::byte> results) const override {
    if (std::memcmp(operands.data(), results.data(), results.size()) == 0) return std::nullopt;
    return "something else than was copied";
  }
  std::vector<kernels::Executed> iteration() const override {
    return {{"ld.global", 1}, {"st.global", 1}};
  }
};

std::string uuid_of_first_device(const DriverApi& api) {
  load::cuda::DeviceHandle device = 0;
  load::cuda::DriverUuid uuid{};
  if (api->device_get(&device, 0) != load::cuda::kSuccess) return {};
  if (api->device_uuid(&uuid, device) != load::cuda::kSuccess) return {};
  return load::cuda::format_uuid(uuid);
}

class KnownWork : public testing::Test {
 protected:
  void SetUp() override {
    const auto api = DriverApi::open();
    if (!api) GTEST_SKIP() << "no GPU here: " << api.error().message;
    const auto device = find_device(**api, {.index = 0, .uuid = uuid_of_first_device(**api)});
    if (!device) GTEST_SKIP() << "no GPU here: " << device.error().message;
    auto context = GpuContext::create(*api, *device);
    ASSERT_TRUE(context) << context.error().message;
    context_ = *context;
  }

  std::unique_ptr<GpuKernel> ready(const kernels::Kernel& kernel) {
    auto made = GpuKernel::create(context_, kernel);
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : nullptr;
  }

  static Result<void> run(GpuKernel& kernel) {
    if (auto launched = kernel.launch(kernel.most_blocks(), kIterations); !launched) {
      return launched;
    }
    return kernel.context().synchronize();
  }

  /// Counts one launch; nothing where this machine does not let us.
  std::optional<Counts> count(GpuKernel& kernel) {
    auto counters = cupti::CuptiCounters::open();
    if (!counters) return refused(counters.error());
    fmt::print("{}: {} metrics in {} passes\n", (*counters)->chip(),
               (*counters)->plan().metrics.size(), (*counters)->passes());
    const auto counts = (*counters)->count([&] { return run(kernel); });
    if (!counts) return refused(counts.error());
    for (const auto& [metric, value] : (*counters)->values())
      fmt::print("  {} {}\n", metric, value);
    return *counts;
  }

  std::optional<Counts> refused(const Error& error) {
    why_ = error.message;
    EXPECT_TRUE(error.code == Errc::unavailable || error.code == Errc::permission ||
                error.code == Errc::unsupported)
        << error.message;
    return std::nullopt;
  }

  static double warps_of(const GpuKernel& kernel) {
    return kernel.most_blocks() * (kernel.threads_per_block() / 32.0);
  }

  static void expect_copy(const GpuKernel& kernel, const Counts& counts) {
    // 32 threads copy 128 bytes that lie together, four sectors.
    const double sectors = warps_of(kernel) * kIterations * 4;
    const double within = 0.02 * sectors;
    EXPECT_NEAR(counts.l1_hits.value_or(0) + counts.l1_misses.value_or(0), sectors, within);
    EXPECT_NEAR(counts.l1_stores.value_or(0), sectors, within);
    // A volatile access is answered by L2.
    EXPECT_NEAR(counts.l2_reads.value_or(0), sectors, within);
    EXPECT_NEAR(counts.l2_writes.value_or(0), sectors, within);
    EXPECT_EQ(counts.local_sectors.value_or(-1), 0.0);
  }

  static void expect_chain(const GpuKernel& kernel, const Counts& counts) {
    // The loop's own three instructions may run in the same pipe.
    const double steps = warps_of(kernel) * kIterations;
    const double chain = steps * 2 * kernels::kFmaChainStepsPerPass;
    ASSERT_TRUE(counts.pipe_instructions.contains("fma"));
    EXPECT_GE(counts.pipe_instructions.at("fma"), 0.98 * chain);
    EXPECT_LE(counts.pipe_instructions.at("fma"), 1.02 * (chain + 3 * steps));
    EXPECT_LE(counts.dram_reads.value_or(0), 0.02 * chain);
  }

  std::shared_ptr<GpuContext> context_;
  std::string why_;
};

TEST_F(KnownWork, CuptiCountsTheSectorsOfACopy) {
  const Copy copy;
  auto kernel = ready(copy);
  ASSERT_NE(kernel, nullptr);
  const auto counts = count(*kernel);
  if (!counts) GTEST_SKIP() << why_;
  expect_copy(*kernel, *counts);
}

TEST_F(KnownWork, CuptiCountsTheInstructionsOfAChain) {
  auto kernel = ready(kernels::fma_chain());
  ASSERT_NE(kernel, nullptr);
  const auto counts = count(*kernel);
  if (!counts) GTEST_SKIP() << why_;
  expect_chain(*kernel, *counts);
}

TEST_F(KnownWork, ACountThatIsRepeatedIsTheSame) {
  const Copy copy;
  auto kernel = ready(copy);
  ASSERT_NE(kernel, nullptr);
  const auto first = count(*kernel);
  if (!first) GTEST_SKIP() << why_;
  const auto second = count(*kernel);
  ASSERT_TRUE(second) << why_;
  EXPECT_EQ(first->l1_stores, second->l1_stores);
}

/// What ncu counts: each kernel once. Prints what ncu is to be asked for.
TEST_F(KnownWork, RunsUncounted) {
  fmt::print("metrics: {}\n",
             fmt::join(ncu::ncu_metrics(context_->device().compute_capability), ","));
  const Copy copy;
  for (const auto* what : {static_cast<const kernels::Kernel*>(&copy), &kernels::fma_chain()}) {
    auto kernel = ready(*what);
    ASSERT_NE(kernel, nullptr);
    const auto ran = run(*kernel);
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_TRUE(
        kernel->check_result(std::size_t{kernel->most_blocks()} * kernel->threads_per_block()));
  }
}

/// The CSV of ncu over RunsUncounted, in the file that TRUEWATT_NCU_CSV names.
TEST_F(KnownWork, NcuCountsTheSame) {
  const char* path = std::getenv("TRUEWATT_NCU_CSV");
  if (path == nullptr) GTEST_SKIP() << "TRUEWATT_NCU_CSV names no file";
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const auto report = ncu::parse_ncu_csv(text.str());
  ASSERT_TRUE(report) << report.error().message;
  for (const auto& note : report->notes) fmt::print("{}\n", note);
  ASSERT_EQ(report->launches.size(), 2U);
  EXPECT_EQ(report->launches[0].kernel, kCopyEntry);
  const Copy copy;
  const auto copying = ready(copy);
  const auto chain = ready(kernels::fma_chain());
  ASSERT_TRUE(copying && chain);
  expect_copy(*copying, report->launches[0].counts);
  expect_chain(*chain, report->launches[1].counts);
}

}  // namespace
}  // namespace truewatt::counters
