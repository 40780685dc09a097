#include "truewatt/validate/validation.hpp"

#include <optional>
#include <string>

#include "truewatt/calibrate/simulated_meter.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/validate/error_summary.hpp"
#include "truewatt/validate/workload_study.hpp"

namespace truewatt::validate {
namespace {

std::optional<ReferenceMeter> meter_of(const ValidateOptions& options) {
  if (!options.meter) return std::nullopt;
  const auto& [live, accuracy] = *options.meter;
  ReferenceMeter meter{
      .name = std::string(live != nullptr ? live->name() : calibrate::kSimulatedMeter)};
  meter.accuracy = accuracy ? accuracy : published_accuracy(meter.name);
  return meter;
}

}  // namespace

Result<Validation> validate_workloads(devices::DeviceSet& set,
                                      const std::vector<store::Workload>& workloads,
                                      const devices::Environment& environment,
                                      const ValidateOptions& options) {
  if (set.devices.size() != 1) {
    return Unexpected(
        Error{Errc::invalid_argument, "validate takes one device; name it with --device"});
  }
  if (options.meter && options.meter->live == nullptr && !set.simulated()) {
    return Unexpected(Error{Errc::invalid_argument, "a real GPU has no simulated meter"});
  }
  Validation validation{.tool_version = TRUEWATT_VERSION,
                        .device = set.devices.front().sensor->device(),
                        .reference = reference_for(set, options),
                        .meter = meter_of(options),
                        .notes = set.notes};
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const store::Workload& workload = workloads[i];
    if (options.measure.stop.stop_requested()) {
      validation.notes.push_back("interrupted before " + workload.name);
      break;
    }
    ValidateOptions one = options;
    one.measure.progress = experiment::part_of(options.measure.progress, i, workloads.size());
    validation.workloads.push_back(
        study_workload(set, environment, one, workload, validation.notes));
  }
  validation.interrupted = options.measure.stop.stop_requested();
  validation.summaries = summaries_of(validation.workloads);
  return validation;
}

}  // namespace truewatt::validate
