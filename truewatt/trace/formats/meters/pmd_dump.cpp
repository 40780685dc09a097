#include "truewatt/trace/formats/meters/pmd_dump.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/trace/formats/meters/pmd_frames.hpp"
#include "truewatt/trace/formats/stamps/event_stamps.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

double sum_of(const RailPowers& watts, const std::array<bool, kRails>& summed) {
  double sum = 0.0;
  for (std::size_t rail = 0; rail < kRails; ++rail) sum += summed[rail] ? watts[rail] : 0.0;
  return sum;
}

Result<void> check(const PmdDumpOptions& options) {
  if (!(options.ticks_per_ms >= 1.0 && options.ticks_per_ms <= 1e6)) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("a tick rate of {} per ms is none; PMD-USB meters run at about "
                                  "{}",
                                  options.ticks_per_ms, kPmdTicksPerMs));
  }
  const auto& summed = options.summed;
  if (std::none_of(summed.begin(), summed.end(), [](bool used) { return used; })) {
    return Unexpected(Errc::invalid_argument, "no rail of the meter is to be summed; choose one");
  }
  return {};
}

}  // namespace

Result<MeterTrace> parse_pmd_dump(std::string_view bytes, const PmdDumpOptions& options) {
  const auto checked = check(options);
  if (!checked) return Unexpected(checked.error());
  const HostTime first(options.start.time_since_epoch() - options.lead);
  MeterTrace meter;
  meter.meter = "PMD-USB";
  meter.ticks_per_ms = options.ticks_per_ms;
  PmdFrameStream stream;
  std::vector<PmdFrame> frames;
  frames.reserve(bytes.size() / kPmdFrameBytes);
  stream.feed(bytes, frames);
  stream.finish(frames);
  meter.samples.reserve(frames.size());
  meter.rails.reserve(frames.size());
  for (const PmdFrame& frame : frames) {
    const double ms = static_cast<double>(frame.ticks) / options.ticks_per_ms;
    meter.samples.push_back(
        {first + to_nanoseconds(Seconds(1e-3 * ms)), sum_of(frame.watts, options.summed)});
    meter.rails.push_back(frame.watts);
  }
  if (meter.samples.empty()) {
    return Unexpected(Errc::parse,
                      fmt::format("no stream of PMD-USB frames in these {} bytes; record with "
                                  "2-byte time stamps and all eight channels",
                                  bytes.size()));
  }
  meter.skipped_bytes = stream.skipped_bytes();
  if (meter.skipped_bytes > 0) {
    meter.warnings.push_back(
        fmt::format("{} of {} bytes belong to no whole meter frame, in {} "
                    "places",
                    meter.skipped_bytes, bytes.size(), stream.breaks()));
  }
  return meter;
}

Result<DriverTime> parse_pmd_start(std::string_view text) {
  const auto stamp = parse_event_stamp(text);
  if (stamp) return *stamp;
  return Unexpected(Errc::parse, fmt::format("the meter's start stamp is {}; expected whole "
                                             "microseconds since the epoch",
                                             quote(text)));
}

bool looks_like_pmd_dump(std::string_view start) {
  PmdFrameStream stream;
  std::vector<PmdFrame> frames;
  for (std::size_t at = 0; at < start.size() && frames.empty(); at += kPmdFrameBytes) {
    stream.feed(start.substr(at, kPmdFrameBytes), frames);
  }
  return !frames.empty() && stream.skipped_bytes() < kPmdFrameBytes;
}

}  // namespace truewatt::trace
