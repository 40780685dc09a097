#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace workload {

/// An image in device memory, interleaved RGB: only the first plane is used. This and the numbers
/// below are nvJPEG's binary interface (nvJPEG documentation, "Type Declarations").
struct NvjpegImage {
  unsigned char* channel[4];
  std::size_t pitch[4];  ///< bytes from row to row
};

constexpr int kNvjpegInterleavedRgb = 5;  ///< as output and as input format
constexpr int kNvjpegSubsampling420 = 2;

enum class NvjpegBackend : int { chosen_by_library = 0, cpu_huffman = 1, gpu_huffman = 2 };

using NvjpegObject = void*;  ///< handles, states and parameters

/// libnvjpeg, loaded at run time: toolkits come without it and without its header, while the
/// wheels of torchvision bring the library alone. Throws if it or one of its functions is missing.
class NvjpegLibrary {
 public:
  NvjpegLibrary() : library_(open()) {
    find(create, "nvjpegCreateEx");
    find(create_state, "nvjpegJpegStateCreate");
    find(start_batches, "nvjpegDecodeBatchedInitialize");
    find(decode_batch, "nvjpegDecodeBatched");
    find(create_encoder, "nvjpegEncoderStateCreate");
    find(create_encoder_parameters, "nvjpegEncoderParamsCreate");
    find(set_quality, "nvjpegEncoderParamsSetQuality");
    find(set_subsampling, "nvjpegEncoderParamsSetSamplingFactors");
    find(encode, "nvjpegEncodeImage");
    find(retrieve, "nvjpegEncodeRetrieveBitstream");
  }

  // All return 0 for success.
  int (*create)(NvjpegBackend, const void* device_allocator, const void* pinned_allocator,
                unsigned flags, NvjpegObject* handle);
  int (*create_state)(NvjpegObject handle, NvjpegObject* state);
  int (*start_batches)(NvjpegObject handle, NvjpegObject state, int images, int host_threads,
                       int format);
  int (*decode_batch)(NvjpegObject handle, NvjpegObject state, const unsigned char* const* streams,
                      const std::size_t* lengths, NvjpegImage* images, cudaStream_t);
  int (*create_encoder)(NvjpegObject handle, NvjpegObject* encoder, cudaStream_t);
  int (*create_encoder_parameters)(NvjpegObject handle, NvjpegObject* parameters, cudaStream_t);
  int (*set_quality)(NvjpegObject parameters, int quality, cudaStream_t);
  int (*set_subsampling)(NvjpegObject parameters, int subsampling, cudaStream_t);
  int (*encode)(NvjpegObject handle, NvjpegObject encoder, NvjpegObject parameters,
                const NvjpegImage*, int format, int width, int height, cudaStream_t);
  int (*retrieve)(NvjpegObject handle, NvjpegObject encoder, unsigned char* stream,
                  std::size_t* length, cudaStream_t);

 private:
  static void* open() {
    const char* given = std::getenv("TRUEWATT_NVJPEG");
    for (const char* name : {given, "libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so"}) {
      if (name == nullptr) continue;
      if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    }
    throw std::runtime_error(
        std::string("libnvjpeg was not found (TRUEWATT_NVJPEG may name it): ") + dlerror());
  }

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(std::string("libnvjpeg has no ") + name);
  }

  void* library_;  // stays loaded until the process ends
};

}  // namespace workload
