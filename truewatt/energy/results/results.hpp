#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/coded.hpp"
#include "truewatt/base/device.hpp"
#include "truewatt/base/interval.hpp"
#include "truewatt/base/source.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/energy/results/baseline.hpp"
#include "truewatt/energy/results/method.hpp"
#include "truewatt/energy/results/reader.hpp"
#include "truewatt/energy/results/reason.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::energy {

/// A quantity with its standard uncertainty and its 95 % interval, in joules.
struct EnergyInterval {
  Interval interval;
  double standard_uncertainty = 0.0;
  double gain_uncertainty = 0.0;  ///< the part of it that gain and offset of the sensor cause

  /// Standard uncertainty but for that part.
  double without_gain() const;
};

/// What is known of a sensor's scale: standard uncertainties of its gain (a share) and of its
/// offset (W of the board's power), and how the two err together. Where boards that show too much
/// per watt tend to show too little at rest, the correlation is negative.
struct ScaleUncertainty {
  double gain = 0.0;
  double offset_w = 0.0;
  double correlation = 0.0;

  /// Of an energy over a time: what errs as the offset does, J, with its sign, ...
  double with_offset(Joules energy, Seconds over) const;
  /// ... and what of the gain does not, J, with the energy's sign.
  double gain_alone(Joules energy) const;
  /// Both, J (GUM 5.2.2).
  double of(Joules energy, Seconds over) const;
};

/// By how much one thing takes more energy than another.
struct EnergyRatio {
  Interval ratio;  ///< b over a, with its 95 % interval
  double standard_uncertainty = 0.0;
  std::vector<uncertainty::Term> budget;  ///< of `ratio`, as shares of it
  bool gain_cancels = false;              ///< every board's gain is on both sides
  std::size_t pairs = 0;                  ///< of runs that it rests on
};

/// Whose knowledge of the sources an estimate could rest on.
struct ProfileUse {
  bool from_catalogue = false;  ///< published behaviour; else somebody characterized the device
  bool covers_source = false;   ///< the source that decided is in it
  /// Published behaviour: whether the recording follows it. Absent: nothing to hold it against.
  std::optional<bool> agrees;
  std::string_view provenance() const { return from_catalogue ? "catalogue" : "characterized"; }
};

/// A source that is no evidence, and why.
struct DroppedSource {
  SourceId source;
  Reason reason = Reason::no_usable_source;
};

/// What a file of a newer truewatt says in codes that this one does not know: kept and shown as
/// they are.
struct ForeignTerm {
  std::string code;
  std::string type;  ///< GUM: "A" or "B"
  double u = 0.0;    ///< J
};
struct ForeignCodes {
  std::vector<std::string> reasons;
  std::vector<ForeignTerm> budget;  ///< beside the estimate's own
};

/// Least and most, without a probability.
struct EnergyBounds {
  double lower = 0.0;
  std::optional<double> upper;  ///< absent: anything
};

/// Energy of one window on one device, from its recording. What could not be told is absent and
/// has its code in `reasons`.
struct EnergyEstimate {
  DeviceIdentity device;
  Seconds window{0};
  std::optional<EnergyInterval> energy;      ///< gross, joules
  std::optional<EnergyInterval> net_energy;  ///< above baseline, joules
  std::optional<Watts> mean_power;
  std::optional<Watts> baseline;              ///< the idle power that net energy counts from
  std::optional<BaselineKind> baseline_kind;  ///< which that is
  std::optional<IdleRung> baseline_rung;      ///< what idle it is; absent where nothing shows it
  /// Idle power behind it, which is that between the stretches of its work; not kept in run files.
  std::optional<Watts> idle_after;
  std::optional<SourceId> source;  ///< the source that decided
  std::vector<SourceId> sources;   ///< all whose readings it rests on, where several may
  /// Those that it does not rest on, with why; not kept in run files.
  std::vector<DroppedSource> dropped;
  Coded<Method> method;                     ///< empty: none
  std::optional<double> observed_fraction;  ///< share of the window that the source looked at
  std::vector<uncertainty::Term> budget;    ///< GUM budget of the gross energy, J
  std::map<std::string, double> naive_j;    ///< by source name: the last reading held
  std::vector<ReaderEnergy> readers;        ///< those that were asked for
  std::optional<Joules> truth;              ///< simulated devices: gross joules in the window
  std::optional<ProfileUse> profile;        ///< absent: nothing is known of the device's sources
  bool valid = false;
  bool resolved = false;
  std::vector<Reason> reasons;
  ForeignCodes foreign;
  std::optional<ScaleUncertainty> scale;  ///< of the source that decided
  std::optional<Seconds> needs;           ///< run time that would resolve it
  /// Where the work may be in step with the readings: least and most that it took if it is, gross,
  /// J, without what gain and offset leave open; not kept in run files.
  std::optional<EnergyBounds> if_in_step;
};

/// A stretch of a recording that was asked for, and its energy.
struct WindowResult {
  int device = 0;        ///< index of its device in the result
  std::string label;     ///< "load", "command", or a name the user gave
  double begin_s = 0.0;  ///< since the recording's first reading
  double end_s = 0.0;
  EnergyEstimate estimate;
  std::map<std::string, EnergyInterval> per_source{};  ///< by each source alone, where asked for
};

/// All windows of one label on one device.
struct LabelResult {
  int device = 0;
  std::string label;
  std::size_t count = 0;
  std::optional<EnergyInterval> energy;  ///< their sum
  std::optional<EnergyInterval> mean;    ///< of one of them
  std::optional<double> scatter_j;       ///< standard deviation of their energies; absent for one
};

/// The energy's interval without the board's gain and offset: on its sensor's scale.
Interval on_sensor_scale(const EnergyInterval& energy);

/// What became of a measurement, in one word.
enum class Status {
  result,     ///< a number as precise as was asked for
  imprecise,  ///< a number, wider than was asked for or in doubt; `reasons` say why
  none,       ///< no number, or of data that are not whole
};
Status status_of(const EnergyEstimate& estimate);
/// "result", "imprecise", "none".
std::string_view to_string(Status status);

/// Adds a reason that is not there yet.
void add_reason(EnergyEstimate& estimate, Reason reason);

/// Half-width of the energy's 95 % interval without the gain's part, as a share of the energy.
/// Absent without an energy above 0.
std::optional<double> half_width_without_gain(const EnergyEstimate& estimate);

/// How far a reader is off `reference`, joules in the window, as a share of it. What runs longer or
/// shorter than the window is held against the reference with idle at the estimate's baseline more
/// or less. Absent where the reader has no energy, and where the baseline would be needed and is
/// not known.
std::optional<double> deviation_of(const ReaderEnergy& reader, const EnergyEstimate& estimate,
                                   Joules reference);

/// What the deciding source does was looked up, not found out on this device.
bool rests_on_catalogue(const EnergyEstimate& estimate);

}  // namespace truewatt::energy
