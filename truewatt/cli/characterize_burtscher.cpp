#include "truewatt/cli/characterize_burtscher.hpp"

#include <fmt/format.h>

#include <cmath>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/profile_page.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/replication/protocol_text.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::cli {
namespace {

std::optional<Error> why_not(std::optional<double> budget_s) {
  const double needed = replication::burtscher_duration().count();
  if (budget_s.value_or(needed) >= needed) return std::nullopt;
  return Error{
      Errc::invalid_argument,
      fmt::format("the protocol needs {:.0f} s; give a longer --budget", std::ceil(needed))};
}

}  // namespace

report::BurtscherPage page_of(const replication::BurtscherRun& run,
                              const store::Metadata& metadata) {
  return {.title = "truewatt characterize --protocol burtscher: " + run.profile.device.name,
          .profile = run.profile,
          .figures = run.figures,
          .metadata = page_metadata(run.profile, metadata, run.notes)};
}

int characterize_by_burtscher(const CommonOptions& common, std::optional<double> budget_s,
                              devices::DeviceSet& set, const devices::Environment& environment) {
  if (const auto error = why_not(budget_s)) return fail(*error, Stage::input);
  const capture::StopOnSignal stop;
  replication::BurtscherOptions options{.polling = poll_options(common),
                                        .metadata = measure_options(common).metadata,
                                        .progress = terminal_progress(common.quiet),
                                        .stop = stop.token()};
  if (!common.out.empty()) options.out = common.out;
  options.metadata["load"] = kBurtscherLoad;
  auto run = replication::run_burtscher_protocol(set, environment, options);
  end_progress(common.quiet);
  if (!run) return fail(run.error());
  run->notes.emplace_back(
      "a profile of this protocol is not saved for later measurements; `characterize` makes one");
  const bool json =
      write_asked_for(common.json, [&] { return store::profile_to_json(run->profile); });
  const bool html = write_asked_for(
      common.report, [&] { return report::burtscher_html(page_of(*run, options.metadata)); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream,
             report::burtscher_text(run->profile, run->notes, text_options(common, stream)));
  }
  if (run->file_error) complain(*run->file_error);
  if (!json || !html || run->file_error) return kOther;
  return exit_code_of(run->profile, common);
}

}  // namespace truewatt::cli
