#pragma once

#include <optional>
#include <string_view>

namespace truewatt::uncertainty {

/// How an error comes back, which decides how it adds up (JCGM 100, F.1.2.3 and 5.2).
enum class Recurrence {
  per_run,          ///< another one in every run: averages out
  alike_every_run,  ///< may be the same in all runs on a sensor: neither averages out nor cancels
  per_profile,      ///< of a sensor's profile, the same in all that rests on it: cancels in ratios
  board_gain,       ///< of a board's sensor, a factor: cancels in ratios of work on that board
  board_offset,     ///< of a board's sensor, watts: cancels in differences of equal lengths
  per_program,      ///< may be the same in all runs of a program, and is another one's of others
};

/// What an uncertainty comes from. A new cause is an enumerator here and its row in cause.cpp,
/// without which nothing compiles.
enum class Cause {
  gain,               ///< as boards of a series scatter
  calibrated_gain,    ///< as a calibration against a meter left it
  offset,             ///< as boards of a series scatter
  calibrated_offset,  ///< as a calibration against a meter left it
  lag,                ///< of the source's averaging window and filter
  age,                ///< by how much a source's ticks come later than what they show
  gaps,               ///< that an energy counter leaves out between its inner observations
  model,              ///< what the observation model leaves out of a real board
  relative_gain,      ///< between the sources of one board
  misfit,             ///< what two methods differ by where readings do not follow the model
  quantum,            ///< steps of the readings
  phase_lock,         ///< what a load in step with its sensor hides
  pause_idle,         ///< idle power between the executions of a trial
  work,               ///< levels of the work that the model has
  ticks,              ///< when the readings were published, from their scatter
  tick_brackets,      ///< the same, from when they were asked for
  edges,              ///< where in the readings beside them the window's edges lie
  baseline,           ///< idle power beside the window
  repeatability,      ///< of readings at equal power
  noise,              ///< of readings of the host's meters
  unobserved,         ///< power at times at which the source did not look
  readings,           ///< all that is random, where it is not known more closely
  scatter,            ///< of repeated runs, around their mean or line
  within_runs,        ///< what runs leave open themselves beyond their scatter
  last_ = within_runs,
};

/// One row of the table of causes.
struct CauseRow {
  std::string_view code;  ///< as in JSON and run files; two causes of one code differ in type
  char type = 'B';        ///< GUM: 'A' from the scatter of readings, 'B' from other knowledge
  Recurrence recurrence = Recurrence::per_run;
  std::string_view text;  ///< for people
};
const CauseRow& row_of(Cause cause);

inline std::string_view code_of(Cause cause) { return row_of(cause).code; }
inline std::string_view text_of(Cause cause) { return row_of(cause).text; }
inline char type_of(Cause cause) { return row_of(cause).type; }

/// The cause of this code and GUM type, or of this code alone; absent where there is none.
std::optional<Cause> parse_cause(std::string_view code, char type);

/// Whether more runs make it smaller.
inline bool averages_out(Cause cause) { return row_of(cause).recurrence == Recurrence::per_run; }

/// Whether it is the sensor's scale: its gain or its offset.
inline bool is_scale(Cause cause) {
  const Recurrence recurrence = row_of(cause).recurrence;
  return recurrence == Recurrence::board_gain || recurrence == Recurrence::board_offset;
}

}  // namespace truewatt::uncertainty
