// Low-discrepancy points (Niederreiter's sequence in base 2) and their normal deviates.
#include <cmath>

#include "niederreiter.hpp"
#include "workload.hpp"

namespace workload {
namespace {

constexpr std::size_t kPoints = 10'485'760;
constexpr int kIndexBits = 24;
static_assert(kPoints <= std::size_t{1} << kIndexBits);
constexpr int kDimensions = 8;

struct Generators {
  std::uint32_t column[kDimensions][kIndexBits];
};
__constant__ Generators generators_on_device;

/// The middle of the cell of width 2^-23 that a coordinate lies in: exact as a float, and neither
/// 0 nor 1, of which there is no normal deviate.
WORKLOAD_HOST_DEVICE float cell_middle(std::uint32_t coordinate) {
  return (static_cast<float>(coordinate >> 9) + 0.5f) * 0x1p-23f;
}

/// Coordinate d of point n goes to `points[d * kPoints + n]`.
__global__ void generate(float* points) {
  const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= kPoints) return;
  for (int d = 0; d < kDimensions; ++d) {
    std::uint32_t coordinate = 0;
#pragma unroll
    for (int r = 0; r < kIndexBits; ++r)
      coordinate ^= (0u - ((n >> r) & 1u)) & generators_on_device.column[d][r];
    points[d * kPoints + n] = cell_middle(coordinate);
  }
}

__global__ void to_normal(const float* __restrict__ uniform, float* __restrict__ normal) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < kDimensions * kPoints) normal[i] = normcdfinvf(uniform[i]);
}

class Quasirandom final : public Workload {
 public:
  explicit Quasirandom(cudaStream_t stream) : Workload(stream) {
    for (int d = 0; d < kDimensions; ++d)
      for (int r = 0; r < kIndexBits; ++r) generators_.column[d][r] = columns_[d][r];
    check(cudaMemcpyToSymbol(generators_on_device, &generators_, sizeof generators_),
          "copying the generators");
  }

  void enqueue() override {
    constexpr unsigned kThreads = 256;
    generate<<<blocks_for(kPoints, kThreads), kThreads, 0, stream()>>>(points_.data());
    to_normal<<<blocks_for(kDimensions * kPoints, kThreads), kThreads, 0, stream()>>>(
        points_.data(), normals_.data());
  }

  void check_result() override {
    for (int d = 0; d < kDimensions; ++d) {
      for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1'234'567}})
        expect_near(points_.read(d * kPoints + n), cell_middle(coordinate(d, n)), 0, "a point");
      check_moments(normals_.read(d * kPoints, kPoints));
    }
  }

 private:
  std::uint32_t coordinate(int d, std::size_t n) const {
    std::uint32_t bits = 0;
    for (int r = 0; r < kIndexBits; ++r)
      if ((n >> r) & 1) bits ^= columns_[d][r];
    return bits;
  }

  /// Mean 0 and variance 1. Points this even leave errors of some 1e-6, in the tails 1e-5.
  static void check_moments(const std::vector<float>& normals) {
    double sum = 0;
    double squares = 0;
    for (const float x : normals) {
      sum += x;
      squares += double{x} * x;
    }
    expect_near(sum / kPoints, 0, 1e-3, "the mean of the normal deviates");
    expect_near(squares / kPoints, 1, 1e-3, "the variance of the normal deviates");
  }

  const std::array<Columns, kDimensions> columns_ = generators<kDimensions>();
  Generators generators_{};
  DeviceArray<float> points_{kDimensions * kPoints};
  DeviceArray<float> normals_{kDimensions * kPoints};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Quasirandom>(
      argc, argv,
      {"quasirandom",
       "Quasi-random numbers, 10485760 points of 8 dimensions (Yang 2024, Table II).\n"
       "An iteration makes them (Niederreiter's sequence in base 2) and turns them into normal "
       "deviates, two kernels; 0.7 GB. The paper gives N; the 8 dimensions are ours."});
}
