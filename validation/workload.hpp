#pragma once

#include <cuda_runtime.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "device_array.hpp"
#include "protocol.hpp"

namespace workload {

/// What `ready` and `--help` say.
struct Description {
  std::string name;
  std::string help;  ///< the work, its size, the paper it comes from
};

/// Work on one device that can be repeated. The constructor allocates and fills; it and the others
/// throw when something fails.
class Workload {
 public:
  explicit Workload(cudaStream_t stream) : stream_(stream) {}
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// Puts one iteration on the stream, without waiting for it.
  virtual void enqueue() = 0;
  /// Throws if the results are wrong; called once, after the warm-up, with the device idle.
  virtual void check_result() = 0;

 protected:
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
};

/// The stream of all iterations. It orders itself against the default stream, on which arrays are
/// filled and copied.
class Stream {
 public:
  Stream() {
    // Spin in the last wait of a run: its end is a time stamp.
    check(cudaSetDeviceFlags(cudaDeviceScheduleSpin), "opening the device");
    check(cudaStreamCreate(&stream_), "creating a stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Keeps the device busy over many iterations without queueing them all: the host runs at most
/// kInFlight iterations ahead and sleeps, rather than spins, until the oldest is done.
class Iterations {
 public:
  explicit Iterations(cudaStream_t stream) : stream_(stream) {
    for (cudaEvent_t& event : events_)
      check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming),
            "creating an event");
  }
  ~Iterations() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  Iterations(const Iterations&) = delete;
  Iterations& operator=(const Iterations&) = delete;

  Interval run(Workload& work, long long count) {
    Interval interval;
    interval.begin_ns = monotonic_ns();
    for (long long i = 0; i < count; ++i) {
      const cudaEvent_t event = events_[static_cast<std::size_t>(i % kInFlight)];
      if (i >= kInFlight) check(cudaEventSynchronize(event), "an iteration");
      work.enqueue();
      check(cudaGetLastError(), "launching");
      check(cudaEventRecord(event, stream_), "recording an event");
    }
    check(cudaDeviceSynchronize(), "an iteration");
    interval.end_ns = monotonic_ns();
    return interval;
  }

 private:
  /// Of the shortest workload (0.3 ms) this is 20 ms of work: longer than the host is ever late.
  static constexpr long long kInFlight = 64;

  cudaStream_t stream_;
  std::array<cudaEvent_t, kInFlight> events_{};
};

/// The main function of workload `Work`.
template <class Work>
int serve(int argc, char** argv, const Description& description) {
  constexpr long long kWarmUp = 3;
  struct Prepared {  // in order of construction
    Stream stream;
    Work work{stream.get()};
    Iterations iterations{stream.get()};
  };
  return serve(argc, argv, description.name, description.help, [&]() -> Run {
    // Filling, on the default stream, is done before the first iteration begins.
    const auto prepared = std::make_shared<Prepared>();
    prepared->iterations.run(prepared->work, kWarmUp);
    prepared->work.check_result();
    check(cudaDeviceSynchronize(), "checking the result");
    return [prepared](long long count) { return prepared->iterations.run(prepared->work, count); };
  });
}

}  // namespace workload
