// Which reads of L2 cross to the other partition: walks over arrays of 8 to 40 MiB by all
// multiprocessors, with loads of several orders and cache hints, each array twice. In `still` walks
// a multiprocessor reads the same addresses in each pass, in `moving` ones others.
//
// nvcc -O3 -arch=native -o l2_partitions tests/device/l2_partitions.cu
// ncu --csv --page raw --clock-control none --cache-control none --log-file l2.csv \
//   --metrics lts__t_sectors_op_read.sum,lts__t_sectors_srcunit_ltcfabric.sum,\
// lts__t_sectors_lookup_miss.sum,dram__sectors_read.sum ./l2_partitions
//
// The second launch of each line that it prints is the warm one.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

enum Order { cg, cv, relaxed_sys, acquire_gpu, no_allocate };
constexpr const char* kNames[] = {"cg", "cv", "relaxed.sys", "acquire.gpu", "L1::no_allocate"};

template <int order>
__device__ uint32_t load(const uint32_t* at) {
  uint32_t word;
  if (order == cg) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at));
  if (order == cv) asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(word) : "l"(at));
  if (order == relaxed_sys) {
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(word) : "l"(at));
  }
  if (order == acquire_gpu) {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(at));
  }
  if (order == no_allocate) {
    asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(word) : "l"(at));
  }
  return word;
}

template <int order>
__global__ void walk(const uint32_t* array, uint32_t words, uint32_t steps, uint32_t* out) {
  const uint32_t threads = gridDim.x * blockDim.x;
  uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t all = 0;
  for (uint32_t i = 0; i < steps; ++i) {
    all ^= load<order>(array + at);
    at += threads;
    if (at >= words) at -= words;
  }
  if (all == 0x12345) *out = all;
}

int main() {
  using Walk = void (*)(const uint32_t*, uint32_t, uint32_t, uint32_t*);
  const Walk walks[] = {walk<cg>, walk<cv>, walk<relaxed_sys>, walk<acquire_gpu>,
                        walk<no_allocate>};
  constexpr std::size_t kMost = 64U << 20U;
  uint32_t* array = nullptr;
  uint32_t* out = nullptr;
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess ||
      cudaMalloc(&array, kMost) != cudaSuccess || cudaMalloc(&out, sizeof *out) != cudaSuccess ||
      cudaMemset(array, 0x5A, kMost) != cudaSuccess) {
    return EXIT_FAILURE;
  }
  const uint32_t threads = 2 * device.multiProcessorCount * 1024;
  for (const uint32_t mebibytes : {8, 16, 30, 40}) {
    for (const bool moving : {false, true}) {
      const uint32_t passes = (mebibytes << 18U) / threads;
      const uint32_t words = passes * threads + (moving ? 7 * 1024 : 0);
      for (int order = 0; order < 5; ++order) {
        for (int i = 0; i < 2; ++i) {
          walks[order]<<<threads / 1024, 1024>>>(array, words, 512, out);
        }
        if (cudaDeviceSynchronize() != cudaSuccess) return EXIT_FAILURE;
        std::printf("%u MiB, %s, %s\n", mebibytes, moving ? "moving" : "still", kNames[order]);
      }
    }
  }
  return EXIT_SUCCESS;
}
