#include "truewatt/simgpu/random.hpp"

#include <cmath>
#include <numbers>

namespace truewatt::simgpu {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return mix(mix(mix(seed + kGolden) + stream * kGolden) + index * kGolden);
}

double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto bits = random_bits(seed, stream, index) >> 11;
  return (static_cast<double>(bits) + 0.5) * 0x1.0p-53;
}

double random_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  // Box and Muller (1958); one of the pair is enough.
  const double radius = std::sqrt(-2.0 * std::log(random_uniform(seed, stream, 2 * index)));
  const double angle = 2.0 * std::numbers::pi * random_uniform(seed, stream, 2 * index + 1);
  return radius * std::cos(angle);
}

}  // namespace truewatt::simgpu
