// One-dimensional complex Fourier transform in single precision by cuFFT.
#include <cufft.h>

#include <cmath>

#include "workload.hpp"

namespace workload {
namespace {

constexpr std::size_t kPaperPoints = 300'000'000;  // 2^8 * 3 * 5^8
constexpr std::size_t kTone = 12'345'678;          // the bin that the check looks for

/// Noise in [-0.5, 0.5] plus a tone of amplitude 1 that turns kTone times over the array.
struct NoisyTone {
  std::size_t points;

  __device__ float2 operator()(std::size_t i) const {
    const Uniform noise{3, -0.5f, 0.5f};
    const double half_turns = 2.0 * static_cast<double>(i * kTone % points) / points;
    return {noise(2 * i) + static_cast<float>(cospi(half_turns)),
            noise(2 * i + 1) + static_cast<float>(sinpi(half_turns))};
  }
};

/// The paper's size, halved until input, output and as much again for cuFFT's own work fit twice.
std::size_t points_that_fit() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for the free memory");
  std::size_t points = kPaperPoints;
  while (points > 2 * kTone && points * sizeof(float2) * 6 > free) points /= 2;
  return points;
}

class Fft final : public Workload {
 public:
  explicit Fft(cudaStream_t stream) : Workload(stream) {
    if (points_ < kPaperPoints) std::fprintf(stderr, "fft: only %zu points fit\n", points_);
    fill(in_, NoisyTone{points_});
    check_library(cufftPlan1d(&plan_, static_cast<int>(points_), CUFFT_C2C, 1), "cufftPlan1d");
    check_library(cufftSetStream(plan_, stream), "cufftSetStream");
  }
  ~Fft() override { cufftDestroy(plan_); }

  void enqueue() override {
    check_library(cufftExecC2C(plan_, in_.data(), out_.data(), CUFFT_FORWARD), "cufftExecC2C");
  }

  /// The tone stands at `points_`; noise has standard deviation sqrt(points_/6), 2.4e-5 of that.
  void check_result() override {
    const auto scale = static_cast<double>(points_);
    const float2 tone = out_.read(kTone);
    const float2 beside = out_.read(kTone + 1);
    expect_near(tone.x / scale, 1, 1e-3, "the tone");
    expect_near(tone.y / scale, 0, 1e-3, "the tone's phase");
    expect_near(std::hypot(beside.x, beside.y) / scale, 0, 1e-3, "the bin beside the tone");
  }

 private:
  const std::size_t points_ = points_that_fit();
  cufftHandle plan_ = 0;
  DeviceArray<float2> in_{points_};
  DeviceArray<float2> out_{points_};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Fft>(
      argc, argv,
      {"fft",
       "cuFFT, 300 million points (Yang 2024, Table II: CUFFT).\n"
       "An iteration is one forward complex transform in single precision, out of place; 7 to 10 "
       "GB. Where less than 14.4 GB are free the size is halved until it fits, and standard error "
       "says so."});
}
