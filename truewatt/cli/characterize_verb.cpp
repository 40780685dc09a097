#include <fmt/format.h>

#include <memory>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/study/characterization.hpp"

namespace truewatt::cli {
namespace {

struct CharacterizeArguments {
  CommonOptions common;
  double budget_s = 60.0;
};

int characterize(const CharacterizeArguments& arguments) {
  const CommonOptions& common = arguments.common;
  const study::Environment env = environment();
  auto set = study::open_devices(device_request(common, study::Pace::virtual_time), env);
  if (!set) return fail(set.error(), stage_of_opening(common));
  const capture::StopOnSignal stop;
  study::CharacterizeOptions options{.polling = poll_options(common),
                                     .budget = Seconds(arguments.budget_s),
                                     .seed = common.seed,
                                     .progress = terminal_progress(common.quiet),
                                     .stop = stop.token()};
  if (!common.out.empty()) options.out = common.out;
  const auto result = study::characterize(*set, env, options);
  end_progress(common.quiet);
  if (!result) return fail(result.error());
  const bool json =
      write_asked_for(common.json, [&] { return store::profile_to_json(result->profile); });
  if (!common.quiet) {
    for (const study::CharacterizedSource& found : result->sources) {
      const SourceProfile& source = found.profile;
      const auto number = [](const std::optional<Interval>& x) {
        return x ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", 1e3 * x->value, 1e3 * x->lower,
                               1e3 * x->upper)
                 : std::string("-");
      };
      print_err(fmt::format("{:<16} T {}  W {}  C {}  d {} ms  {} {}\n", to_string(source.source),
                            number(source.update_period_s), number(source.averaging_window_s),
                            number(source.time_constant_s), number(source.delay_s), source.response,
                            source.verdict));
    }
  }
  return json ? kOk : kOther;
}

}  // namespace

Verb add_characterize(CLI::App& app) {
  auto arguments = std::make_shared<CharacterizeArguments>();
  CLI::App* verb = app.add_subcommand("characterize",
                                      "Find the observation model of every power source of a GPU");
  verb->add_option("--budget", arguments->budget_s, "Most seconds of device time")
      ->capture_default_str()
      ->check(CLI::Range(12.0, 3600.0))
      ->type_name("SECONDS");
  add_common(*verb, arguments->common, {.measures = true, .report = true});
  return [arguments] { return characterize(*arguments); };
}

}  // namespace truewatt::cli
