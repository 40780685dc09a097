#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/capture/source_poller.hpp"
#include "truewatt/cli/exit_codes.hpp"
#include "truewatt/cli/output.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/results/baseline.hpp"
#include "truewatt/energy/results/reader.hpp"
#include "truewatt/measure/work_done.hpp"

namespace truewatt::cli {

/// What most verbs share.
struct CommonOptions {
  std::vector<std::string> devices;
  std::string json;
  std::string report;
  std::string out;
  std::vector<std::string> profiles;
  std::vector<std::string> calibrations;
  std::uint64_t seed = 1;
  double resolve = 0.05;
  energy::BaselineRule baseline;  ///< which idle net energy counts from
  std::vector<energy::Reader> readers;
  bool good_practice = false;  ///< --protocol yang
  std::string poll = "ticks";
  std::string separator;  ///< of `-x`; empty: no CSV
  bool node = false;      ///< --node
  bool quiet = false;
  bool verbose = false;
};

/// A file that is read.
struct InputFile {
  std::string_view if_empty = "name another";  ///< what to do about an empty one
  bool may_be_folder = false;
};

/// What `analyze` and `calibrate` read.
inline constexpr InputFile kRecordedData{
    .if_empty =
        "record one: nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -lms 100",
    .may_be_folder = true};

/// What a value has to be. Each says option, value and what to do, and nothing in the help.
/// A file that is there, may be read and is not empty: another one is a mistake on the command
/// line, whatever the verb.
CLI::Validator input_file(const InputFile& is = {});
CLI::Validator from_to(double least, double most);
CLI::Validator whole_from_to(int least, int most);
/// Of work.
CLI::Validator amount();
CLI::Validator one_of(std::vector<std::string> names);
/// Of CSV: nothing that numbers have.
CLI::Validator separator();

/// Which of the shared options a verb takes.
struct Takes {
  bool device = true;
  bool records = false;   ///< --out, --seed, --poll
  bool knows = false;     ///< --profile, --calibration
  bool measures = false;  ///< all of those, and --resolve, --protocol, -x
  bool repeats = false;   ///< --protocol yang, which plays a load many times
  bool report = false;
  bool json = true;
  bool details = false;  ///< -v changes something; so it does where it measures
};

/// Adds the shared options to a verb. Flag beats TRUEWATT_* variable beats config file.
void add_common(CLI::App& verb, CommonOptions& options, const Takes& takes);

/// Adds --seed; part of add_common for verbs that measure.
CLI::Option* add_seed(CLI::App& verb, CommonOptions& options);

/// Adds --baseline; part of add_common for verbs that measure.
void add_baseline(CLI::App& verb, CommonOptions& options);

/// Adds --protocol; part of add_common for verbs that measure.
void add_readers(CLI::App& verb, CommonOptions& options, bool repeats = false);

/// Adds --target, a share of an energy or a ratio.
void add_target(CLI::App& verb, std::optional<double>& target, const std::string& help);

/// Adds --done, --done-file and --unit.
void add_work(CLI::App& verb, std::optional<measure::WorkAsked>& work);

/// Why what was asked for says no amount: --unit alone.
std::optional<Error> why_no_work(const std::optional<measure::WorkAsked>& work);

/// Adds --node.
void add_node(CLI::App& verb, CommonOptions& options);

/// Adds --profile; part of add_common for verbs that measure.
CLI::Option* add_profiles(CLI::App& verb, CommonOptions& options);

/// Adds --poll; part of add_common for verbs that measure.
void add_poll(CLI::App& verb, CommonOptions& options);
capture::PollOptions poll_options(const CommonOptions& options);

/// The files that are to be written.
Outputs outputs_of(const CommonOptions& options);

/// Options about a device or how it is measured do not go with this one, which opens none; their
/// TRUEWATT_* variables may stay set beside it.
void without_measuring(CLI::App& verb, CLI::Option& other);

/// The devices asked for, paced as `pace` says.
devices::DeviceRequest device_request(const CommonOptions& options, devices::Pace pace);

/// Opening simulated devices only reads files that the command line names.
Stage stage_of_opening(const CommonOptions& options);

/// An error about a device or file whose value is that of a TRUEWATT_* variable names the variable.
Error with_variable(Error error, const CommonOptions& options);

/// "5%" or "0.05" as a share; nothing for anything else or outside (0, 1], nor for "1", which may
/// be meant as either.
std::optional<double> parse_share(const std::string& text);

/// What is wrong with a text that is no share.
std::string not_a_share(const std::string& text);

/// "+01:00", "-5:30", "+1" are hours and minutes east of UTC; invalid_argument for other text.
Result<std::chrono::minutes> parse_utc_offset(const std::string& text);

}  // namespace truewatt::cli
