// Decoding JPEG images in batches by nvJPEG.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "nvjpeg_library.hpp"
#include "workload.hpp"

namespace workload {
namespace {

constexpr int kImages = 4;
constexpr int kWidth = 3840;
constexpr int kHeight = 2160;
constexpr std::size_t kPitch = std::size_t{kWidth} * 3;
constexpr std::size_t kImageBytes = kPitch * kHeight;
constexpr int kQuality = 90;

/// Colours: a smooth wave for each channel and image, and grey noise in dots of 4x4 pixels.
struct Picture {
  __device__ unsigned char operator()(std::size_t byte) const {
    const std::size_t image = byte / kImageBytes;
    const std::size_t y = byte % kImageBytes / kPitch;
    const std::size_t x = byte % kPitch / 3;
    const auto channel = static_cast<float>(byte % 3);
    const float phase = channel + static_cast<float>(image);
    const float wave = sinf(0.004f * static_cast<float>(x) + phase) *
                       cosf(0.006f * static_cast<float>(y) - 2 * phase);
    const Uniform noise{91, -30.0f, 30.0f};
    return static_cast<unsigned char>(128.0f + 80.0f * wave +
                                      noise((image << 40) + (y / 4) * kWidth + x / 4));
  }
};

NvjpegImage image_at(const DeviceArray<unsigned char>& images, int i) {
  NvjpegImage image{};
  image.channel[0] = images.data() + i * kImageBytes;
  image.pitch[0] = kPitch;
  return image;
}

/// A decoder of batches. Its buffers hold one batch, so a second one waits for the first.
struct Decoder {
  NvjpegObject state = nullptr;
  cudaEvent_t done = nullptr;
};

class Jpeg final : public Workload {
 public:
  explicit Jpeg(cudaStream_t stream) : Workload(stream) {
    fill(pictures_, Picture{});
    encode();
    open_decoders();
  }

  /// Queues a batch behind the last one: two decoders take turns, so that the host, which has its
  /// part in decoding, prepares a batch while the device works on another.
  void enqueue() override {
    Decoder& decoder = decoders_[turn_];
    turn_ = 1 - turn_;
    check(cudaEventSynchronize(decoder.done), "decoding");  // true at once if never recorded
    decode(decoder);
  }

  /// What quality 90 loses of these pictures is some levels of 255.
  void check_result() override {
    for (int i = 0; i < kImages; ++i) {
      const auto picture = pictures_.read(i * kImageBytes, kImageBytes);
      const auto decoded = decoded_.read(i * kImageBytes, kImageBytes);
      double sum = 0;
      for (std::size_t at = 0; at < kImageBytes; ++at)
        sum += std::abs(int{picture[at]} - int{decoded[at]});
      expect_near(sum / kImageBytes, 0, 8, "the mean error of a decoded picture");
    }
  }

 private:
  void decode(Decoder& decoder) {
    check_library(nvjpeg_.decode_batch(handle_, decoder.state, streams_.data(), lengths_.data(),
                                       images_.data(), stream()),
                  "nvjpegDecodeBatched");
    check(cudaEventRecord(decoder.done, stream()), "recording an event");
  }

  void encode() {
    NvjpegObject handle = nullptr;
    NvjpegObject encoder = nullptr;
    NvjpegObject parameters = nullptr;
    check_library(nvjpeg_.create(NvjpegBackend::chosen_by_library, nullptr, nullptr, 0, &handle),
                  "nvjpegCreateEx");
    check_library(nvjpeg_.create_encoder(handle, &encoder, stream()), "nvjpegEncoderStateCreate");
    check_library(nvjpeg_.create_encoder_parameters(handle, &parameters, stream()),
                  "nvjpegEncoderParamsCreate");
    check_library(nvjpeg_.set_quality(parameters, kQuality, stream()),
                  "nvjpegEncoderParamsSetQuality");
    check_library(nvjpeg_.set_subsampling(parameters, kNvjpegSubsampling420, stream()),
                  "nvjpegEncoderParamsSetSamplingFactors");
    for (int i = 0; i < kImages; ++i) {
      const NvjpegImage picture = image_at(pictures_, i);
      check_library(nvjpeg_.encode(handle, encoder, parameters, &picture, kNvjpegInterleavedRgb,
                                   kWidth, kHeight, stream()),
                    "nvjpegEncodeImage");
      retrieve(handle, encoder, encoded_[i]);
      streams_[i] = encoded_[i].data();
      lengths_[i] = encoded_[i].size();
      images_[i] = image_at(decoded_, i);
    }
  }

  void retrieve(NvjpegObject handle, NvjpegObject encoder, std::vector<unsigned char>& encoded) {
    std::size_t length = 0;
    check_library(nvjpeg_.retrieve(handle, encoder, nullptr, &length, stream()),
                  "nvjpegEncodeRetrieveBitstream");
    check(cudaStreamSynchronize(stream()), "encoding");
    encoded.resize(length);
    check_library(nvjpeg_.retrieve(handle, encoder, encoded.data(), &length, stream()),
                  "nvjpegEncodeRetrieveBitstream");
    check(cudaStreamSynchronize(stream()), "encoding");
  }

  /// The library's own choice of backend; where that does not work (a container without the
  /// driver's video part has no JPEG engine) one that decodes on the multiprocessors.
  void open_decoders() {
    for (Decoder& decoder : decoders_)
      check(cudaEventCreateWithFlags(&decoder.done, cudaEventDisableTiming), "creating an event");
    for (const NvjpegBackend backend : {NvjpegBackend::chosen_by_library,
                                        NvjpegBackend::gpu_huffman, NvjpegBackend::cpu_huffman}) {
      try {
        open_decoders(backend);
        std::fprintf(stderr, "jpeg: backend %d, %zu bytes in the first image\n",
                     static_cast<int>(backend), lengths_[0]);
        return;
      } catch (const std::exception& failure) {
        std::fprintf(stderr, "jpeg: backend %d: %s\n", static_cast<int>(backend), failure.what());
        cudaGetLastError();
      }
    }
    throw std::runtime_error("no backend of nvJPEG decodes here; standard error has the reasons");
  }

  void open_decoders(NvjpegBackend backend) {
    check_library(nvjpeg_.create(backend, nullptr, nullptr, 0, &handle_), "nvjpegCreateEx");
    for (Decoder& decoder : decoders_) {
      check_library(nvjpeg_.create_state(handle_, &decoder.state), "nvjpegJpegStateCreate");
      check_library(
          nvjpeg_.start_batches(handle_, decoder.state, kImages, kImages, kNvjpegInterleavedRgb),
          "nvjpegDecodeBatchedInitialize");
      decode(decoder);
      check(cudaStreamSynchronize(stream()), "decoding");
    }
  }

  const NvjpegLibrary nvjpeg_;
  DeviceArray<unsigned char> pictures_{kImages * kImageBytes};
  DeviceArray<unsigned char> decoded_{kImages * kImageBytes};
  std::array<std::vector<unsigned char>, kImages> encoded_;
  std::array<const unsigned char*, kImages> streams_{};
  std::array<std::size_t, kImages> lengths_{};
  std::array<NvjpegImage, kImages> images_{};
  NvjpegObject handle_ = nullptr;  // lives until the process ends, as do the decoders
  std::array<Decoder, 2> decoders_;
  std::size_t turn_ = 0;
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::Jpeg>(
      argc, argv,
      {"jpeg",
       "nvJPEG, 8 images (Yang 2024, Table II: nvJPEG; the images are ours).\n"
       "An iteration decodes one batch of four 3840x2160 pictures (4:2:0, quality 90, encoded by "
       "nvJPEG at the start). Where the library decodes Huffman codes on the host the device waits "
       "for it in part. 0.6 GB. Needs libnvjpeg at run time; TRUEWATT_NVJPEG may name it."});
}
