// Gravitating bodies by the Barnes-Hut algorithm: the irregular one of Burtscher 2014's two codes
// (BH).
#include <cmath>

#include "octree.hpp"
#include "plummer.hpp"
#include "workload.hpp"

namespace workload {
namespace {

constexpr int kBodies = 1 << 20;
constexpr double kOpening = 0.5;

/// One thread a body: walks the tree in depth-first order, passing over the insides of cells that
/// are far enough away. The lanes of a warp part ways, which is the point of this workload.
__global__ void accelerate(const float4* __restrict__ bodies, const float4* __restrict__ centres,
                           const Link* __restrict__ links, int cells,
                           float4* __restrict__ accelerations) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kBodies) return;
  const float4 body = bodies[i];
  float3 acceleration{0, 0, 0};
  for (int cell = 0; cell < cells;) {
    const float4 centre = centres[cell];
    const Link link = links[cell];
    const float x = centre.x - body.x;
    const float y = centre.y - body.y;
    const float z = centre.z - body.z;
    if (x * x + y * y + z * z >= link.open_within2) {
      pull(acceleration, body, centre);
      cell = link.skip;
    } else {
      ++cell;
    }
  }
  accelerations[i] = {acceleration.x, acceleration.y, acceleration.z, 0};
}

class BarnesHut final : public Workload {
 public:
  explicit BarnesHut(cudaStream_t stream) : Workload(stream) {}

  void enqueue() override {
    constexpr unsigned kThreads = 128;
    accelerate<<<blocks_for(kBodies, kThreads), kThreads, 0, stream()>>>(
        bodies_.data(), centres_.data(), links_.data(), static_cast<int>(centres_.size()),
        accelerations_.data());
  }

  /// Against direct summation. The same tree walked in double precision on the host erred by 0.07 %
  /// all together, the worst of these bodies by 0.3 %.
  void check_result() override {
    double squares = 0;
    double errors = 0;
    for (std::size_t i = kBodies / 128; i < kBodies; i += kBodies / 64) {
      const float4 a = accelerations_.read(i);
      const Vector expected = summed_acceleration(tree_.bodies, i);
      const double error = distance({a.x, a.y, a.z}, expected);
      expect_near(error / length(expected), 0, 0.02, "the relative error of an acceleration");
      errors += error * error;
      squares += length(expected) * length(expected);
    }
    expect_near(std::sqrt(errors / squares), 0, 0.005, "the relative error of the accelerations");
  }

 private:
  const Octree tree_ = OctreeBuilder::build(plummer_cluster(kBodies, 71).bodies, kOpening);
  DeviceArray<float4> bodies_{tree_.bodies};
  DeviceArray<float4> centres_{tree_.centres};
  DeviceArray<Link> links_{tree_.links};
  DeviceArray<float4> accelerations_{kBodies};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::BarnesHut>(
      argc, argv,
      {"barnes_hut",
       "Barnes-Hut, 2^20 bodies (Burtscher 2014: the irregular code BH, which runs up to 22 "
       "million).\n"
       "An iteration is the force calculation alone, for all bodies of a Plummer cluster with "
       "theta "
       "= 0.5. The octree is built once, on the host, before `ready`, and the bodies do not move: "
       "the paper's other kernels (bounding box, tree, summary, sorting, motion) are not part of "
       "it. 0.1 GB."});
}
