// 2D convolution with a 3x3 stencil.
#include <vector>

#include "workload.hpp"

namespace workload {
namespace {

constexpr int kSide = 16384;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
constexpr Uniform kImage{31, 0.0f, 1.0f};

/// Row by row; no two weights alike, so that the check would see a turned stencil.
struct Stencil {
  float weight[3][3];
};
constexpr Stencil kStencil{{{0.05f, 0.1f, 0.07f}, {0.12f, 0.3f, 0.11f}, {0.08f, 0.13f, 0.04f}}};

/// Pixels on the border are left as they are.
__global__ void convolve(const float* __restrict__ in, float* __restrict__ out, Stencil stencil) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= kSide - 1 || y >= kSide - 1) return;
  const std::size_t at = std::size_t{kSide} * y + x;
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 3; ++dy)
#pragma unroll
    for (int dx = 0; dx < 3; ++dx)
      sum += stencil.weight[dy][dx] * in[at + std::size_t{kSide} * dy + dx - kSide - 1];
  out[at] = sum;
}

class Conv2d final : public Workload {
 public:
  explicit Conv2d(cudaStream_t stream) : Workload(stream) { fill(in_, kImage); }

  void enqueue() override {
    const dim3 threads(32, 8);
    const dim3 blocks(blocks_for(kSide, threads.x), blocks_for(kSide, threads.y));
    convolve<<<blocks, threads, 0, stream()>>>(in_.data(), out_.data(), kStencil);
  }

  /// Nine products of numbers up to 1.
  void check_result() override {
    for (std::size_t i = 1; i < kSide - 1; i += 321) {
      const std::size_t at = kSide * (kSide - 1 - i) + i;
      expect_near(out_.read(at), convolved(at), 1e-5, "a pixel");
    }
  }

 private:
  static double convolved(std::size_t at) {
    double sum = 0;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        sum += double{kStencil.weight[dy][dx]} *
               double{kImage(at + std::size_t{kSide} * dy + dx - kSide - 1)};
    return sum;
  }

  DeviceArray<float> in_{kPixels};
  DeviceArray<float> out_{kPixels};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Conv2d>(
      argc, argv,
      {"conv2d",
       "2D convolution, 3x3 on 16384x16384 (an example kernel of Arafa 2020; the size is ours).\n"
       "An iteration convolves one image of floats; 2.1 GB."});
}
