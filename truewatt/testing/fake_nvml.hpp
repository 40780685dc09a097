#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/sensor/nvml/nvml_library.hpp"

/// An NVML whose every answer a test writes down; no thread, no clock, no shared library.
namespace truewatt::sensor::nvml {

struct FakeGpu {
  std::string name = "Fake GPU";
  std::string uuid = "GPU-00000000-0000-0000-0000-000000000000";
  std::uint32_t bus = 0x1b;
  Return open = Return::success;   ///< what asking for the handle returns
  Return fault = Return::success;  ///< what every other call returns instead of its answer
  std::optional<std::uint32_t> power_usage_mw;
  std::optional<unsigned long long> energy_mj;
  std::optional<std::uint32_t> enforced_limit_mw;
  std::optional<std::uint32_t> greatest_limit_mw;
  /// Milliwatts or millijoules by field and scope, as 32-bit values.
  std::map<std::pair<Field, FieldScope>, FieldValue> fields;
  /// Of the ring; absent: not supported.
  std::optional<std::vector<Sample>> ring;
  /// Slots that the size query admits to; absent: as many as there are.
  std::optional<std::uint32_t> ring_size_told;
  bool health_answers = true;
  bool mig_mode = false;  ///< on also where there are instances
  std::vector<std::string> mig_instances;

  /// Lets a field answer with an unsigned 32-bit value.
  void set_field(Field field, FieldScope scope, std::uint32_t milli);
};

struct FakeNvml {
  std::vector<FakeGpu> gpus;
  Return init = Return::success;
  int initialised = 0;
  int ring_fetches = 0;
};

/// The state behind fake_api(). A test begins with `fake_nvml() = {}`.
FakeNvml& fake_nvml();
Api fake_api();

}  // namespace truewatt::sensor::nvml
