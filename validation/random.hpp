#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define WORKLOAD_HOST_DEVICE __host__ __device__
#else
#define WORKLOAD_HOST_DEVICE
#endif

namespace workload {

/// 64 random bits that depend on `seed` and `index` alone, so that the host can recompute single
/// values of an array which the device filled. SplitMix64: Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014.
WORKLOAD_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed << 40) + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The same as a float in [low, high].
struct Uniform {
  std::uint64_t seed = 0;
  float low = 0.0f;
  float high = 1.0f;

  WORKLOAD_HOST_DEVICE float operator()(std::size_t index) const {
    const auto bits = static_cast<float>(random_bits(seed, index) >> 40);  // 24 bits: exact
    // One rounding only, on either side: host and device agree to the last bit.
    return static_cast<float>(static_cast<double>(low) +
                              static_cast<double>(bits * 0x1p-24f) * (high - low));
  }
};

/// A stream of doubles in (0, 1), for what is generated in sequence on the host.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : seed_(seed) {}
  double next() {
    return (static_cast<double>(random_bits(seed_, index_++) >> 12) + 0.5) * 0x1p-52;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t index_ = 0;
};

}  // namespace workload
