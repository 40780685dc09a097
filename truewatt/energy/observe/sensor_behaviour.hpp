#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

// What is known or assumed of a sensor; for this layer only.
namespace truewatt::energy {

/// Age of what nobody knows the sensor of: a 13 ms filter read 1-2 ms late, known to its own size.
inline constexpr Uncertain kUsualAge{0.015, 0.015};

/// Window, filter and age of a source: as characterized, else as published, else as unknown.
struct Behaviour {
  double period = 0.0;  ///< s; 0: not known
  double window = 0.0;
  double window_sd = 0.0;
  double lag_sd = 0.0;
  double age_by_lag = 0.0;
  double jitter = 0.0;
  double time_constant = 0.0;
  Uncertain age = kUsualAge;
  bool is_characterized = false;
  bool integrates = false;  ///< a counter that leaves nothing out
  bool is_known = true;     ///< somebody has said something of it
  bool is_published = false;
  bool is_cached = false;  ///< by the driver's client
  std::optional<ObservedSource::Gap> gap{};
  std::optional<ObservedSource::Looks> looks{};
  double blur = 0.0;
  double sampled_every = 0.0;
  bool adds_one = false;  ///< a counter that adds one reading a period, whose length is known
};

/// The source in a profile; null without either, or where it is too slow for what was fitted to
/// describe it.
const SourceProfile* profile_of(const Profile* profile, SourceId source);
/// Of what cannot be negative; 0 where it is not known.
double value_of(const std::optional<Interval>& x);

Behaviour behaviour_of(SourceId source, const Knowledge& knowledge);

/// Readings come every so often as is published, or every few of that: values that repeat do not
/// show.
bool comes_as_published(const SourceProfile& published, double period);

/// Of several published behaviours, as of drivers of several ages, the one with the shortest
/// window.
void assume_shortest(Behaviour& behaviour, const SourceProfile& published);

/// What may be said of a sensor that nobody knows, by its kind and the period of its readings.
void assume_usual(Behaviour& behaviour, SourceId source, double period);

/// Of a log with a new value in every row, from a sensor that may publish far more often than is
/// usual (Hopper: every 20 ms): readings are as much younger, or not.
void may_be_faster(Behaviour& behaviour, double period);

/// What is known of a mean over the last second.
void assume_trailing_second(Behaviour& behaviour);

/// Readings that nobody knows the sensor of and that never show a step may be those of a slow one.
void assume_slow(Behaviour& behaviour, double slowest, double period);

/// The time constant of a filter behind which no reading comes nearer to its new level than these
/// do: whoever saw a step in them knows that their filter is faster, s. (The largest step within
/// two readings, since one may look at both sides of it, against the range of nearly all of them.)
double slowest_filter(const std::vector<double>& powers, double period);

/// Whether the largest step up of the readings is none of a mean over `window` seconds: of that
/// what comes within two readings is gone again after just so long.
bool is_no_mean_over(double window, const std::vector<ObservedReading>& readings, double period);

}  // namespace truewatt::energy
