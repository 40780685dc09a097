// Gravitating bodies, every pair of them: the regular one of Burtscher 2014's two codes (NB).
#include <utility>

#include "plummer.hpp"
#include "workload.hpp"

namespace workload {
namespace {

constexpr int kBodies = 262'144;
constexpr int kTile = 256;
static_assert(kBodies % kTile == 0);
constexpr float kTimeStep = 0x1p-10f;

/// One time step: first the velocities, then, with these, the positions (symplectic Euler). A
/// thread moves one body; a block brings all bodies through shared memory, a tile at a time.
__global__ void step(const float4* __restrict__ before, float4* __restrict__ after,
                     float4* __restrict__ velocities) {
  __shared__ float4 tile[kTile];
  const int i = blockIdx.x * kTile + threadIdx.x;
  float4 body = before[i];
  float3 acceleration{0, 0, 0};
  for (int first = 0; first < kBodies; first += kTile) {
    tile[threadIdx.x] = before[first + threadIdx.x];
    __syncthreads();
#pragma unroll 32
    for (int k = 0; k < kTile; ++k) pull(acceleration, body, tile[k]);
    __syncthreads();
  }
  float4 velocity = velocities[i];
  velocity.x += kTimeStep * acceleration.x;
  velocity.y += kTimeStep * acceleration.y;
  velocity.z += kTimeStep * acceleration.z;
  body.x += kTimeStep * velocity.x;
  body.y += kTimeStep * velocity.y;
  body.z += kTimeStep * velocity.z;
  velocities[i] = velocity;
  after[i] = body;
}

class NBody final : public Workload {
 public:
  explicit NBody(cudaStream_t stream) : Workload(stream) {}

  void enqueue() override {
    step<<<kBodies / kTile, kTile, 0, stream()>>>(before_->data(), after_->data(),
                                                  velocities_.data());
    std::swap(before_, after_);
  }

  /// One more step: the velocities of some bodies must change as the direct sum says.
  void check_result() override {
    const std::vector<float4> bodies = before_->read(0, kBodies);
    const std::vector<float4> velocities = velocities_.read(0, kBodies);
    enqueue();
    for (std::size_t i = 0; i < kBodies; i += kBodies / 16) {
      const float4 faster = velocities_.read(i);  // waits for the step
      const Vector found{(double{faster.x} - velocities[i].x) / kTimeStep,
                         (double{faster.y} - velocities[i].y) / kTimeStep,
                         (double{faster.z} - velocities[i].z) / kTimeStep};
      const Vector expected = summed_acceleration(bodies, i);
      // Speeds up to 2 are rounded to 1.2e-7, over the time step 1.2e-4.
      expect_near(distance(found, expected), 0, 1e-3 + 1e-3 * length(expected),
                  "the error of an acceleration");
    }
  }

 private:
  const Cluster start_ = plummer_cluster(kBodies, 61);
  DeviceArray<float4> positions_{start_.bodies};
  DeviceArray<float4> other_positions_{kBodies};
  DeviceArray<float4> velocities_{start_.velocities};
  DeviceArray<float4>* before_ = &positions_;
  DeviceArray<float4>* after_ = &other_positions_;
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::NBody>(
      argc, argv,
      {"nbody",
       "n-body, 262144 bodies (Burtscher 2014: the regular code NB; it runs up to 700000).\n"
       "An iteration is one time step of a Plummer cluster with all 6.9e10 interactions summed, in "
       "single precision; under 0.1 GB."});
}
