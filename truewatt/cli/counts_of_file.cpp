#include "truewatt/cli/counts_of_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "truewatt/base/parse.hpp"
#include "truewatt/cli/count_with_ncu.hpp"
#include "truewatt/counters/metrics/metrics.hpp"
#include "truewatt/store/text_file.hpp"

namespace truewatt::cli {
namespace {

using counters::Field;
using counters::ncu::LaunchCounts;

constexpr std::string_view kBefore = "truewatt counted: ";
constexpr std::string_view kAfter = "truewatt launched: ";
constexpr std::string_view kKernels = "truewatt_";
constexpr std::string_view kRecordIt =
    "record it with the command that `truewatt memory --ncu-command` prints";
/// Without these a level of memory is not told from the next. L1's stores are told by L2's.
constexpr Field kNeeded[] = {Field::shared_loads, Field::shared_stores, Field::l1_hits,
                             Field::l2_hits,      Field::l2_misses,     Field::l2_writes,
                             Field::dram_reads,   Field::dram_writes};

/// What stands behind `begin` on the first line that begins so.
std::optional<std::string_view> line_with(std::string_view text, std::string_view begin) {
  for (std::size_t at = text.find(begin); at != std::string_view::npos;
       at = text.find(begin, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::string_view rest = text.substr(at + begin.size());
    return rest.substr(0, rest.find_first_of("\r\n"));
  }
  return std::nullopt;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

/// The plan in the first line, if it is one of this program for that device.
Result<memory::CountedPlan> plan_in(std::string_view text, const std::string& path,
                                    const std::string& uuid) {
  const auto line = line_with(text, kBefore);
  const auto words = words_of(line.value_or(""));
  if (words.size() != 3) {
    return Unexpected(
        Errc::parse,
        fmt::format("{} does not say which launches ncu counted; {}, with its `> FILE`", path,
                    kRecordIt));
  }
  if (words[0] != TRUEWATT_VERSION) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} was recorded with truewatt {}, and this is {}; {}", path,
                                  words[0], TRUEWATT_VERSION, kRecordIt));
  }
  if (words[1] != uuid) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} was counted on {}, and this is {}; name that GPU with "
                                  "--device, or record this one",
                                  path, words[1], uuid));
  }
  auto plan = parse_counted_plan(std::string(words[2]));
  if (plan) return plan;
  return Unexpected(Errc::parse,
                    fmt::format("{}: `{}{}` is damaged; {}", path, kBefore, *line, kRecordIt));
}

/// Whether the launches are all that there were.
Result<void> look_for_gaps(std::string_view text, const std::string& path, std::size_t found) {
  const auto launched = parse_integer<std::size_t>(line_with(text, kAfter).value_or(""));
  if (!launched) {
    return Unexpected(Errc::parse,
                      fmt::format("{}: the program that ncu counted did not end well; {} again",
                                  path, kRecordIt));
  }
  if (found == *launched) return {};
  return Unexpected(Errc::parse, fmt::format("{} has {} of {} launches; {} again, whole", path,
                                             found, *launched, kRecordIt));
}

/// Whether every launch has what tells levels apart, as far as the chip counts it.
Result<void> look_for_metrics(const CountsFile& file, const std::string& path) {
  const auto planned = counters::plan_metrics(
      [&](std::string_view metric) {
        return counters::usually_has(file.plan.compute_capability, metric);
      },
      {.pipes = false});
  const auto& never = planned.missing_fields;
  for (const Field field : kNeeded) {
    if (std::find(never.begin(), never.end(), field) != never.end()) continue;
    const auto lacking = std::count_if(
        file.launches.begin(), file.launches.end(),
        [&](const LaunchCounts& launch) { return !counters::value_of(launch.counts, field); });
    if (lacking == 0) continue;
    std::vector<std::string> absent;
    for (const std::string& metric : planned.metrics) {
      const auto has = [&](const LaunchCounts& launch) { return launch.values.count(metric) > 0; };
      if (std::none_of(file.launches.begin(), file.launches.end(), has)) absent.push_back(metric);
    }
    return Unexpected(
        Errc::insufficient_data,
        fmt::format("{}: {} of {} launches have no {}{}; {}", path, lacking, file.launches.size(),
                    counters::to_string(field),
                    absent.empty() ? "" : fmt::format(" (missing: {})", fmt::join(absent, ", ")),
                    kRecordIt));
  }
  return {};
}

}  // namespace

std::string line_before_launches(const std::string& uuid, const memory::CountedPlan& plan) {
  return fmt::format("{}{} {} {}\n", kBefore, TRUEWATT_VERSION, uuid, text_of(plan));
}

std::string line_after_launches(std::size_t launches) {
  return fmt::format("{}{}\n", kAfter, launches);
}

Result<CountsFile> read_counts_file(const std::string& path, const std::string& uuid) {
  const auto text = store::read_text_file(path);
  if (!text) return Unexpected(text.error());
  auto plan = plan_in(*text, path, uuid);
  if (!plan) return Unexpected(plan.error());
  auto report = counters::ncu::parse_ncu_csv(*text);
  if (!report) {
    return Unexpected(report.error().code, fmt::format("{}: {}", path, report.error().message));
  }
  CountsFile file{.plan = *plan, .launches = std::move(report->launches)};
  std::erase_if(file.launches, [](const LaunchCounts& launch) {
    return !std::string_view(launch.kernel).starts_with(kKernels);
  });
  if (auto whole = look_for_gaps(*text, path, file.launches.size()); !whole) {
    return Unexpected(whole.error());
  }
  if (auto all = look_for_metrics(file, path); !all) return Unexpected(all.error());
  return file;
}

}  // namespace truewatt::cli
