#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/cupti/cupti_library.hpp"
#include "truewatt/counters/cupti/host_profiler.hpp"

namespace truewatt::counters::cupti {

/// The range profiler of one context, enabled as long as the object lives: the context's launches
/// are slower meanwhile. One user range, replayed by us. One thread, that which launches.
class RangeSession {
 public:
  /// Errors: permission, where the driver refuses counters; unavailable, where another tool counts.
  static Result<std::unique_ptr<RangeSession>> enable(std::shared_ptr<const Library> library,
                                                      const Driver& driver, Context context);
  ~RangeSession();
  RangeSession(const RangeSession&) = delete;
  RangeSession& operator=(const RangeSession&) = delete;

  /// Runs `launch` once for each pass and waits for its work, at most `most_passes` times. Returns
  /// what the hardware counted, for HostProfiler::evaluate.
  Result<Bytes> count(const std::vector<std::string>& metrics, const Bytes& config,
                      std::size_t most_passes, const std::function<Result<void>()>& launch);

 private:
  RangeSession(std::shared_ptr<const Library> library, const Driver& driver)
      : library_(std::move(library)), driver_(driver) {}
  Result<Bytes> counter_data(const std::vector<std::string>& metrics);
  Result<void> set_config(const Bytes& config, Bytes& data);
  Result<void> simple(const EntryPoint<RangeOnly>& entry);
  Result<void> run_in_range(const std::function<Result<void>()>& launch);
  Result<bool> one_pass(const std::function<Result<void>()>& launch);
  Result<void> decode(const Bytes& data);

  std::shared_ptr<const Library> library_;
  Driver driver_;
  RangeObject object_ = nullptr;
};

}  // namespace truewatt::counters::cupti
