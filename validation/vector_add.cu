// c = a + b: nothing but memory traffic.
#include "workload.hpp"

namespace workload {
namespace {

constexpr std::size_t kElements = std::size_t{1} << 28;
constexpr Uniform kA{21, -1.0f, 1.0f};
constexpr Uniform kB{22, -1.0f, 1.0f};

__global__ void add(const float* __restrict__ a, const float* __restrict__ b,
                    float* __restrict__ c) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < kElements) c[i] = a[i] + b[i];
}

class VectorAdd final : public Workload {
 public:
  explicit VectorAdd(cudaStream_t stream) : Workload(stream) {
    fill(a_, kA);
    fill(b_, kB);
  }

  void enqueue() override {
    constexpr unsigned kThreads = 256;
    add<<<blocks_for(kElements, kThreads), kThreads, 0, stream()>>>(a_.data(), b_.data(),
                                                                    c_.data());
  }

  void check_result() override {
    for (std::size_t i = kElements / 64 - 1; i < kElements; i += kElements / 64)
      expect_near(c_.read(i), kA(i) + kB(i), 0, "a sum");
  }

 private:
  DeviceArray<float> a_{kElements};
  DeviceArray<float> b_{kElements};
  DeviceArray<float> c_{kElements};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::VectorAdd>(
      argc, argv,
      {"vector_add",
       "vectorAdd, 2^28 elements (an example kernel of Arafa 2020; the size is ours).\n"
       "An iteration adds two vectors of floats, 3.2 GB of memory traffic; 3.2 GB."});
}
