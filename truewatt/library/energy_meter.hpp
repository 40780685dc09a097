#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/base/result.hpp"

#define TRUEWATT_EXPORT __attribute__((visibility("default")))

/// The library for other programs: the energy of any stretch of one's own code, as the command line
/// tells that of a command. Link truewatt::truewatt (`find_package(truewatt)`).
namespace truewatt {

/// Joules with their standard uncertainty and 95 % interval.
struct EnergyValue {
  double joules = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  double standard_uncertainty = 0.0;
};

/// Energy that one device took in one window. What could not be told is absent, and `reasons` has
/// its code; they are those of the command line's JSON (docs/schemas/energy.schema.json).
struct WindowEnergy {
  std::string label;
  std::string device;  ///< its product's name
  std::string uuid;
  std::chrono::duration<double> window{0};  ///< s
  std::optional<EnergyValue> energy;        ///< gross
  std::optional<EnergyValue> net_energy;    ///< above the idle power beside the window
  std::optional<double> baseline_w;         ///< that power
  std::string source;                       ///< the source that decided; "" when none
  std::string method;
  bool valid = false;     ///< the readings are whole
  bool resolved = false;  ///< the interval is narrow enough, and no phase lock can hide in it
  std::vector<std::string> reasons;
  std::optional<double> needs_s;  ///< run time that would resolve it
  std::optional<double> truth_j;  ///< simulated devices
};

/// What the program knows of a window's work.
enum class Work {
  unknown,  ///< nothing: it may begin late, pause, or go on behind the end
  /// The GPU works on one thing all through the window, and on nothing outside such windows: the
  /// program waits for the GPU at both ends. Known work is worth much where a sensor looks only
  /// part of the time, and a false claim of it makes results false.
  steady,
};

struct EnergyMeterOptions {
  std::string devices;  ///< as the command line's --device; empty: every GPU that CUDA shows
  std::string profile;  ///< made by `truewatt characterize --json`; empty: what was kept
  std::vector<std::string> calibrations;  ///< made by `truewatt calibrate --json`; likewise
  double resolve = 0.05;                  ///< widest relative half-width that counts as resolved
  /// Idle that is waited for behind a window before its energy is told.
  std::chrono::milliseconds tail{700};
  std::string simulated_load;  ///< what simulated devices run meanwhile: a SPEC of --load
};

class EnergyScope;

/// Samples devices in threads of its own from start() to stop() and tells what they drew between
/// any two calls. Readings take about 20 MB an hour around begins and ends of windows; those of
/// long stretches without any are kept as sums, so that windows may last for days. Windows may nest
/// and overlap and be opened and closed in different threads. All members may be called from any
/// thread.
///
/// The first second or so teaches the sampling when sensors publish, and the idle before a window
/// is its baseline: start the meter about two seconds before the first window.
class TRUEWATT_EXPORT EnergyMeter {
 public:
  using WindowId = std::size_t;

  /// Opens devices and begins to sample. Errors: unavailable (no driver, no GPU), permission,
  /// invalid_argument, and those of the files named.
  static Result<EnergyMeter> start(const EnergyMeterOptions& options = {});
  EnergyMeter(EnergyMeter&&) noexcept;
  EnergyMeter& operator=(EnergyMeter&&) noexcept;
  ~EnergyMeter();  ///< ends sampling

  WindowId begin(std::string label, Work work = Work::unknown);
  /// Closes a window; a second time does nothing.
  void end(WindowId window);
  /// A window for as long as the scope lives. The meter must outlive it and stay where it is.
  [[nodiscard]] EnergyScope scope(std::string label, Work work = Work::unknown);

  /// The energy of a closed window, one entry per device. Waits until `tail` has passed since its
  /// end. The longer one asks later, the more idle behind it is known. Takes up to some ten
  /// seconds of CPU for a window of 20 minutes on a characterized device, less for others. Errors:
  /// invalid_argument for a window that is open or does not exist.
  Result<std::vector<WindowEnergy>> energy(WindowId window);

  /// Closes what is open, waits for the last window's tail, ends sampling and tells every window's
  /// energy in the order in which they began. Later calls return the same; windows begun later have
  /// no length.
  std::vector<WindowEnergy> stop();

  /// Which profiles were used, what limits the numbers; sentences for people.
  std::vector<std::string> notes() const;

 private:
  struct State;
  explicit EnergyMeter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Opens a window and closes it at the end of its life.
class TRUEWATT_EXPORT EnergyScope {
 public:
  EnergyScope(EnergyMeter& meter, std::string label, Work work = Work::unknown)
      : meter_(&meter), window_(meter.begin(std::move(label), work)) {}
  EnergyScope(const EnergyScope&) = delete;
  EnergyScope& operator=(const EnergyScope&) = delete;
  ~EnergyScope() { meter_->end(window_); }

  EnergyMeter::WindowId window() const { return window_; }

 private:
  EnergyMeter* meter_;
  EnergyMeter::WindowId window_;
};

inline EnergyScope EnergyMeter::scope(std::string label, Work work) {
  return {*this, std::move(label), work};
}

}  // namespace truewatt
