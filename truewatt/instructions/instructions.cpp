#include "truewatt/instructions/instructions.hpp"

#include <algorithm>

#include "truewatt/calibrate/metered_play.hpp"
#include "truewatt/instructions/judgement.hpp"
#include "truewatt/instructions/mixing.hpp"
#include "truewatt/instructions/one_thread.hpp"
#include "truewatt/instructions/reader_errors.hpp"
#include "truewatt/instructions/rounds.hpp"
#include "truewatt/instructions/verification.hpp"
#include "truewatt/microbenchmark/known_sensors.hpp"

namespace truewatt::instructions {
namespace {

/// Of the budget: the rows' own energies come first.
constexpr double kMostForOneThread = 0.4;
constexpr double kMostToVerify = 0.2;
constexpr double kMostForMixing = 0.1;

Table empty_table(const devices::DeviceSet& set) {
  Table table;
  table.device = set.devices.front().sensor->device();
  table.start = set.clock->realtime_now();
  table.tool_version = TRUEWATT_VERSION;
  table.notes = set.notes;
  return table;
}

/// Pairs that tell what mixed code draws; none where the time is too short, or the rows are too
/// few.
std::vector<KnownKernel> pairs_to_play(const std::vector<RowKey>& keys, const Options& options,
                                       const devices::DeviceSet& set) {
  std::vector<KnownKernel> pairs = mixed_pairs_of(keys);
  const bool fits = mixing_takes(pairs.size(), set) <= kMostForMixing * options.budget;
  return pairs.size() >= kFewestPairs && fits ? pairs : std::vector<KnownKernel>();
}

/// Every row once, then again what is not known well enough.
Result<void> play_rounds(Rounds& rounds, double target) {
  std::vector<std::size_t> rows = rounds.runnable();
  while (!rows.empty() && !rounds.stopped()) {
    if (auto played = rounds.play(rows); !played) return played;
    judge_rows(rounds.seen(), target);
    rows = rounds.rows_to_repeat();
  }
  judge_rows(rounds.seen(), target);
  return {};
}

/// All rounds; with the readings of the meter beside them, where there is one.
Result<std::optional<trace::MeterTrace>> play_beside_meter(devices::DeviceSet& set, Rounds& rounds,
                                                           Options& options) {
  if (!options.meter) {
    if (auto played = play_rounds(rounds, options.target); !played) {
      return Unexpected(played.error());
    }
    return std::optional<trace::MeterTrace>();
  }
  const std::stop_token stop = options.stop;
  auto readings = calibrate::metered(set, options.meter->live, options.seed, stop,
                                     [&](const std::stop_token& with_meter) {
                                       options.stop = with_meter;
                                       return play_rounds(rounds, options.target);
                                     });
  options.stop = stop;
  if (!readings) return Unexpected(readings.error());
  return std::optional(*std::move(readings));
}

}  // namespace

Result<Table> measure_instructions(devices::DeviceSet& set, const devices::Environment& environment,
                                   const Options& options) {
  if (set.devices.size() != 1) {
    return Unexpected(Errc::invalid_argument,
                      "energies of instructions are measured on one device at a time; name it with "
                      "--device");
  }
  const auto keys = select_rows(options.selection);
  if (!keys) return Unexpected(keys.error());
  const HostTime began = set.clock->now();
  const auto known = microbenchmark::know_sensors(set, environment,
                                                  {.polling = options.polling,
                                                   .budget = options.budget,
                                                   .seed = options.seed,
                                                   .progress = options.progress,
                                                   .stop = options.stop});
  if (!known) return Unexpected(known.error());
  auto load = devices::make_load(set, set.devices.front(), environment);
  if (!load) return Unexpected(load.error());
  Table table = empty_table(set);
  for (std::string& note : notes_of_partners(options.selection)) {
    table.notes.push_back(std::move(note));
  }
  Options of_rounds = options;
  if (options.one_thread) {
    of_rounds.budget -= std::min(one_thread_takes(*keys), kMostForOneThread * options.budget);
  }
  if (options.verify) {
    of_rounds.budget -= std::min(verification_takes(set), kMostToVerify * options.budget);
  }
  const std::vector<KnownKernel> pairs = pairs_to_play(*keys, options, set);
  if (!pairs.empty()) of_rounds.budget -= mixing_takes(pairs.size(), set);
  Rounds rounds(set, **load, of_rounds, began);
  if (auto prepared = rounds.prepare(*keys); !prepared) return Unexpected(prepared.error());
  auto readings = play_beside_meter(set, rounds, of_rounds);
  if (!readings) return Unexpected(readings.error());
  table.reader_errors = reader_errors(rounds.seen(), *readings ? &**readings : nullptr);
  if (!options.estimate.readers.empty() && table.reader_errors.empty()) {
    table.notes.emplace_back(
        "SMA, PAPI and MTSM have no energies: they read a power source, and none of this device's "
        "showed these stretches");
  }
  if (*readings) table.meter = (*readings)->meter;
  int windows = rounds.windows();
  if (!pairs.empty() && !rounds.stopped()) {
    auto mixing = measure_mixing(set, **load, options, rounds.seen(), pairs, windows);
    if (!mixing) return Unexpected(mixing.error());
    table.mixing = *std::move(mixing);
  }
  if (options.verify && !rounds.stopped()) {
    auto verified = verify_kernels(set, **load, options, rounds.seen(), table.mixing, windows);
    if (!verified) return Unexpected(verified.error());
    table.verification = *std::move(verified);
  }
  for (MeasuredRow& row : rounds.seen().rows) table.rows.push_back(std::move(row.planned.row));
  for (std::string& note : rounds.notes()) table.notes.push_back(std::move(note));
  if (auto note = rounds.seen().baselines.note_of_active_idle())
    table.notes.push_back(*std::move(note));
  conclude_baselines(rounds.seen(), table);
  if (options.one_thread) {
    const auto played = measure_one_thread(
        set, **load, {.options = options, .began = began, .first_run = windows}, table);
    if (!played) return Unexpected(played.error());
  }
  table.compute_capability = rounds.compute_capability();
  table.calibrated = !set.devices.front().known.for_estimates().calibrations.empty();
  table.took = rounds.spent();
  table.interrupted = rounds.stopped();
  return table;
}

}  // namespace truewatt::instructions
