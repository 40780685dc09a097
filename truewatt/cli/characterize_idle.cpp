#include "truewatt/cli/characterize_idle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/idle/ladder.hpp"
#include "truewatt/report/idle/idle_html.hpp"
#include "truewatt/report/idle/idle_json.hpp"
#include "truewatt/report/idle/idle_text.hpp"

namespace truewatt::cli {
namespace {

bool has_power(const idle::Ladder& ladder) {
  return std::any_of(ladder.rows.begin(), ladder.rows.end(),
                     [](const idle::Row& row) { return row.power_w.has_value(); });
}

int deliver_ladder(const idle::Ladder& ladder, const CommonOptions& common) {
  const bool json = write_asked_for(common.json, [&] { return report::idle_json(ladder); });
  const std::vector<std::pair<std::string, std::string>> metadata{
      {"Device", ladder.device.name},
      {"UUID", ladder.device.uuid},
      {"truewatt", ladder.tool_version}};
  const bool html =
      write_asked_for(common.report, [&] { return report::idle_html(ladder, metadata); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream, report::idle_text(ladder, text_options(common, stream)));
  }
  if (!json || !html) return kOther;
  return has_power(ladder) && !ladder.interrupted ? kOk : kNotValid;
}

}  // namespace

int characterize_idle(const CommonOptions& common, double budget_s, devices::DeviceSet& set,
                      const devices::Environment& environment) {
  if (Seconds(budget_s) < idle::kShortestBudget) {
    return fail({Errc::invalid_argument,
                 fmt::format("--idle needs {:.0f} s to see a board settle; give a longer --budget",
                             idle::kShortestBudget.count())},
                Stage::input);
  }
  const capture::StopOnSignal stop;
  idle::Options options{.budget = std::min(Seconds(budget_s), idle::kLongestBudget),
                        .polling = poll_options(common),
                        .estimate = measure_options(common).estimate,
                        .metadata = measure_options(common).metadata,
                        .progress = terminal_progress(common.quiet),
                        .stop = stop.token()};
  if (!common.out.empty()) options.out = common.out;
  options.metadata["load"] = "characterize --idle";
  auto ladder = idle::climb(set, environment, options);
  end_progress(common.quiet);
  if (!ladder) return fail(ladder.error());
  if (!has_power(*ladder) && !ladder->interrupted && !set.devices.front().known.profile) {
    ladder->notes.emplace_back(
        "no rung has a power: sources contradict each other as long as nobody knows what each of "
        "them sees; characterize the device first");
  }
  return deliver_ladder(*ladder, common);
}

}  // namespace truewatt::cli
