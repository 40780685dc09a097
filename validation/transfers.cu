// Copies between host and device, no kernel.
#include <cstring>

#include "workload.hpp"

namespace workload {
namespace {

constexpr std::size_t kBytes = std::size_t{256} << 20;

/// Page-locked host memory: what the copy engines reach without a detour.
class PinnedBytes {
 public:
  PinnedBytes() {
    check(cudaMallocHost(&data_, kBytes), "allocating 256 MiB of page-locked host memory");
  }
  ~PinnedBytes() { cudaFreeHost(data_); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(data_); }

 private:
  void* data_ = nullptr;
};

class Transfers final : public Workload {
 public:
  explicit Transfers(cudaStream_t stream) : Workload(stream) {
    for (std::size_t at = 0; at < kBytes; at += sizeof(std::uint64_t)) {
      const std::uint64_t bits = random_bits(51, at);
      std::memcpy(sent_.data() + at, &bits, sizeof bits);
    }
    std::memset(returned_.data(), 0, kBytes);
  }

  void enqueue() override {
    check(cudaMemcpyAsync(device_.data(), sent_.data(), kBytes, cudaMemcpyHostToDevice, stream()),
          "copying to the device");
    check(
        cudaMemcpyAsync(returned_.data(), device_.data(), kBytes, cudaMemcpyDeviceToHost, stream()),
        "copying to the host");
  }

  void check_result() override {
    if (std::memcmp(sent_.data(), returned_.data(), kBytes) != 0)
      throw std::runtime_error("wrong result: what came back is not what was sent");
  }

 private:
  PinnedBytes sent_;
  PinnedBytes returned_;
  DeviceArray<unsigned char> device_{kBytes};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Transfers>(
      argc, argv,
      {"transfers",
       "Transfers alone: 256 MiB to the device, then 256 MiB back (Burtscher 2014, where transfers "
       "never changed the readings; the size is ours).\n"
       "An iteration is the two copies, one after the other, of page-locked host memory; 0.5 GB of "
       "host and 0.3 GB of device memory."});
}
