// 2mm: two matrix products in a row, D = (A*B)*C, by a plain tiled kernel.
#include <vector>

#include "workload.hpp"

namespace workload {
namespace {

constexpr int kOrder = 4096;
constexpr int kTile = 32;
static_assert(kOrder % kTile == 0);
constexpr std::size_t kElements = std::size_t{kOrder} * kOrder;
constexpr Uniform kA{41, -1.0f, 1.0f};
constexpr Uniform kB{42, -1.0f, 1.0f};
constexpr Uniform kC{43, -1.0f, 1.0f};

/// Row-major; one thread makes one element, one block a tile of kTile x kTile.
__global__ void multiply(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ product) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < kOrder; first += kTile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * kOrder + first + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * kOrder + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  product[row * kOrder + column] = sum;
}

class Mm2 final : public Workload {
 public:
  explicit Mm2(cudaStream_t stream) : Workload(stream) {
    fill(a_, kA);
    fill(b_, kB);
    fill(c_, kC);
  }

  void enqueue() override {
    const dim3 threads(kTile, kTile);
    const dim3 blocks(kOrder / kTile, kOrder / kTile);
    multiply<<<blocks, threads, 0, stream()>>>(a_.data(), b_.data(), ab_.data());
    multiply<<<blocks, threads, 0, stream()>>>(ab_.data(), c_.data(), d_.data());
  }

  /// One row of D. Its elements are about 4096/sqrt(27) = 790 in size, rounding errors 3e-3.
  void check_result() override {
    constexpr std::size_t kRow = 1234;
    std::vector<double> ab(kOrder, 0.0);
    for (std::size_t k = 0; k < kOrder; ++k)
      for (std::size_t j = 0; j < kOrder; ++j)
        ab[j] += double{kA(kRow * kOrder + k)} * double{kB(k * kOrder + j)};
    for (std::size_t column = 0; column < kOrder; column += 1000) {
      double sum = 0;
      for (std::size_t k = 0; k < kOrder; ++k) sum += ab[k] * double{kC(k * kOrder + column)};
      expect_near(d_.read(kRow * kOrder + column), sum, 0.1, "an element of D");
    }
  }

 private:
  DeviceArray<float> a_{kElements};
  DeviceArray<float> b_{kElements};
  DeviceArray<float> c_{kElements};
  DeviceArray<float> ab_{kElements};
  DeviceArray<float> d_{kElements};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Mm2>(
      argc, argv,
      {"mm2",
       "2mm, D = (A*B)*C with N = 4096 (an example kernel of Arafa 2020; the size is ours).\n"
       "An iteration is two products by a tiled kernel, 0.27 Tflop in single precision; 0.3 GB."});
}
