#include "truewatt/trace/formats/rows/power_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/formats/rows/device_rows.hpp"
#include "truewatt/trace/formats/stamps/query_order.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {

PowerLogBuilder::PowerLogBuilder(const PowerLogOptions& options) : options_(options) {}
PowerLogBuilder::~PowerLogBuilder() = default;

std::string PowerLogBuilder::keep(const LogRow& row) {
  if (!row.stamp) return row.fault.empty() ? "the row has no timestamp" : row.fault;
  if (!row.key) return row.fault.empty() ? "the row does not say which GPU it is of" : row.fault;
  if (row.has_reading || !row.powers.empty()) {
    device_of(row).add(row, time_of(*row.stamp), options_.health_period);
  }
  if (!row.fault.empty() || row.has_reading || !row.powers.empty()) return row.fault;
  return "the row has no reading";
}

void PowerLogBuilder::add(const LogRow& row, std::size_t line) {
  const std::string fault = keep(row);
  if (fault.empty()) {
    tally_.good();
  } else {
    tally_.bad(line, fault);
  }
}

DeviceRows& PowerLogBuilder::device_of(const LogRow& row) {
  // The next row is mostly of the same GPU, or of the next one.
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const std::size_t at = (last_device_ + i) % devices_.size();
    if (!devices_[at].owns(row)) continue;
    last_device_ = at;
    return devices_[at];
  }
  last_device_ = devices_.size();
  return devices_.emplace_back(std::string(*row.key), row.is_unique, row.device);
}

/// Local time between stamps that say their offset is taken at the last one's.
DriverTime PowerLogBuilder::time_of(const LogStamp& stamp) {
  if (stamp.offset) {
    last_offset_ = stamp.offset;
    if (!first_offset_) first_offset_ = stamp.offset;
    return stamp.time;
  }
  return stamp.time - last_offset_.value_or(std::chrono::minutes(0));
}

/// Of a log that names its GPU from some row on, the rows before are of the same, where they end
/// before these begin and no other GPU is named.
void PowerLogBuilder::join_named() {
  if (devices_.size() != 2) return;
  const std::size_t named = devices_[0].is_unique() ? 0 : 1;
  DeviceRows& unnamed = devices_[1 - named];
  if (!devices_[named].is_unique() || !unnamed.key().empty()) return;
  if (!unnamed.host().empty() && unnamed.host() != devices_[named].host()) return;
  DeviceRows& first = devices_[0];
  DeviceRows& second = devices_[1];
  if (first.stamps().empty() || second.stamps().empty()) return;
  const auto order = order_within_queries(unnamed.stamps());
  if (!order || order->gpus != 1) return;
  if (*std::max_element(first.stamps().begin(), first.stamps().end()) >
      *std::min_element(second.stamps().begin(), second.stamps().end())) {
    return;
  }
  first.append(second);
  if (named == 1) first.take_identity(second);
  devices_.pop_back();
}

namespace {

constexpr const char* kRecord =
    "; record index or uuid: nvidia-smi --query-gpu=timestamp,index,uuid,power.draw --format=csv "
    "-lms 100";

Unexpected several(const char* what) {
  return Unexpected(Errc::ill_conditioned, std::string(what) + kRecord);
}

Unexpected several_of_one_key(const DeviceRows& device) {
  return Unexpected(
      Errc::ill_conditioned,
      fmt::format("rows of GPU {} are of several GPUs, as of several hosts (or of one "
                  "that two programs read): they do not show the same; record uuid, "
                  "or add a column hostname",
                  quote(device.key())));
}

/// Whether each row stands in the log as often as there are places.
bool are_copies(const std::vector<DeviceRows>& places) {
  return std::all_of(places.begin() + 1, places.end(),
                     [&](const DeviceRows& one) { return one.repeats(places.front()); });
}

}  // namespace

/// Takes apart GPUs that only their place within a query tells apart.
Result<void> PowerLogBuilder::split_by_order() {
  std::vector<DeviceRows> apart;
  std::size_t splits = 0;
  for (DeviceRows& device : devices_) {
    auto places = places_of(device);
    if (!places) return Unexpected(places.error());
    splits += places->size() > 1 ? places->size() : 0;
    for (DeviceRows& one : *places) apart.push_back(std::move(one));
  }
  devices_ = std::move(apart);
  if (splits == 0) return {};
  int index = 0;
  for (DeviceRows& device : devices_) device.number(index++);
  notes_.insert(notes_.begin(),
                fmt::format("{} GPUs told apart by the order of their rows in a query, which is "
                            "their index here: no column says which is which; record index or uuid",
                            splits));
  return {};
}

/// The GPUs whose rows `device` has: itself, or one for each place within a query.
Result<std::vector<DeviceRows>> PowerLogBuilder::places_of(DeviceRows& device) {
  const auto only = [](DeviceRows& one) {
    std::vector<DeviceRows> all;
    all.push_back(std::move(one));
    return all;
  };
  if (device.has_uuid()) return only(device);
  const auto order = order_within_queries(device.stamps());
  if (!order && !device.is_unique()) {
    return several(
        "several rows a query, and no column says which GPU each is of (or one GPU is read "
        "faster than its stamps resolve)");
  }
  if (!order || order->gpus == 1) {
    if (!device.show_in_turn()) return only(device);
    if (device.is_unique()) return several_of_one_key(device);
    return several(
        "rows show the power of several GPUs in turn (or one GPU's work keeps step with the "
        "rows), and no column says which GPU each is of");
  }
  std::vector<DeviceRows> places = device.split(*order);
  if (are_copies(places)) {
    notes_.push_back(
        fmt::format("every row stands {} times in the log: it was read once", order->gpus));
    return only(places.front());
  }
  const auto are_one = DeviceRows::show_the_same(places);
  if (are_one.value_or(device.is_unique())) return only(device);
  if (device.is_unique()) return several_of_one_key(device);
  const auto lost = std::count(order->places.begin(), order->places.end(), std::nullopt);
  if (lost > 0) {
    notes_.push_back(
        fmt::format("{} rows left out: their query has another number of rows; the first row that "
                    "is kept is second 0",
                    lost));
  }
  return places;
}

namespace {

constexpr const char* kStamps =
    "; stamps are 2025/06/12 14:03:20.123 (as nvidia-smi prints them), ISO 8601 or seconds since "
    "the "
    "epoch";

constexpr const char* kMilliwatts = "; if these are milliwatts, call the column power_mw";

/// What to do about a log without a power reading, by the first row that could not be read.
const char* advice_for(const std::string& why) {
  if (why.find("time is ") != std::string::npos || why.find("stamp is ") != std::string::npos) {
    return kStamps;
  }
  constexpr std::string_view kPower = "power is '";
  const std::size_t power = why.find(kPower);
  if (power == std::string::npos) return "";
  const std::size_t begin = power + kPower.size();
  const bool is_number = parse_number(why.substr(begin, why.find('\'', begin) - begin)).has_value();
  return is_number ? kMilliwatts : "";
}

/// Hosts are named where there are several.
void name_hosts(PowerLog& log) {
  std::set<std::string> hosts;
  for (const Recording& recording : log.recordings) hosts.insert(recording.device.host);
  if (hosts.size() > 1) return;
  for (Recording& recording : log.recordings) recording.device.host.clear();
}

/// GPUs of which a log says something else than their index.
void number_alike(PowerLog& log) {
  std::set<int> indices;
  for (const Recording& recording : log.recordings) indices.insert(recording.device.index);
  if (indices.size() == log.recordings.size()) return;
  int index = 0;
  for (Recording& recording : log.recordings) recording.device.index = index++;
  log.notes.push_back(
      "GPUs are numbered in the order in which the log names them: their index does not tell "
      "them apart");
}

}  // namespace

Result<PowerLog> PowerLogBuilder::finish() {
  join_named();
  if (const auto split = split_by_order(); !split) return Unexpected(split.error());
  PowerLog log;
  log.notes = std::move(notes_);
  log.utc_offset = first_offset_;
  bool has_power = false;
  for (DeviceRows& device : devices_) {
    std::vector<ClockSetting> settings;
    Recording recording = device.finish(!first_offset_.has_value(), log.notes, settings);
    if (log.clock_settings.empty()) log.clock_settings = std::move(settings);
    if (const std::string silence = device.silence(); !silence.empty()) {
      const std::string who =
          devices_.size() > 1 ? fmt::format("GPU {}: ", recording.device.index) : "";
      log.notes.push_back(who + silence);
    }
    has_power = has_power || !recording.traces.empty();
    log.recordings.push_back(std::move(recording));
    device = DeviceRows("", true, {});  // its memory
  }
  name_hosts(log);
  number_alike(log);
  log.rows = tally_.rows();
  log.bad_rows = tally_.bad_rows();
  log.warnings = tally_.warnings();
  if (has_power) return log;
  if (log.rows + log.bad_rows == 0) {
    return Unexpected(Errc::insufficient_data,
                      "the log has a header and no row: nothing was recorded, or the recorder was "
                      "stopped before it "
                      "wrote");
  }
  const std::string why = !log.warnings.empty() ? log.warnings.front()
                          : !log.notes.empty()  ? log.notes.front()
                                                : "";
  return Unexpected(
      Errc::insufficient_data,
      fmt::format("none of the log's {} rows has a power reading{}{}", log.rows + log.bad_rows,
                  why.empty() ? "" : " (" + why + ")", advice_for(why)));
}

void move_to_utc(PowerLog& log, std::chrono::minutes offset) {
  if (offset == std::chrono::minutes(0)) return;
  for (Recording& recording : log.recordings) {
    for (Trace& trace : recording.traces) {
      trace.begin -= offset;
      trace.end -= offset;
      for (Sample& sample : trace.samples) {
        sample.before -= offset;
        sample.seen -= offset;
        if (sample.stamp) *sample.stamp -= offset;
      }
      for (Gap& gap : trace.gaps) {
        gap.begin -= offset;
        gap.end -= offset;
      }
    }
    for (HealthSample& health : recording.health) health.time -= offset;
    for (CaptureEvent& event : recording.events) event.time -= offset;
    for (ClockPair& pair : recording.clock_pairs) {
      pair.host -= offset;
      pair.driver -= offset;
    }
  }
}

}  // namespace truewatt::trace
