#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/trace/formats/rows/log_row.hpp"
#include "truewatt/trace/formats/stamps/log_clock.hpp"
#include "truewatt/trace/formats/stamps/query_order.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// The rows of one GPU in the order of the log, or of several that only their order tells apart.
/// Their place on the host axis is known only once all are there.
class DeviceRows {
 public:
  DeviceRows(std::string key, bool is_unique, DeviceIdentity identity);

  const std::string& key() const { return key_; }
  const std::string& host() const { return identity_.host; }
  bool is_unique() const { return is_unique_; }
  /// Nothing but one GPU in the world has its key.
  bool has_uuid() const { return !identity_.uuid.empty(); }
  /// Whether the row is of this GPU.
  bool owns(const LogRow& row) const;
  const std::vector<DriverTime>& stamps() const { return stamps_; }
  void number(int index) { identity_.index = index; }
  /// Is the GPU of the other's rows.
  void take_identity(const DeviceRows& other);

  void add(const LogRow& row, DriverTime stamp, Nanoseconds health_period);
  /// Whether the other's rows are these once more: the same stamps and readings, too many to be
  /// alike by chance.
  bool repeats(const DeviceRows& other) const;
  /// Of queries, apart by their rows' places: whether more than half of those that show something
  /// new show the same in each of their rows, as those of one GPU do that two programs read;
  /// nothing where too few show something new.
  static std::optional<bool> show_the_same(const std::vector<DeviceRows>& places);
  /// Whether a source's readings are those of several GPUs in turn.
  bool show_in_turn() const;
  /// The other's rows stand behind these, of the same GPU.
  void append(const DeviceRows& later);
  /// One for each place; rows without a place are dropped.
  std::vector<DeviceRows> split(const QueryOrder& order) const;
  /// `is_local`: the stamps are local time, which daylight saving sets. Says in `notes` that
  /// it did, and where in `settings`.
  Recording finish(bool is_local, std::vector<std::string>& notes,
                   std::vector<ClockSetting>& settings);
  /// For how long sources gave no value though rows were written, in a sentence; "" for never.
  std::string silence() const;

 private:
  struct Reading {
    double value = 0.0;
    std::uint32_t row = 0;
    std::uint32_t cause = 0;  ///< of a missing reading, from 1 in `causes_`; 0: there is one
  };
  struct SourceReadings {
    SourceId source;
    std::vector<Reading> readings;
  };
  struct Silence {
    Seconds length{0};  ///< stamps that jump about sum to more than integer nanoseconds hold
    std::size_t stretches = 0;
    std::uint32_t cause = 0;  ///< of the first; 0: none
    bool is_always = true;
  };
  struct HealthRow {
    std::size_t row = 0;
    HealthSample health;
  };

  /// Rows that stand out of order; whether they did.
  bool put_in_order();
  std::vector<Reading>& readings_of(SourceId source);
  /// Of the first `rows` rows.
  std::vector<std::optional<double>> readings_by_row(SourceId source, std::size_t rows) const;
  std::uint32_t cause_number(std::string_view cause);
  void add_power(const PowerCell& power);
  void add_health(const HealthSample& health, Nanoseconds period);
  Silence silence_of(const SourceReadings& source) const;
  Trace trace_of(const SourceReadings& source, const LogTimes& times) const;
  void report_steps(const LogTimes& times, Recording& recording) const;

  std::string key_;
  bool is_unique_ = true;
  DeviceIdentity identity_;
  std::vector<DriverTime> stamps_;
  bool is_cut_ = true;    ///< all stamps are cut off to whole seconds
  Nanoseconds older_{0};  ///< readings are up to so much older than their stamps
  std::vector<SourceReadings> sources_;
  std::vector<std::string> causes_;
  std::vector<HealthRow> health_;
};

}  // namespace truewatt::trace
