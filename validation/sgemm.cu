// Matrix product C = A*B in single precision by cuBLAS.
#include <cublas_v2.h>

#include "workload.hpp"

namespace workload {
namespace {

constexpr int kOrder = 8192;
constexpr std::size_t kElements = std::size_t{kOrder} * kOrder;
constexpr Uniform kA{1, -1.0f, 1.0f};
constexpr Uniform kB{2, -1.0f, 1.0f};

class Sgemm final : public Workload {
 public:
  explicit Sgemm(cudaStream_t stream) : Workload(stream) {
    check_library(cublasCreate(&blas_), "cublasCreate");
    check_library(cublasSetStream(blas_, stream), "cublasSetStream");
    fill(a_, kA);
    fill(b_, kB);
  }
  ~Sgemm() override { cublasDestroy(blas_); }

  void enqueue() override {
    const float one = 1.0f;
    const float zero = 0.0f;
    check_library(cublasSgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_N, kOrder, kOrder, kOrder, &one,
                              a_.data(), kOrder, b_.data(), kOrder, &zero, c_.data(), kOrder),
                  "cublasSgemm");
  }

  void check_result() override {
    for (const std::size_t index : {std::size_t{0}, kElements / 3, kElements - 1})
      expect_near(c_.read(index), product(index % kOrder, index / kOrder), kTolerance, "C");
  }

 private:
  /// The sums are about sqrt(8192)/3 = 30 in size; 8192 roundings of 6e-8 relative to that, added
  /// as a random walk, come to 2e-4.
  static constexpr double kTolerance = 1e-2;

  /// Element (row, column) of the product; cuBLAS stores by columns.
  static double product(std::size_t row, std::size_t column) {
    double sum = 0;
    for (std::size_t k = 0; k < kOrder; ++k)
      sum += double{kA(row + k * kOrder)} * double{kB(k + column * kOrder)};
    return sum;
  }

  cublasHandle_t blas_ = nullptr;
  DeviceArray<float> a_{kElements};
  DeviceArray<float> b_{kElements};
  DeviceArray<float> c_{kElements};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Sgemm>(argc, argv,
                                          {"sgemm",
                                           "cuBLAS SGEMM, N = 8192 (Yang 2024, Table II: CUBLAS).\n"
                                           "An iteration is one product of two matrices, 1.1 Tflop "
                                           "in single precision (cuBLAS' default "
                                           "math mode: no TF32); 0.8 GB."});
}
