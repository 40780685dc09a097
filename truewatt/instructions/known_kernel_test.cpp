#include "truewatt/instructions/known_kernel.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "truewatt/instructions/mixing.hpp"
#include "truewatt/instructions/verification.hpp"
#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/testing/ptxas.hpp"

namespace truewatt::instructions {
namespace {

std::vector<KnownKernel> known_kernels() {
  std::vector<KnownKernel> all(verified_kernels().begin(), verified_kernels().end());
  all.insert(all.end(), mixed_pairs().begin(), mixed_pairs().end());
  return all;
}

TEST(KnownKernels, AreOfRowsWithoutPartnersInRings) {
  for (const KnownKernel& known : known_kernels()) {
    for (const KnownPart& part : known.parts) {
      const auto* row = kernels::find_instruction(part.instruction);
      ASSERT_NE(row, nullptr) << part.instruction;
      EXPECT_TRUE(row->partner.empty());
      EXPECT_EQ(part.copies % kernels::kRing, 0U);
    }
    EXPECT_TRUE(make_known(known)->text(80)) << known.name;
  }
}

TEST(KnownKernels, RightResultsPassAndOneWrongBitDoesNot) {
  const auto kernel = make_known(known_kernels()[2]);
  const std::size_t parts = kernel->iteration().size();
  const auto operands = kernel->operands(2);
  ASSERT_EQ(operands.size(), 2 * parts * kernels::kOperandBytes);
  // After no iteration the results are the rings as they were loaded.
  std::vector<std::byte> results(2 * parts * kernels::kResultBytes);
  for (std::size_t i = 0; i < 2 * parts; ++i) {
    std::copy_n(operands.begin() + static_cast<std::ptrdiff_t>(i * kernels::kOperandBytes),
                kernels::kResultBytes,
                results.begin() + static_cast<std::ptrdiff_t>(i * kernels::kResultBytes));
  }
  EXPECT_FALSE(kernel->check(0, operands, results));
  // The last part's first register in the second thread.
  results[(2 * parts - 1) * kernels::kResultBytes] ^= std::byte{1};
  const auto wrong = kernel->check(0, operands, results);
  ASSERT_TRUE(wrong);
  EXPECT_TRUE(wrong->starts_with("mul.f32")) << *wrong;
}

TEST(KnownKernels, StayWhatTheyAreInMachineCode) {
  const testing_support::Ptxas ptxas;
  if (!ptxas.available()) GTEST_SKIP() << "ptxas (NVIDIA's CUDA toolkit) is not there";
  for (const KnownKernel& known : known_kernels()) {
    for (const int sm : {75, 80, 90, 100, 120}) {
      const auto text = make_known(known)->text(sm);
      if (!text && sm == 75) continue;  // matrices of Ampere
      ASSERT_TRUE(text);
      const auto made = ptxas.assemble(text->ptx, fmt::format("sm_{}", sm), 3);
      ASSERT_FALSE(made.cubin.empty()) << made.complaint;
      const auto why = what_is_missing(known, std::as_bytes(std::span(made.cubin)));
      EXPECT_FALSE(why) << known.name << " on sm_" << sm << ": " << *why;
    }
  }
}

}  // namespace
}  // namespace truewatt::instructions
