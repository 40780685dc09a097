#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/output.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/devices/device_listing.hpp"
#include "truewatt/model/device_description.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/sensor/nvml/nvml_devices.hpp"

namespace truewatt::cli {
namespace {

std::string describe(const devices::ListedDevice& device) {
  std::vector<std::string> answering;
  for (const sensor::SourceStatus& status : device.sources) {
    if (status.answers()) answering.push_back(to_string(status.source));
  }
  const DeviceIdentity& id = device.identity;
  std::string text = fmt::format("{}  {}\n     UUID    {}\n     PCI     {}\n     driver  {}\n",
                                 id.index, id.name, id.uuid, id.pci, id.driver);
  text += fmt::format("     sources {}\n", answering.empty()
                                               ? std::string("none answers")
                                               : fmt::format("{}", fmt::join(answering, ", ")));
  for (const std::string& note : device.notes) text += fmt::format("     note    {}\n", note);
  return text;
}

nlohmann::json json_of(const devices::ListedDevice& device) {
  nlohmann::json sources = nlohmann::json::array();
  for (const sensor::SourceStatus& status : device.sources) {
    sources.push_back(
        {{"source", std::string(to_string(status.source.kind))},
         {"scope", std::string(to_string(status.source.scope))},
         {"answers", status.answers()},
         {"refusal", status.refusal ? nlohmann::json(status.refusal->message) : nlohmann::json()}});
  }
  const DeviceIdentity& id = device.identity;
  return {{"index", id.index},   {"name", id.name},    {"uuid", id.uuid},      {"pci", id.pci},
          {"driver", id.driver}, {"sources", sources}, {"notes", device.notes}};
}

std::string describe_host(const devices::ListedDevice& host) {
  std::string text = fmt::format("host {}\n", host.identity.name);
  for (const sensor::SourceStatus& status : host.sources) {
    text += fmt::format("     {}{}\n", to_string(status.source),
                        status.refusal ? ": " + status.refusal->message : "");
  }
  return text;
}

int devices(const CommonOptions& common) {
  const devices::Environment env = devices::environment_of_process();
  const auto host =
      common.devices.empty() ? devices::list_host(env) : std::vector<devices::ListedDevice>();
  const auto listed = devices::list_devices(common.devices, env);
  const std::string simulated = report::hanging(
      "Simulated devices: ", fmt::format("sim:{}", fmt::join(builtin_device_names(), ", sim:")),
      static_cast<std::size_t>(terminal_width(Stream::out)));
  if (!listed && common.json.empty()) {
    for (const devices::ListedDevice& device : host) print_out(safe(describe_host(device)));
    if (common.devices.empty() && !common.quiet) print_out(simulated);
  }
  if (!listed) return fail(with_variable(listed.error(), common), stage_of_opening(common));
  if (!common.json.empty()) {
    nlohmann::json document = {{"schema", "truewatt.devices/1"},
                               {"devices", nlohmann::json::array()},
                               {"host", nlohmann::json::array()}};
    for (const devices::ListedDevice& device : host) document["host"].push_back(json_of(device));
    for (const devices::ListedDevice& device : *listed)
      document["devices"].push_back(json_of(device));
    const auto written = write_text(common.json, document.dump(2) + "\n");
    if (!written) return fail(written.error(), Stage::output);
    if (is_stdout(common.json)) return kOk;
  }
  for (const devices::ListedDevice& device : *listed) print_out(safe(describe(device)));
  for (const devices::ListedDevice& device : host) print_out(safe(describe_host(device)));
  if (!common.quiet) print_out(simulated);
  return kOk;
}

}  // namespace

Verb add_devices(CLI::App& app) {
  auto common = std::make_shared<CommonOptions>();
  CLI::App* verb = app.add_subcommand("devices", "List the GPUs and which of their sources answer");
  verb->footer(R"(Examples:
  truewatt devices
  truewatt devices --json -)");
  add_common(*verb, *common, {});
  return [common] { return devices(*common); };
}

}  // namespace truewatt::cli
