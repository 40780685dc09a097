#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/cupti/cupti_library.hpp"
#include "truewatt/counters/metrics/metrics.hpp"

namespace truewatt::counters::cupti {

using Bytes = std::vector<std::uint8_t>;

/// Names of metrics as CUPTI wants them. Views: the names must outlive it.
std::vector<const char*> c_names(const std::vector<std::string>& names);

/// CUPTI's knowledge of one chip: metrics, what they need of the hardware, and values out of what
/// the hardware counted. Needs no GPU. One thread at a time.
class HostProfiler {
 public:
  /// `chip` as cuptiDeviceGetChipName says it ("GH100"); `availability` is the device's image,
  /// empty where none was asked for, without which chips that this CUPTI does not know are
  /// unsupported. It is kept: CUPTI goes on reading it.
  static Result<std::unique_ptr<HostProfiler>> create(std::shared_ptr<const Library> library,
                                                      const std::string& chip,
                                                      Bytes availability = {});
  ~HostProfiler();
  HostProfiler(const HostProfiler&) = delete;
  HostProfiler& operator=(const HostProfiler&) = delete;

  /// Names of the chip's counters, without rollup.
  Result<std::set<std::string, std::less<>>> counters() const;
  /// What the hardware must be told to count these. Once for each object: CUPTI adds up what it is
  /// asked for, and after a name that it does not know it answers nothing more.
  Result<Bytes> configure(const std::vector<std::string>& metrics) const;
  /// How often work must run to be counted whole.
  Result<std::size_t> passes(Bytes& config) const;
  /// Values of the first range of `counter_data`. Those that are no finite number are left out.
  Result<MetricValues> evaluate(const Bytes& counter_data,
                                const std::vector<std::string>& metrics) const;

 private:
  HostProfiler(std::shared_ptr<const Library> library, Bytes availability)
      : library_(std::move(library)), availability_(std::move(availability)) {}

  std::shared_ptr<const Library> library_;
  Bytes availability_;
  HostObject object_ = nullptr;
};

}  // namespace truewatt::counters::cupti
