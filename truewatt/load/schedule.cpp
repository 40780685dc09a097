#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/kernels/named_kernels.hpp"
#include "truewatt/load/level_trace.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/spec_text.hpp"

namespace truewatt::load {
namespace {

Unexpected too_many_steps(std::string_view name, double steps, std::string_view what_to_do) {
  return {Errc::invalid_argument,
          fmt::format("load '{}' would have {:.0f} steps, {} are allowed; {}", name, steps,
                      kMostSteps, what_to_do)};
}

/// What the load works with where it works: a level and, but for the FMA chain, a kernel.
Result<ScheduleStep> work(const SpecText& spec) {
  const auto level = spec.fraction("level", 1.0);
  if (!level) return Unexpected(level.error());
  const auto kernel = spec.kernel("kernel");
  if (!kernel) return Unexpected(kernel.error());
  return ScheduleStep{Seconds(0), *level, *kernel};
}

ScheduleStep at(Seconds time, ScheduleStep work) {
  work.at = time;
  return work;
}

Result<Schedule> square(std::string_view items) {
  const auto spec =
      SpecText::parse("square", items, {"period", "duty", "duration", "level", "kernel"});
  if (!spec) return Unexpected(spec.error());
  const auto period = spec->duration("period", Seconds(0.1));
  if (!period) return Unexpected(period.error());
  const auto duty = spec->fraction("duty", 0.5);
  if (!duty) return Unexpected(duty.error());
  const auto duration = spec->duration("duration", Seconds(8));
  if (!duration) return Unexpected(duration.error());
  const auto on = work(*spec);
  if (!on) return Unexpected(on.error());

  if (*period > *duration) {
    return Unexpected(
        Errc::invalid_argument,
        fmt::format(
            "load 'square': its period of {:g} s is longer than its duration of {:g} s; times "
            "are in seconds or have a unit, such as period=100ms",
            period->count(), duration->count()));
  }
  // A last period shorter than a nanosecond is rounding, not a period.
  const double periods = std::max(1.0, std::ceil((*duration - kShortestLoad) / *period));
  if (2.0 * periods > static_cast<double>(kMostSteps)) {
    return too_many_steps("square", 2.0 * periods, "give a longer period or a shorter duration");
  }
  Schedule schedule{{{Seconds(0), 0.0}}, *duration, ""};
  schedule.steps.reserve(2 * static_cast<std::size_t>(periods));
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(periods); ++k) {
    const auto index = static_cast<double>(k);
    append_step(schedule.steps, at(index * *period, *on));
    const Seconds fall = (index + *duty) * *period;
    if (fall < *duration - kShortestLoad) append_step(schedule.steps, {fall, 0.0});
  }
  return schedule;
}

Result<Schedule> step(std::string_view name, std::string_view items) {
  const bool is_kernel = name != "step";
  const auto spec = is_kernel ? SpecText::parse(name, items, {"on", "level"})
                              : SpecText::parse(name, items, {"on", "level", "kernel"});
  if (!spec) return Unexpected(spec.error());
  const auto on = spec->duration("on", Seconds(3));
  if (!on) return Unexpected(on.error());
  auto working = work(*spec);
  if (!working) return Unexpected(working.error());
  if (is_kernel) working->kernel = *kernel_of(name);
  return Schedule{{*working}, *on, ""};
}

/// Uniform in [0, 1), the same on every platform (std::uniform_real_distribution is not).
double draw(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

Result<Schedule> burst(std::string_view items, unsigned seed) {
  const auto spec =
      SpecText::parse("burst", items, {"on", "gap", "jitter", "count", "level", "kernel"});
  if (!spec) return Unexpected(spec.error());
  const auto on = spec->duration("on", Seconds(0.01));
  if (!on) return Unexpected(on.error());
  const auto gap = spec->duration_or_zero("gap", Seconds(0.3));
  if (!gap) return Unexpected(gap.error());
  const auto jitter = spec->duration_or_zero("jitter", Seconds(0.1));
  if (!jitter) return Unexpected(jitter.error());
  const auto count = spec->count("count", 16, kMostSteps / 2);
  if (!count) return Unexpected(count.error());
  const auto working = work(*spec);
  if (!working) return Unexpected(working.error());

  Schedule schedule;
  schedule.steps.reserve(2 * *count);
  std::mt19937_64 random(seed);
  for (std::uint64_t i = 0; i < *count; ++i) {
    append_step(schedule.steps, at(schedule.duration, *working));
    schedule.duration += *on;
    if (schedule.duration > kLongestLoad) {
      return Unexpected(Errc::invalid_argument,
                        fmt::format("load 'burst': count={} bursts last longer than 24 h; give a "
                                    "smaller count or shorter on and gap",
                                    *count));
    }
    if (i + 1 == *count) break;
    append_step(schedule.steps, {schedule.duration, 0.0});
    schedule.duration += *gap + draw(random) * *jitter;
  }
  return schedule;
}

Result<std::string> read_file(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Unexpected(Errc::unavailable,
                      fmt::format("load 'trace': cannot open '{}'; give a CSV file with the "
                                  "columns t_s,level",
                                  path));
  }
  std::string text;
  std::vector<char> block(1 << 16);
  while (file && text.size() <= kLargest) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) {
    return Unexpected(Errc::io, fmt::format("load 'trace': '{}' cannot be read as a file", path));
  }
  if (text.size() > kLargest) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("load 'trace': '{}' is larger than 1 GiB; thin it out", path));
  }
  if (text.empty()) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("load 'trace': '{}' is empty; give a CSV file with the columns "
                                  "t_s,level",
                                  path));
  }
  return text;
}

Result<Schedule> trace_file(std::string_view path) {
  if (path.empty()) {
    return Unexpected(Errc::invalid_argument,
                      "load 'trace' needs a file, like trace:levels.csv (columns t_s,level)");
  }
  const auto text = read_file(std::string(path));
  if (!text) return Unexpected(text.error());
  auto schedule = parse_level_trace(*text);
  if (schedule) return schedule;
  return Unexpected(schedule.error().code, fmt::format("{}: {}", path, schedule.error().message));
}

Result<Schedule> build(std::string_view name, std::string_view items, unsigned seed) {
  if (name == "square") return square(items);
  if (name == "step" || kernel_of(name)) return step(name, items);
  if (name == "burst") return burst(items, seed);
  if (name == "trace") return trace_file(items);
  if (const std::size_t comma = name.find(','); comma != std::string_view::npos) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("load '{0},{1}': a colon stands behind the name: {0}:{1}",
                                  name.substr(0, comma), name.substr(comma + 1)));
  }
  const auto near = load_meant(name);
  return Unexpected(Errc::invalid_argument,
                    fmt::format("there is no load '{}'; {}the loads are square, step, burst, "
                                "trace:FILE.csv, {}",
                                name, near ? fmt::format("did you mean '{}'? Else ", *near) : "",
                                kernel_names()));
}

}  // namespace

std::optional<std::string> load_meant(std::string_view spec) {
  std::vector<std::string> names{"square", "step", "burst", "trace", "fma"};
  for (const kernels::NamedKernel& one : kernels::named_kernels()) names.emplace_back(one.name);
  return close_name(spec.substr(0, spec.find(':')), names);
}

Result<Schedule> parse_schedule(std::string_view spec, unsigned seed) {
  const auto colon = spec.find(':');
  const std::string_view items =
      colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  auto schedule = build(spec.substr(0, colon), items, seed);
  if (schedule) schedule->spec = spec;
  return schedule;
}

}  // namespace truewatt::load
