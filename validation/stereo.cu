// Stereo disparity by block matching.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "workload.hpp"

namespace workload {
namespace {

constexpr int kWidth = 3840;
constexpr int kHeight = 2160;
constexpr int kRange = 128;  // disparities tried: 0 to 127 pixels
constexpr int kRadius = 8;   // windows of 17x17 pixels are compared
constexpr int kTile = 32;    // a block's part of the image, in both directions
constexpr int kRows = 8;     // threads in y; each has kTile / kRows pixels, one below the other
constexpr int kPixelsEach = kTile / kRows;
constexpr int kApron = kTile + 2 * kRadius;
constexpr int kWide = kApron + kRange - 1;

/// The pixel at (x, y), or the nearest one in the image.
__device__ std::uint8_t pixel(const std::uint8_t* image, int x, int y) {
  x = min(max(x, 0), kWidth - 1);
  y = min(max(y, 0), kHeight - 1);
  return image[y * kWidth + x];
}

/// Copies a part of an image, from (left, top) on, into shared memory.
template <int width>
__device__ void load(std::uint8_t (&part)[kApron][width], const std::uint8_t* image, int left,
                     int top) {
  for (int y = threadIdx.y; y < kApron; y += kRows)
    for (int x = threadIdx.x; x < width; x += kTile) part[y][x] = pixel(image, left + x, top + y);
}

/// For every pixel (x, y) of the left image the d for which the windows around it and around
/// (x - d, y) in the right image differ least (sum of absolute differences). For each d a block
/// makes the differences, sums them along rows, then along columns.
__global__ void match(const std::uint8_t* __restrict__ left, const std::uint8_t* __restrict__ right,
                      std::uint8_t* __restrict__ disparity) {
  __shared__ std::uint8_t left_part[kApron][kApron];
  __shared__ std::uint8_t right_part[kApron][kWide];
  __shared__ std::uint8_t difference[kApron][kApron];
  __shared__ std::uint16_t row_sum[kApron][kTile];  // at most 17 * 255
  const int x0 = blockIdx.x * kTile - kRadius;
  const int y0 = blockIdx.y * kTile - kRadius;
  load(left_part, left, x0, y0);
  load(right_part, right, x0 - (kRange - 1), y0);
  unsigned least[kPixelsEach];
  int best[kPixelsEach];
  for (int i = 0; i < kPixelsEach; ++i) {
    least[i] = ~0u;
    best[i] = 0;
  }
  __syncthreads();

  for (int d = 0; d < kRange; ++d) {
    for (int y = threadIdx.y; y < kApron; y += kRows)
      for (int x = threadIdx.x; x < kApron; x += kTile)
        difference[y][x] = abs(int{left_part[y][x]} - int{right_part[y][x + kRange - 1 - d]});
    __syncthreads();
    for (int y = threadIdx.y; y < kApron; y += kRows) {
      int sum = 0;
#pragma unroll
      for (int k = 0; k <= 2 * kRadius; ++k) sum += difference[y][threadIdx.x + k];
      row_sum[y][threadIdx.x] = static_cast<std::uint16_t>(sum);
    }
    __syncthreads();
    const int top = threadIdx.y * kPixelsEach;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 2 * kRadius; ++k) sum += row_sum[top + k][threadIdx.x];
#pragma unroll
    for (int i = 0; i < kPixelsEach; ++i) {  // the window slides down
      sum += row_sum[top + i + 2 * kRadius][threadIdx.x];
      if (sum < least[i]) {
        least[i] = sum;
        best[i] = d;
      }
      sum -= row_sum[top + i][threadIdx.x];
    }
    // The next round writes row_sum only behind its first barrier, which waits for these reads.
  }

  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int i = 0; i < kPixelsEach; ++i) {
    const int y = blockIdx.y * kTile + threadIdx.y * kPixelsEach + i;
    if (x < kWidth && y < kHeight) disparity[y * kWidth + x] = static_cast<std::uint8_t>(best[i]);
  }
}

/// How far the right image is shifted against the left one in that row: four bands.
int true_disparity(int row) {
  constexpr int kBands[] = {9, 33, 70, 115};
  return kBands[row * 4 / kHeight];
}

/// Rows next to another band, whose windows reach into it.
bool beside_another_band(int row) {
  return true_disparity(std::max(row - kRadius, 0)) !=
         true_disparity(std::min(row + kRadius, kHeight - 1));
}

/// A random texture of coarse dots, upscaled three times with linear interpolation.
class Texture {
 public:
  std::uint8_t operator()(int x, int y) const {
    const int fx = x % kScale;
    const int fy = y % kScale;
    const int sum = (kScale - fx) * (kScale - fy) * dot(x / kScale, y / kScale) +
                    fx * (kScale - fy) * dot(x / kScale + 1, y / kScale) +
                    (kScale - fx) * fy * dot(x / kScale, y / kScale + 1) +
                    fx * fy * dot(x / kScale + 1, y / kScale + 1);
    return static_cast<std::uint8_t>(sum / (kScale * kScale));
  }

 private:
  static constexpr int kScale = 3;
  static int dot(int x, int y) {
    return static_cast<int>(random_bits(81, static_cast<std::uint64_t>(y) << 32 | x) >> 56);
  }
};

/// Left image: the texture. Right image: the texture moved left by the disparity of its row.
std::vector<std::uint8_t> image(bool right) {
  std::vector<std::uint8_t> pixels;
  pixels.reserve(std::size_t{kWidth} * kHeight);
  const Texture texture;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      pixels.push_back(texture(x + (right ? true_disparity(y) : 0), y));
  return pixels;
}

class Stereo final : public Workload {
 public:
  explicit Stereo(cudaStream_t stream) : Workload(stream) {}

  void enqueue() override {
    const dim3 threads(kTile, kRows);
    const dim3 blocks(blocks_for(kWidth, kTile), blocks_for(kHeight, kTile));
    match<<<blocks, threads, 0, stream()>>>(left_.data(), right_.data(), disparity_.data());
  }

  /// The windows match exactly at the true disparity, except where they reach out of the image or
  /// into another band.
  void check_result() override {
    const std::vector<std::uint8_t> found = disparity_.read(0, disparity_.size());
    for (int y = 0; y < kHeight; ++y) {
      if (beside_another_band(y)) continue;
      for (int x = kRange + kRadius; x < kWidth - kRadius; ++x)
        expect_near(found[std::size_t{kWidth} * y + x], true_disparity(y), 0, "a disparity");
    }
  }

 private:
  DeviceArray<std::uint8_t> left_{image(false)};
  DeviceArray<std::uint8_t> right_{image(true)};
  DeviceArray<std::uint8_t> disparity_{std::size_t{kWidth} * kHeight};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Stereo>(
      argc, argv,
      {"stereo",
       "Stereo disparity, 3840x2160 (Yang 2024, Table II: Stereo Disparity, upscaled; the size is "
       "ours).\n"
       "An iteration finds, for each pixel of one pair of grey images, the best of 128 disparities "
       "by 17x17 block matching; under 0.1 GB."});
}
