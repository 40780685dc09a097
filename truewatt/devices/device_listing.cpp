#include "truewatt/devices/device_listing.hpp"

#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/timed_sensor.hpp"
#include "truewatt/devices/open_in_time.hpp"
#include "truewatt/sensor/nvml/nvml_devices.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::devices {
Result<std::vector<ListedDevice>> list_devices(const std::vector<std::string>& selectors,
                                               const Environment& environment) {
  std::vector<ListedDevice> listed;
  if (selectors.empty()) {
    auto reports = in_time<std::vector<sensor::NvmlDeviceReport>>(
        [library = environment.nvml_library] { return sensor::list_nvml_devices(library); });
    if (!reports) return Unexpected(reports.error());
    for (auto& report : *reports) {
      if (report.failure) report.notes.push_back(report.failure->message);
      for (const std::string& instance : report.mig_instances) {
        report.notes.push_back("MIG instance " + instance + ": measures this whole GPU");
      }
      listed.push_back({report.device, report.sources, report.notes});
    }
    return listed;
  }
  auto set = open_devices({.selectors = selectors}, environment);
  if (!set) return Unexpected(set.error());
  for (const Device& device : set->devices) {
    listed.push_back({device.sensor->device(), device.sensor->sources(), device.sensor->notes()});
  }
  return listed;
}

std::vector<ListedDevice> list_host(const Environment& environment) {
  std::vector<ListedDevice> listed;
  for (const auto& sensor : open_host_sensors(environment)) {
    listed.push_back({sensor->device(), sensor->sources(), sensor->notes()});
  }
  return listed;
}

std::vector<SamplingCost> sampling_cost(DeviceSet& set, Seconds duration,
                                        const capture::PollOptions& polling,
                                        const std::stop_token& stop) {
  std::vector<SamplingCost> costs;
  // One after the other, so that the process's CPU time is one device's.
  for (Device& device : set.devices) {
    const auto timed = std::make_shared<capture::TimedSensor>(*device.sensor);
    capture::Recorder recorder;
    capture::Capture capture({timed.get()}, *set.clock, recorder, polling);
    for (const std::shared_ptr<const void>& used :
         std::initializer_list<std::shared_ptr<const void>>{timed, device.sensor, set.clock}) {
      capture.keep(used);
    }
    const HostTime begin = set.clock->now();
    const Seconds cpu_before = capture::process_cpu_time();
    capture.attend(set.clock->now(), set.clock->now() + capture::kAttendAtFirst);
    capture.start();
    capture.run_until(set.clock->now() + to_nanoseconds(duration), stop);
    capture.stop();
    SamplingCost cost{.device = device.sensor->device(),
                      .wall_s = seconds_between(begin, set.clock->now())};
    if (cost.wall_s > 0) {
      cost.cpu_share = (capture::process_cpu_time() - cpu_before).count() / cost.wall_s;
      cost.driver_share = timed->cpu().count() / cost.wall_s;
    }
    for (const Trace& trace : recorder.recordings().front().traces) {
      SourceCost source{.source = trace.source};
      const double wall = seconds_between(trace.begin, trace.end);
      if (wall > 0) {
        source.polls_per_s = static_cast<double>(trace.polls) / wall;
        source.samples_per_s = static_cast<double>(trace.samples.size()) / wall;
      }
      const auto period = ticks::update_period(ticks::publications(trace, trace.begin));
      if (period) source.update_period_s = period->value;
      cost.sources.push_back(source);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

}  // namespace truewatt::devices
