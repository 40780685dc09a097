#pragma once

#include <vector_types.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random.hpp"

namespace workload {

/// A star cluster in units where G, the whole mass and -4 times the energy are 1.
struct Cluster {
  std::vector<float4> bodies;      ///< x, y, z, mass
  std::vector<float4> velocities;  ///< x, y, z, unused
};

/// Distances below this count as this much: close encounters stay finite.
constexpr float kSoftening = 0.01f;

namespace plummer_detail {

/// A vector of that length in a direction without preference.
inline float4 in_any_direction(double length, float w, RandomStream& random) {
  const double z = 2 * random.next() - 1;
  const double angle = 2 * 3.14159265358979323846 * random.next();
  const double across = std::sqrt(1 - z * z);
  return {static_cast<float>(length * across * std::cos(angle)),
          static_cast<float>(length * across * std::sin(angle)), static_cast<float>(length * z), w};
}

/// Speed as a share of the escape speed: density proportional to q^2 (1 - q^2)^(7/2), whose
/// maximum is 0.092.
inline double share_of_escape_speed(RandomStream& random) {
  for (;;) {
    const double q = random.next();
    if (0.1 * random.next() < q * q * std::pow(1 - q * q, 3.5)) return q;
  }
}

}  // namespace plummer_detail

/// `count` bodies of equal mass drawn from Plummer's model in equilibrium, as Burtscher 2014 does
/// for its n-body codes (section 3.1). H. C. Plummer, MNRAS 71 (1911) 460; sampled after Aarseth,
/// Henon and Wielen, Astron. Astrophys. 37 (1974) 183. The outermost percent of the mass is left
/// out, so that no body is further away than 8 units.
inline Cluster plummer_cluster(std::size_t count, std::uint64_t seed) {
  using namespace plummer_detail;
  // Plummer's scale length in these units; speeds scale with its inverse square root.
  const double scale = 3 * 3.14159265358979323846 / 16;
  const auto mass = static_cast<float>(1.0 / static_cast<double>(count));
  RandomStream random(seed);
  Cluster cluster;
  cluster.bodies.reserve(count);
  cluster.velocities.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double mass_inside = 0.99 * random.next();
    const double radius = 1 / std::sqrt(std::pow(mass_inside, -2.0 / 3) - 1);
    const double escape_speed = std::sqrt(2.0) * std::pow(1 + radius * radius, -0.25);
    cluster.bodies.push_back(in_any_direction(scale * radius, mass, random));
    cluster.velocities.push_back(in_any_direction(
        escape_speed * share_of_escape_speed(random) / std::sqrt(scale), 0, random));
  }
  return cluster;
}

/// A vector in double precision.
struct Vector {
  double x = 0;
  double y = 0;
  double z = 0;
};

inline double distance(const Vector& a, const Vector& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

inline double length(const Vector& a) { return distance(a, Vector{}); }

/// Acceleration of body `at` by summation over all: what the devices' results are checked against.
inline Vector summed_acceleration(const std::vector<float4>& bodies, std::size_t at) {
  Vector sum;
  for (const float4& body : bodies) {
    const double x = double{body.x} - bodies[at].x;
    const double y = double{body.y} - bodies[at].y;
    const double z = double{body.z} - bodies[at].z;
    const double r2 = x * x + y * y + z * z + double{kSoftening} * kSoftening;
    const double weight = body.w / (r2 * std::sqrt(r2));
    sum.x += weight * x;
    sum.y += weight * y;
    sum.z += weight * z;
  }
  return sum;
}

#ifdef __CUDACC__
/// Adds to `sum` the acceleration at `at` that a mass at `from` causes; nothing if they coincide.
__device__ inline void pull(float3& sum, const float4& at, const float4& from) {
  const float x = from.x - at.x;
  const float y = from.y - at.y;
  const float z = from.z - at.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + kSoftening * kSoftening);
  const float weight = from.w * inverse * inverse * inverse;
  sum.x += weight * x;
  sum.y += weight * y;
  sum.z += weight * z;
}
#endif

}  // namespace workload
