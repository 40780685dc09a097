#include "truewatt/cli/characterize_yang.hpp"

#include <fmt/format.h>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/replication/yang/yang_protocol.hpp"
#include "truewatt/report/replication/protocol_text.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::cli {
namespace {

Result<replication::YangPlan> plan_of(const YangArguments& arguments) {
  if (arguments.repetitions) return replication::plan_with(*arguments.repetitions);
  if (arguments.budget_s) return replication::plan_within(Seconds(*arguments.budget_s));
  return replication::YangPlan{};
}

}  // namespace

int characterize_by_yang(const CommonOptions& common, const YangArguments& arguments,
                         devices::DeviceSet& set, const devices::Environment& environment) {
  const auto plan = plan_of(arguments);
  if (!plan) return fail(plan.error(), Stage::input);
  if (!common.quiet && !set.simulated()) {
    print_err(fmt::format("The protocol takes {:.0f} minutes of this GPU.\n",
                          plan->duration().count() / 60));
  }
  const capture::StopOnSignal stop;
  replication::YangOptions options{.polling = poll_options(common),
                                   .plan = *plan,
                                   .seed = common.seed,
                                   .metadata = measure_options(common).metadata,
                                   .progress = terminal_progress(common.quiet),
                                   .stop = stop.token()};
  if (!common.out.empty()) options.out = common.out;
  options.metadata["load"] = "characterize --protocol yang";
  auto run = replication::run_yang_protocol(set, environment, options);
  end_progress(common.quiet);
  if (!run) return fail(run.error());
  run->notes.emplace_back(
      "a profile of this protocol is not saved for later measurements; `characterize` makes one");
  const bool json =
      write_asked_for(common.json, [&] { return store::profile_to_json(run->profile); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream, report::protocol_text(run->profile, run->notes, text_options(common, stream)));
  }
  if (run->file_error) complain(*run->file_error);
  if (!json || run->file_error) return kOther;
  return exit_code_of(run->profile, common);
}

}  // namespace truewatt::cli
