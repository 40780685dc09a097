#include "truewatt/trace/formats/rows/device_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "truewatt/trace/formats/rows/held_trace.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

bool says_lost(std::string_view cause) {
  return cause.find("requires reset") != std::string_view::npos ||
         cause.find("is lost") != std::string_view::npos;
}

bool has_health(const HealthSample& health) {
  return health.utilization_percent || health.p_state || health.temperature_c ||
         health.sm_clock_mhz || health.memory_clock_mhz || health.memory_used_bytes ||
         health.clocks_event_reasons;
}

bool same_state(const HealthSample& a, const HealthSample& b) {
  return a.p_state == b.p_state && a.clocks_event_reasons == b.clocks_event_reasons;
}

/// Of rows that may be of several GPUs, those of a query that is kept are kept together.
constexpr int kQueryShare = 20;

/// So many different readings are not alike by chance.
constexpr std::size_t kFewestValues = 10;
/// Whether GPUs are several shows in so many queries.
constexpr std::size_t kQueriesLookedAt = 4096;

/// "5 h", of how far a clock was set.
std::string roughly(Nanoseconds time) {
  const double s = Seconds(time).count();
  if (s < 120.0) return fmt::format("{:.3g} s", s);
  if (s < 7200.0) return fmt::format("{:.3g} min", s / 60.0);
  return s < 172800.0 ? fmt::format("{:.3g} h", s / 3600.0)
                      : fmt::format("{:.0f} days", s / 86400.0);
}

std::string note_of_step(Nanoseconds back) {
  return fmt::format(
      "the log's clock goes back by {} (it was set, or older rows were appended): the rows behind "
      "stand behind, as in the file, and no window across that has an energy (clock_step)",
      roughly(back));
}

/// Silences shorter than this are not worth a sentence.
constexpr Seconds kShortestSilence{1};

}  // namespace

DeviceRows::DeviceRows(std::string key, bool is_unique, DeviceIdentity identity)
    : key_(std::move(key)), is_unique_(is_unique), identity_(std::move(identity)) {}

bool DeviceRows::owns(const LogRow& row) const {
  return key_ == *row.key && (has_uuid() || identity_.host == row.device.host);
}

void DeviceRows::add(const LogRow& row, DriverTime stamp, Nanoseconds health_period) {
  stamps_.push_back(stamp);
  is_cut_ = is_cut_ && row.stamp && row.stamp->is_cut;
  if (row.stamp) older_ = std::max(older_, row.stamp->older);
  // A limit may be raised while the log runs.
  if (row.device.power_limit > identity_.power_limit) {
    identity_.power_limit = row.device.power_limit;
  }
  for (const PowerCell& power : row.powers) add_power(power);
  if (has_health(row.health)) add_health(row.health, health_period);
}

std::vector<DeviceRows::Reading>& DeviceRows::readings_of(SourceId source) {
  for (SourceReadings& known : sources_) {
    if (known.source == source) return known.readings;
  }
  return sources_.emplace_back(SourceReadings{source, {}}).readings;
}

std::uint32_t DeviceRows::cause_number(std::string_view cause) {
  auto found = std::find(causes_.begin(), causes_.end(), cause);
  if (found == causes_.end()) found = causes_.insert(found, std::string(cause));
  return static_cast<std::uint32_t>(found - causes_.begin()) + 1;
}

void DeviceRows::add_power(const PowerCell& power) {
  readings_of(power.source)
      .push_back({power.value.value_or(0.0), static_cast<std::uint32_t>(stamps_.size() - 1),
                  power.value ? 0 : cause_number(power.cause)});
}

void DeviceRows::add_health(const HealthSample& health, Nanoseconds period) {
  const std::size_t row = stamps_.size() - 1;
  if (!health_.empty()) {
    const HealthRow& last = health_.back();
    const Nanoseconds since = stamps_[row] - stamps_[last.row];
    const bool soon = since >= Nanoseconds(0) && since < period;
    const bool other_gpu = !is_unique_ && since < period / kQueryShare;
    if (soon && !other_gpu && same_state(health, last.health)) return;
  }
  health_.push_back({row, health});
}

std::vector<DeviceRows> DeviceRows::split(const QueryOrder& order) const {
  std::vector<DeviceRows> all(order.gpus, DeviceRows(key_, true, identity_));
  std::vector<std::uint32_t> rows(stamps_.size());
  for (std::size_t row = 0; row < stamps_.size(); ++row) {
    if (!order.places[row]) continue;
    DeviceRows& one = all[*order.places[row]];
    one.is_cut_ = is_cut_;
    one.older_ = older_;
    std::vector<DriverTime>& stamps = one.stamps_;
    rows[row] = static_cast<std::uint32_t>(stamps.size());
    stamps.push_back(stamps_[row]);
  }
  for (const SourceReadings& source : sources_) {
    for (Reading reading : source.readings) {
      const auto place = order.places[reading.row];
      if (!place) continue;
      reading.row = rows[reading.row];
      all[*place].readings_of(source.source).push_back(reading);
    }
  }
  for (const HealthRow& health : health_) {
    const auto place = order.places[health.row];
    if (place) all[*place].health_.push_back({rows[health.row], health.health});
  }
  for (DeviceRows& one : all) one.causes_ = causes_;
  return all;
}

bool DeviceRows::repeats(const DeviceRows& other) const {
  if (stamps_ != other.stamps_ || sources_.size() != other.sources_.size()) return false;
  std::set<double> values;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto same = [&values](const Reading& a, const Reading& b) {
      values.insert(a.value);
      return a.value == b.value && a.row == b.row && a.cause == b.cause;
    };
    const auto& [source, readings] = sources_[i];
    const auto& [other_source, others] = other.sources_[i];
    if (source != other_source ||
        !std::equal(readings.begin(), readings.end(), others.begin(), others.end(), same)) {
      return false;
    }
  }
  return values.size() >= kFewestValues;
}

void DeviceRows::take_identity(const DeviceRows& other) {
  key_ = other.key_;
  is_unique_ = other.is_unique_;
  identity_ = other.identity_;
}

std::vector<std::optional<double>> DeviceRows::readings_by_row(SourceId source,
                                                               std::size_t rows) const {
  std::vector<std::optional<double>> by_row(rows);
  for (const SourceReadings& one : sources_) {
    if (one.source != source) continue;
    for (const Reading& reading : one.readings) {
      if (reading.row < rows && reading.cause == 0) by_row[reading.row] = reading.value;
    }
  }
  return by_row;
}

std::optional<bool> DeviceRows::show_the_same(const std::vector<DeviceRows>& places) {
  const std::size_t rows = std::min(places.front().stamps_.size(), kQueriesLookedAt);
  std::vector<bool> is_new(rows, false);
  std::vector<bool> is_same(rows, true);
  for (const SourceReadings& source : places.front().sources_) {
    const auto first = places.front().readings_by_row(source.source, rows);
    for (const DeviceRows& place : places) {
      const auto other = place.readings_by_row(source.source, rows);
      for (std::size_t i = 0; i < rows; ++i) {
        const bool same = first[i] == other[i];
        is_same[i] = is_same[i] && same;
        is_new[i] = is_new[i] || !same || (i > 0 && first[i] != first[i - 1]);
      }
    }
  }
  std::size_t telling = 0;
  std::size_t shared = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    telling += is_new[i] ? 1 : 0;
    shared += is_new[i] && is_same[i] ? 1 : 0;
  }
  return telling < kFewestValues ? std::nullopt : std::optional(2 * shared > telling);
}

bool DeviceRows::show_in_turn() const {
  const std::vector<std::size_t> rounds = rounds_of(stamps_);
  // Of a key that is meant for one GPU more has to be said against it.
  if (is_unique_ && rounds.empty()) return false;
  return std::any_of(sources_.begin(), sources_.end(), [&](const SourceReadings& source) {
    std::vector<double> values;
    for (const Reading& reading : source.readings) {
      if (reading.cause == 0) values.push_back(reading.value);
    }
    if (!is_unique_ && come_in_turn(values)) return true;
    return std::any_of(rounds.begin(), rounds.end(),
                       [&](std::size_t gpus) { return come_in_rounds(values, gpus); });
  });
}

void DeviceRows::append(const DeviceRows& later) {
  const auto rows = static_cast<std::uint32_t>(stamps_.size());
  stamps_.insert(stamps_.end(), later.stamps_.begin(), later.stamps_.end());
  is_cut_ = is_cut_ && later.is_cut_;
  older_ = std::max(older_, later.older_);
  for (const SourceReadings& source : later.sources_) {
    for (Reading reading : source.readings) {
      if (reading.cause > 0) reading.cause = cause_number(later.causes_[reading.cause - 1]);
      reading.row += rows;
      readings_of(source.source).push_back(reading);
    }
  }
  for (const HealthRow& health : later.health_) {
    health_.push_back({rows + health.row, health.health});
  }
}

Trace DeviceRows::trace_of(const SourceReadings& source, const LogTimes& times) const {
  HeldTraceBuilder builder(source.source);
  for (const Reading& reading : source.readings) {
    if (reading.cause == 0) {
      builder.show(times.host[reading.row], stamps_[reading.row], reading.value);
    } else {
      builder.stay_silent(times.host[reading.row], causes_[reading.cause - 1]);
    }
  }
  Trace trace = std::move(builder).finish();
  // As of a call that took so long, and read the sensor at any time of it.
  for (Sample& sample : trace.samples) {
    if (older_ > Nanoseconds(0)) sample.call = older_;
  }
  return trace;
}

void DeviceRows::report_steps(const LogTimes& times, Recording& recording) const {
  for (const std::size_t row : times.steps) {
    recording.events.push_back(
        {times.host[row], EventKind::clock_step,
         fmt::format("the log's clock ran backwards or jumped at its row {} of this GPU; later "
                     "rows were placed behind it",
                     row + 1)});
  }
}

bool DeviceRows::put_in_order() {
  const auto order = order_of_rows(stamps_);
  if (!order) return false;
  std::vector<std::uint32_t> places(order->size());
  std::vector<DriverTime> sorted;
  sorted.reserve(order->size());
  for (std::uint32_t place = 0; place < order->size(); ++place) {
    places[(*order)[place]] = place;
    sorted.push_back(stamps_[(*order)[place]]);
  }
  stamps_ = std::move(sorted);
  const auto by_row = [](const auto& a, const auto& b) { return a.row < b.row; };
  for (SourceReadings& source : sources_) {
    for (Reading& reading : source.readings) reading.row = places[reading.row];
    std::sort(source.readings.begin(), source.readings.end(), by_row);
  }
  for (HealthRow& health : health_) health.row = places[health.row];
  std::sort(health_.begin(), health_.end(), by_row);
  return true;
}

Recording DeviceRows::finish(bool is_local, std::vector<std::string>& notes,
                             std::vector<ClockSetting>& settings) {
  const auto note = [&notes](std::string text) {
    if (std::find(notes.begin(), notes.end(), text) == notes.end())
      notes.push_back(std::move(text));
  };
  if (put_in_order()) note("rows stood out of order; they were put in that of their stamps");
  if (is_local) settings = undo_daylight_saving(stamps_);
  if (!settings.empty()) {
    note("the log's local clock was set by an hour (daylight saving); its rows go on without it");
  }
  constexpr Nanoseconds kSecond = std::chrono::seconds(1);
  const Nanoseconds width = is_cut_ ? kSecond : kLogStampWidth;
  const auto rows_a_second = static_cast<std::int64_t>(spread_within_seconds(stamps_));
  // Where there are several they stand within their second, else in its middle.
  if (is_cut_ && rows_a_second == 1) {
    for (DriverTime& stamp : stamps_) stamp += kSecond / 2;
  }
  const LogTimes times = place_rows(stamps_, width / rows_a_second);
  Recording recording;
  if (times.farthest_back > Nanoseconds(0)) note(note_of_step(times.farthest_back));
  recording.device = identity_;
  recording.clock_pairs = times.clock_pairs;
  std::optional<Reading> lost;
  for (SourceReadings& source : sources_) {
    Trace trace = trace_of(source, times);
    if (!trace.samples.empty()) recording.traces.push_back(std::move(trace));
    if (causes_.empty()) continue;
    const auto first = std::find_if(
        source.readings.begin(), source.readings.end(), [this](const Reading& reading) {
          return reading.cause > 0 && says_lost(causes_[reading.cause - 1]);
        });
    if (first != source.readings.end() && (!lost || first->row < lost->row)) lost = *first;
  }
  for (const HealthRow& row : health_) {
    recording.health.push_back(row.health);
    recording.health.back().time = times.host[row.row];
  }
  report_steps(times, recording);
  if (lost) {
    recording.events.push_back(
        {times.host[lost->row], EventKind::gpu_lost,
         fmt::format("nvidia-smi answered {}", quote(causes_[lost->cause - 1]))});
  }
  return recording;
}

/// Each answer without a value is a silence until the next row.
DeviceRows::Silence DeviceRows::silence_of(const SourceReadings& source) const {
  Silence found;
  const std::vector<Reading>& readings = source.readings;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (readings[i].cause == 0) {
      found.is_always = false;
      continue;
    }
    if (found.cause == 0) found.cause = readings[i].cause;
    if (i == 0 || readings[i - 1].cause == 0) ++found.stretches;
    if (i + 1 == readings.size()) continue;
    found.length += Seconds(stamps_[readings[i + 1].row] - stamps_[readings[i].row]);
  }
  return found;
}

std::string DeviceRows::silence() const {
  const bool answers = std::any_of(sources_.begin(), sources_.end(), [this](const auto& source) {
    return !silence_of(source).is_always;
  });
  for (const SourceReadings& source : sources_) {
    const Silence found = silence_of(source);
    if (found.cause == 0) continue;
    const std::string said = causes_[found.cause - 1];
    const std::string name = to_string(source.source);
    if (found.is_always && answers) continue;  // a source that this GPU has not
    if (found.is_always) return fmt::format("{} is always {}", name, quote(said));
    if (found.length < kShortestSilence && !says_lost(said)) continue;
    return fmt::format("{} gave no answer for {:.0f} s{} ({}{})", name, found.length.count(),
                       found.stretches > 1 ? fmt::format(" in {} stretches", found.stretches) : "",
                       quote(said), said.find("N/A") != std::string::npos ? ", asleep?" : "");
  }
  return "";
}

}  // namespace truewatt::trace
