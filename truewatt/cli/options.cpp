#include "truewatt/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/base/parse.hpp"
#include "truewatt/cli/help.hpp"
#include "truewatt/cli/usage.hpp"

namespace truewatt::cli {
namespace {

std::optional<std::chrono::minutes> offset_of(const std::string& text) {
  if (text == "Z" || text == "z" || text == "UTC") return std::chrono::minutes(0);
  int sign = 1;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    sign = text[0] == '-' ? -1 : 1;
    at = 1;
  }
  int hours = 0;
  int minutes = 0;
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data() + at, end, hours);
  if (parsed.ec != std::errc()) return std::nullopt;
  const bool is_run_together = parsed.ptr == end && parsed.ptr - (text.data() + at) == 4;
  if (is_run_together) {  // 0530
    minutes = hours % 100;
    hours /= 100;
  }
  if (parsed.ptr != end) {
    if (*parsed.ptr != ':') return std::nullopt;
    parsed = std::from_chars(parsed.ptr + 1, end, minutes);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  }
  if (hours > 14 || minutes > 59 || hours < 0 || minutes < 0) return std::nullopt;
  return std::chrono::minutes(sign * (60 * hours + minutes));
}

void add_recording(CLI::App& verb, CommonOptions& options) {
  verb.add_option("--out", options.out,
                  "Write the run file (SQLite) as the run goes, for report, analyze and compare")
      ->type_name("RUN.db")
      ->group(group::kOutput);
  add_seed(verb, options)->envname("TRUEWATT_SEED");
  add_poll(verb, options);
}

void add_knowledge(CLI::App& verb, CommonOptions& options) {
  add_profiles(verb, options)->envname("TRUEWATT_PROFILE");
  verb.add_option("--calibration", options.calibrations,
                  "Calibration made by calibrate --json; repeatable, one per source")
      ->type_name("FILE")
      ->group(group::kDevice)
      ->allow_extra_args(false)
      ->check(input_file())
      ->envname("TRUEWATT_CALIBRATION");
}

/// Whether the message is about this value: a device in quotes, or a file.
bool is_about(const std::string& message, const std::string& value) {
  const std::string name = value.starts_with("sim:") ? value.substr(4) : value;
  const bool is_file = name.find('.') != std::string::npos || name.find('/') != std::string::npos;
  return message.find('`' + name + '`') != std::string::npos ||
         message.find('\'' + name + '\'') != std::string::npos ||
         (is_file && message.find(name) != std::string::npos);
}

/// Those of that name, once each. Throws what CLI11 reports.
void choose_readers(CommonOptions& options, const std::string& name, bool repeats) {
  const auto reader = energy::parse_reader(name);
  if (name == "yang" && !repeats) {
    throw CLI::ValidationError("--protocol",
                               "yang plays a load many times, which only `truewatt measure` can");
  }
  if (!reader && name != "all" && name != "yang") {
    std::string names;
    for (const energy::Reader one : energy::kReaders) names.append(to_string(one)).append(", ");
    Words known{"all"};
    for (const energy::Reader one : energy::kReaders) known.emplace_back(to_string(one));
    if (repeats) known.emplace_back("yang");
    const auto near = close_name(name, known);
    throw CLI::ValidationError(
        "--protocol", fmt::format("no reader `{}`; {}there are {}{}all", name,
                                  near ? fmt::format("did you mean {}? Else ", *near) : "", names,
                                  repeats ? "yang, " : ""));
  }
  options.good_practice = options.good_practice || name == "yang";
  for (const energy::Reader one : energy::kReaders) {
    const bool wanted = !reader || one == *reader;
    auto& chosen = options.readers;
    const bool there = std::find(chosen.begin(), chosen.end(), one) != chosen.end();
    if (wanted && !there) chosen.push_back(one);
  }
}

void add_measuring(CLI::App& verb, CommonOptions& options, bool repeats) {
  verb.add_option_function<std::string>(
          "--resolve",
          [&options](const std::string& text) {
            const auto share = parse_share(text);
            if (!share) throw CLI::ValidationError("--resolve", not_a_share(text));
            options.resolve = *share;
          },
          "Largest half-width of the 95 % interval, without the sensor's scale, that counts as a "
          "result (default 5%)")
      ->type_name("SHARE")
      ->group(group::kPrecision)
      ->envname("TRUEWATT_RESOLVE");
  add_baseline(verb, options);
  add_readers(verb, options, repeats);
  verb.add_option("-x", options.separator, "Print the result as CSV with this separator")
      ->check(separator())
      ->type_name("SEP")
      ->group(group::kOutput);
}

}  // namespace

void add_baseline(CLI::App& verb, CommonOptions& options) {
  verb.add_option_function<std::string>(
          "--baseline",
          [&options](const std::string& text) {
            if (text == "before") {
              options.baseline = {.kind = energy::BaselineKind::before};
            } else if (text == "lowest") {
              options.baseline = {.kind = energy::BaselineKind::lowest};
            } else if (const auto watts = parse_number(text); watts && *watts >= 0) {
              options.baseline = {.kind = energy::BaselineKind::given, .given = Watts(*watts)};
            } else {
              throw CLI::ValidationError("--baseline",
                                         fmt::format("'{}' is not 'before', 'lowest' or watts, "
                                                     "such as 60",
                                                     text));
            }
          },
          "Idle power that energy above idle subtracts: before (the last quiet 0.5 s before the "
          "window), lowest (in the recording) or watts (default: before, else lowest)")
      ->type_name("IDLE");
}

void add_readers(CLI::App& verb, CommonOptions& options, bool repeats) {
  std::string readers;
  for (const energy::Reader one : energy::kReaders) {
    readers += fmt::format("{}: {}\n", to_string(one), explain(one));
  }
  readers += "all: each of them";
  if (repeats) {
    readers +=
        "\nyang: all, of a load played 4 x 32 times (of a short one for 4 x 5 s), and the good "
        "practice of Yang et al. (SC'24) made for that";
  }
  verb.add_option_function<std::vector<std::string>>(
          "--protocol",
          [&options, repeats](const std::vector<std::string>& names) {
            for (const std::string& name : names) choose_readers(options, name, repeats);
          },
          "Also show the energy that other published methods compute from the same readings; "
          "several with commas or by repeating it\n" +
              readers)
      ->type_name("READER")
      ->group(group::kExpert)
      ->allow_extra_args(false)
      ->take_all()
      ->delimiter(',');
}

void add_common(CLI::App& verb, CommonOptions& options, const Takes& takes) {
  if (takes.device) {
    verb.add_option(
            "-d,--device", options.devices,
            "GPU index, UUID, PCI id, all, sim:NAME or sim:FILE.toml; several with commas or "
            "by repeating it (default: every GPU that the process sees)")
        ->type_name("SEL")
        ->group(group::kDevice)
        ->allow_extra_args(false)
        ->take_all()
        ->delimiter(',')
        ->envname("TRUEWATT_DEVICE");
  }
  if (takes.json) {
    verb.add_option("--json", options.json, "Write the result as JSON; - is stdout")
        ->type_name("FILE")
        ->group(group::kOutput);
  }
  if (takes.report) {
    verb.add_option("--report", options.report, "Write a self-contained HTML page")
        ->type_name("FILE.html")
        ->group(group::kOutput);
  }
  if (takes.records || takes.measures) add_recording(verb, options);
  if (takes.knows || takes.measures) add_knowledge(verb, options);
  if (takes.measures) add_measuring(verb, options, takes.repeats);
  CLI::Option* quiet =
      verb.add_flag("-q,--quiet", options.quiet, "Print no summary, notes or progress")
          ->group(group::kOutput);
  // Taken by every verb, shown where it changes something.
  verb.add_flag("-v,--verbose", options.verbose, "Print the uncertainty budget and details")
      ->group(takes.details || takes.measures ? group::kOutput : "")
      ->excludes(quiet);
}

CLI::Option* add_profiles(CLI::App& verb, CommonOptions& options) {
  return verb
      .add_option(
          "--profile", options.profiles,
          "Sensor profile made by characterize --json; may be repeated: each device uses the "
          "one with its UUID")
      ->type_name("FILE")
      ->group(group::kDevice)
      ->allow_extra_args(false)
      ->check(input_file());
}

CLI::Option* add_seed(CLI::App& verb, CommonOptions& options) {
  // The option parser wraps what is negative and clamps what is too large.
  const CLI::Validator whole(
      [](std::string& text) {
        const bool good = parse_integer<std::uint64_t>(text).has_value();
        return good ? std::string() : text + ": give a whole number from 0 to 18446744073709551615";
      },
      "");
  return verb.add_option("--seed", options.seed, "Seed of everything random")
      ->group(group::kExpert)
      ->check(whole)
      ->capture_default_str()
      ->type_name("N");
}

void add_poll(CLI::App& verb, CommonOptions& options) {
  verb.add_option(
          "--poll", options.poll,
          "When sources are asked. ticks: around their updates (during run, expensive ones rest in "
          "between); every: around every update whatever it costs; max: as fast as they answer")
      ->group(group::kExpert)
      ->check(one_of({"ticks", "every", "max"}))
      ->capture_default_str()
      ->type_name("MODE");
}

capture::PollOptions poll_options(const CommonOptions& options) {
  if (options.poll == "max") return {.mode = capture::PollMode::max};
  if (options.poll == "every") return {.mode = capture::PollMode::every};
  return {};
}

void without_measuring(CLI::App& verb, CLI::Option& other) {
  for (const char* name : {"--device", "--profile", "--calibration", "--poll", "--seed"}) {
    CLI::Option* option = verb.get_option_no_throw(name);
    if (option == nullptr || std::getenv(option->get_envname().c_str()) != nullptr) continue;
    option->excludes(&other);
  }
}

devices::DeviceRequest device_request(const CommonOptions& options, devices::Pace pace) {
  devices::DeviceRequest request{.selectors = options.devices, .pace = pace, .seed = options.seed};
  request.profiles.assign(options.profiles.begin(), options.profiles.end());
  request.calibrations.assign(options.calibrations.begin(), options.calibrations.end());
  request.node = options.node;
  return request;
}

Stage stage_of_opening(const CommonOptions& options) {
  const bool simulated = !options.devices.empty() && options.devices.front().starts_with("sim:");
  return simulated ? Stage::input : Stage::device;
}

Error with_variable(Error error, const CommonOptions& options) {
  const std::pair<const char*, const std::vector<std::string>*> chosen[] = {
      {"TRUEWATT_DEVICE", &options.devices},
      {"TRUEWATT_PROFILE", &options.profiles},
      {"TRUEWATT_CALIBRATION", &options.calibrations}};
  for (const auto& [variable, values] : chosen) {
    const char* text = std::getenv(variable);
    if (text == nullptr || fmt::format("{}", fmt::join(*values, ",")) != text) continue;
    for (const std::string& value : *values) {
      if (!is_about(error.message, value)) continue;
      error.message +=
          fmt::format("; {}={} names it: correct or unset the variable", variable, text);
      return error;
    }
  }
  return error;
}

double amount_of(const std::string& option, const std::string& text) {
  const auto work = measure::parse_work(text, "");
  const bool is_number = work && work->unit.empty();
  if (!is_number) {
    throw CLI::ValidationError(option, text + ": give a number above 0, such as 1e6");
  }
  return work->done;
}

void add_work(CLI::App& verb, std::optional<measure::WorkAsked>& work) {
  const auto asked = [&work]() -> measure::WorkAsked& { return work ? *work : work.emplace(); };
  CLI::Option* done =
      verb.add_option_function<std::string>(
              "--done",
              [asked](const std::string& text) { asked().done = amount_of("--done", text); },
              "Work that the command does, such as 1e6: the result also has joules "
              "per unit and units per joule")
          ->type_name("AMOUNT");
  verb.add_option_function<std::string>(
          "--done-file", [asked](const std::string& path) { asked().file = path; },
          "File into which the command writes how much work it did, as 1e6 or \"1e6 tokens\"")
      ->type_name("FILE")
      ->excludes(done);
  verb.add_option_function<std::string>(
          "--unit", [asked](const std::string& unit) { asked().unit = unit; },
          "Unit of --done or --done-file, in the plural, such as tokens (default units)")
      ->type_name("NAME");
}

std::optional<Error> why_no_work(const std::optional<measure::WorkAsked>& work) {
  if (!work || work->done) return std::nullopt;
  std::error_code none;
  if (std::filesystem::is_directory(work->file, none)) {
    return Error{
        Errc::invalid_argument,
        fmt::format("--done-file {}: it is a folder; name a file in it", work->file.string())};
  }
  if (!work->file.empty()) return std::nullopt;
  return Error{
      Errc::invalid_argument,
      fmt::format("--unit {} needs an amount; give --done AMOUNT or --done-file FILE", work->unit)};
}

void add_node(CLI::App& verb, CommonOptions& options) {
  verb.add_flag("--node", options.node,
                "Also the host's energy (RAPL packages and their DRAM, Grace's sockets), and the "
                "node's, in which nothing counts twice")
      ->group(group::kDevice);
}

void add_target(CLI::App& verb, std::optional<double>& target, const std::string& help) {
  verb.add_option_function<std::string>(
          "--target",
          [&target](const std::string& text) {
            target = parse_share(text);
            if (!target) throw CLI::ValidationError("--target", not_a_share(text));
          },
          help)
      ->type_name("SHARE")
      ->group(group::kPrecision);
}

std::string not_a_share(const std::string& text) {
  return text + ": give a share below 1, like 1% or 0.01";
}

std::optional<double> parse_share(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  const std::string unit(end);
  double share = number;
  if (unit == "%") {
    share = number / 100;
  } else if (!unit.empty() || number >= 1) {
    return std::nullopt;  // 1 may be a share or a percent
  }
  if (!(share > 0 && share <= 1)) return std::nullopt;
  return share;
}

Result<std::chrono::minutes> parse_utc_offset(const std::string& text) {
  const auto offset = offset_of(text);
  if (offset) return *offset;
  return Unexpected(
      Errc::invalid_argument,
      fmt::format("--utc-offset {}: give local time minus UTC as +01:00 or -5:30", text));
}

Outputs outputs_of(const CommonOptions& options) {
  return {.json = options.json,
          .report = options.report,
          .csv = options.separator.empty() ? std::string_view() : std::string_view("-"),
          .run_file = options.out,
          .quiet = options.quiet};
}

}  // namespace truewatt::cli
