#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "random.hpp"

namespace workload {

/// Throws unless `status` is success; `what` says what was tried.
inline void check(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(status));
}

/// Throws unless a library's status (0 for success in all of them) is success.
inline void check_library(int status, const std::string& call) {
  if (status != 0) throw std::runtime_error(call + " failed with status " + std::to_string(status));
}

/// Throws if a computed value is further than `tolerance` from the expected one, or not a number.
inline void expect_near(double value, double expected, double tolerance, const std::string& what) {
  if (!(std::abs(value - expected) <= tolerance))
    throw std::runtime_error("wrong result: " + what + " is " + std::to_string(value) + ", not " +
                             std::to_string(expected));
}

/// Blocks of `size` threads that cover `count` elements.
constexpr unsigned blocks_for(std::size_t count, unsigned size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

/// Owns `size` elements of device memory (cudaMalloc, never managed). Copies are synchronous and
/// ordered against every stream that the harness makes.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(T)),
          "allocating " + std::to_string((size * sizeof(T)) >> 20) + " MiB of device memory");
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
          "copying to the device");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// `count` elements from `first` on, copied to the host.
  std::vector<T> read(std::size_t first, std::size_t count) const {
    std::vector<T> values(count);
    check(cudaMemcpy(values.data(), data_ + first, count * sizeof(T), cudaMemcpyDeviceToHost),
          "copying to the host");
    return values;
  }
  T read(std::size_t index) const { return read(index, 1).front(); }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

#ifdef __CUDACC__
/// `values[i] = make(i)` for every i.
template <class T, class Make>
__global__ void fill_kernel(T* values, std::size_t size, Make make) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < size) values[i] = make(i);
}

/// Fills `array` on the device from a functor of the index.
template <class T, class Make>
void fill(const DeviceArray<T>& array, Make make) {
  constexpr unsigned kThreads = 256;
  fill_kernel<<<blocks_for(array.size(), kThreads), kThreads>>>(array.data(), array.size(), make);
  check(cudaGetLastError(), "filling an array");
}
#endif

}  // namespace workload
