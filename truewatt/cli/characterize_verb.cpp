#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/characterize/characterization.hpp"
#include "truewatt/cli/characterize_burtscher.hpp"
#include "truewatt/cli/characterize_idle.hpp"
#include "truewatt/cli/characterize_yang.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/options.hpp"
#include "truewatt/cli/profile_page.hpp"
#include "truewatt/cli/results_output.hpp"
#include "truewatt/cli/verbs.hpp"
#include "truewatt/report/profile/profile_text.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::cli {
namespace {

constexpr double kShortestBudget = 15.0;  // s; a first round of random work
constexpr double kLongestBudget = 3600.0;

struct CharacterizeArguments {
  CommonOptions common;
  double budget_s = 60.0;
  bool scopes = false;
  bool no_scopes = false;
  bool idle = false;
  std::string protocol = "truewatt";
  YangArguments yang;
};

/// What was asked for and this protocol does not do.
std::optional<Error> not_of_protocol(const CharacterizeArguments& arguments) {
  const auto protocol = parse_published_protocol(arguments.protocol);
  const auto refusal = [&arguments](std::string_view option) {
    return Error{
        Errc::invalid_argument,
        fmt::format("{} does not go with --protocol {}; leave it out", option, arguments.protocol)};
  };
  if (arguments.yang.repetitions && protocol != PublishedProtocol::yang) {
    return refusal("--repetitions");
  }
  if (!protocol) return std::nullopt;
  if (arguments.scopes || arguments.no_scopes) {
    return refusal(arguments.scopes ? "--scopes" : "--no-scopes");
  }
  if (protocol == PublishedProtocol::yang && !arguments.common.report.empty()) {
    return refusal("--report");
  }
  return std::nullopt;
}

/// Keeps a real device's profile where later measurements find it; says where, or why not.
Result<std::string> keep(const Profile& profile, bool simulated) {
  if (const auto why = why_doubtful(profile)) {
    return fmt::format("the profile is not saved: {}; --json FILE has what was found", *why);
  }
  if (simulated) {
    return std::string(
        "a simulated device's profile is not saved; write it with --json FILE and use it with "
        "--profile FILE");
  }
  const auto directory = store::default_directory();
  if (!directory) return Unexpected(directory.error());
  const auto path = store::save_profile(*directory, profile);
  if (!path) return Unexpected(path.error());
  return fmt::format("saved as {}; later measurements of this device use it", path->string());
}

int characterize(const CharacterizeArguments& arguments) {
  const CommonOptions& common = arguments.common;
  if (const auto refused = not_of_protocol(arguments)) return fail(*refused, Stage::input);
  if (const auto good = check_outputs(outputs_of(common)); !good) {
    return fail(good.error(), Stage::output);
  }
  const devices::Environment env = devices::environment_of_process();
  auto set = devices::open_devices(device_request(common, devices::Pace::virtual_time), env);
  if (!set) return fail(with_variable(set.error(), common), stage_of_opening(common));
  if (set->devices.size() != 1) {
    return fail({Errc::invalid_argument,
                 fmt::format("{} devices; characterize them one after the other (--device INDEX)",
                             set->devices.size())},
                Stage::input);
  }
  if (const auto refusal = refusal_of(*set)) return fail(*refusal, Stage::device);
  if (const auto protocol = parse_published_protocol(arguments.protocol)) {
    switch (*protocol) {
      case PublishedProtocol::yang:
        return characterize_by_yang(common, arguments.yang, *set, env);
      case PublishedProtocol::burtscher:
        return characterize_by_burtscher(common, arguments.yang.budget_s, *set, env);
    }
  }
  if (arguments.idle) return characterize_idle(common, arguments.budget_s, *set, env);
  const capture::StopOnSignal stop;
  characterize::CharacterizeOptions options{.polling = poll_options(common),
                                            .budget = Seconds(arguments.budget_s),
                                            .seed = common.seed,
                                            .metadata = measure_options(common).metadata,
                                            .progress = terminal_progress(common.quiet),
                                            .stop = stop.token()};
  if (arguments.scopes || arguments.no_scopes) options.scopes = arguments.scopes;
  if (!common.out.empty()) options.out = common.out;
  options.metadata["load"] = kCharacterizeLoad;
  auto result = characterize::characterize(*set, env, options);
  end_progress(common.quiet);
  if (!result) return fail(result.error());
  if (result->profile.sources.empty()) {
    complain({Errc::unavailable,
              "no power sensor answers, so that there is nothing to "
              "characterize; truewatt doctor says what each source answers"});
    return kNotValid;
  }
  const auto kept = keep(result->profile, set->simulated());
  if (kept) result->notes.push_back(*kept);
  const bool json =
      write_asked_for(common.json, [&] { return store::profile_to_json(result->profile); });
  const bool html = write_asked_for(
      common.report, [&] { return report::render_html(page_of(*result, options.metadata)); });
  if (!common.quiet) {
    const Stream stream = summary_stream(common);
    print_to(stream,
             report::profile_text(result->profile, result->notes, text_options(common, stream)));
  }
  if (!kept) complain(kept.error());
  if (result->file_error) complain(*result->file_error);
  if (!json || !html || !kept || result->file_error) return kOther;
  return exit_code_of(result->profile, common);
}

}  // namespace

Verb add_characterize(CLI::App& app) {
  auto arguments = std::make_shared<CharacterizeArguments>();
  CLI::App* verb = app.add_subcommand(
      "characterize", "What each power sensor of a GPU shows: update period, averaging, delay");
  verb->footer(R"(Examples:
  truewatt characterize -d 0                    once a GPU, a minute; it is kept
  truewatt characterize -d 0 --report gpu0.html --json gpu0.json
  truewatt characterize -d 0 --idle             watts of idle, a minute
  truewatt characterize -d sim:a100             without a GPU)");
  CLI::Option* budget =
      verb->add_option("--budget", arguments->budget_s,
                       "Most seconds of device time; it ends sooner when everything is known")
          ->capture_default_str()
          ->check(from_to(kShortestBudget, kLongestBudget))
          ->type_name("SECONDS");
  CLI::Option* idle = verb->add_flag(
      "--idle", arguments->idle,
      "Instead: what the board draws bare, with a context, after work, with sleeping and with "
      "spinning threads. Nothing is saved");
  auto* with =
      verb->add_flag(
              "--scopes", arguments->scopes,
              "Also load the CPU, to find which sources see it; done anyway where one covers a "
              "module or a CPU. Needs a --budget of 30 s or more")
          ->group(group::kExpert);
  verb->add_flag("--no-scopes", arguments->no_scopes, "Never load the CPU")
      ->group(group::kExpert)
      ->excludes(with)
      ->excludes(idle);
  with->excludes(idle);
  CLI::Option* protocol =
      verb->add_option("--protocol", arguments->protocol,
                       "truewatt: one joint fit\nyang: the procedures of Yang, Adamek, Armour "
                       "(SC'24), 47 minutes, fewer repetitions with --budget\nburtscher: those of "
                       "Burtscher, Zecena, Zong (GPGPU-7, 2014), one step, 28 s\n")
          ->group(group::kExpert)
          ->type_name("NAME")
          ->capture_default_str()
          ->check(one_of({"truewatt", "yang", "burtscher"}))
          ->excludes(idle);
  verb->add_option("--repetitions", arguments->yang.repetitions,
                   "With --protocol yang: of every step and every wave (8 and 32 otherwise)")
      ->type_name("N")
      ->group(group::kExpert)
      ->check(whole_from_to(1, 64))
      ->needs(protocol)
      ->excludes(budget);
  add_profiles(*verb, arguments->common)->needs(idle);
  add_common(*verb, arguments->common, {.records = true, .report = true});
  return [arguments, budget] {
    if (budget->count() > 0) arguments->yang.budget_s = arguments->budget_s;
    return characterize(*arguments);
  };
}

}  // namespace truewatt::cli
