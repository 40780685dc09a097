#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::store {

/// A point of the power that a simulated device truly drew.
struct CurvePoint {
  HostTime time;
  Watts power;
};

/// What the caller wants to say about a run: tool version, load, seed, command line, ...
using Metadata = std::map<std::string, std::string>;

/// Everything that a run file holds about one device.
struct DeviceRun {
  Recording recording;
  std::vector<energy::EnergyEstimate> estimates;
  std::vector<CurvePoint> curve;  ///< simulated devices: the true power
};

/// A run file's content. Values are bit for bit what was appended (a NaN loses its payload).
struct RunFile {
  Metadata metadata;
  bool finished = false;  ///< false: the writer was killed, failed, or is still at work
  std::vector<DeviceRun> devices;
};

/// Reads a run file: a finished one, one whose writer was killed (with the `-wal` file it left
/// behind) or is still at work, in folders that may be read-only. Neither the file nor its `-wal`
/// is changed. A trace whose polls were never set runs from its first `before` to its last `seen`.
/// Errors: unavailable (no such file), permission, unsupported (written by a newer truewatt), parse
/// (not a run file, truncated or damaged), io. Different files may be read in parallel.
Result<RunFile> read_run_file(const std::filesystem::path& path);

struct RunFileOptions {
  /// Each commit waits for the disk. Without it a commit survives the death of the process, and a
  /// power cut may take the last half minute; the file opens either way. Meant to be turned off
  /// for simulated runs, whose seconds pass in microseconds.
  bool survive_power_cut = true;
  /// An earlier file comes back where the writer ends without keep() or finish().
  bool on_trial = false;
};

/// Writes a run file while the run goes on: one SQLite database (docs/architecture.md, "Files"),
/// in WAL mode until finish() makes it a single file.
///
/// What a commit() has returned success for outlives a kill -9, a full disk and, with
/// survive_power_cut, a power cut; whoever commits once a second loses at most a second. Without
/// finish() the file is as after a kill.
///
/// A failed write (Errc::io; mostly a full disk) is final: what was committed stays, and every
/// later call returns the same error. An unknown device or source is invalid_argument and harms
/// nothing. Used by exactly one thread.
///
///   auto writer = RunFileWriter::create("run.db", {{"load", "fma"}});
///   const int device = *writer->add_device(identity, sources);
///   writer->append(device, source, samples);
///   writer->commit();
///   writer->finish();
class RunFileWriter {
 public:
  /// A file at `path` is kept as FILE.old, at once or, on trial, from keep() or finish() on. What
  /// cannot be replaced is refused (RunFilePlace::take).
  static Result<RunFileWriter> create(const std::filesystem::path& path, const Metadata& metadata,
                                      const RunFileOptions& options = {});
  RunFileWriter(RunFileWriter&&) noexcept;
  RunFileWriter& operator=(RunFileWriter&&) noexcept;
  ~RunFileWriter();

  /// Adds or replaces one entry.
  Result<void> put_metadata(std::string_view key, std::string_view value);
  /// Returns the number by which the calls below know the device: 0, 1, ...
  Result<int> add_device(const DeviceIdentity& identity, std::span<const SourceId> sources);

  Result<void> append(int device, SourceId source, std::span<const Sample> samples);
  Result<void> append(int device, SourceId source, const Gap& gap);
  Result<void> append(int device, const HealthSample& health);
  Result<void> append(int device, const Window& window);
  Result<void> append(int device, const ActivityInterval& activity);
  Result<void> append(int device, const ClockPair& pair);
  Result<void> append(int device, const CaptureEvent& event);
  /// First and last poll of a source so far, and their number; replaces what was set before.
  Result<void> set_polls(int device, SourceId source, HostTime begin, HostTime end,
                         std::uint64_t polls);
  /// The estimate's device must be the one that was added under this number.
  Result<void> append_estimate(int device, const energy::EnergyEstimate& estimate);
  Result<void> append_curve(int device, std::span<const CurvePoint> points);

  /// There is something to replace an earlier file with. From any thread while others write.
  void keep();
  Result<void> commit();
  /// Commits, marks the run as finished and leaves one file without `-wal` and `-shm` (which stay
  /// until the last reader leaves when another program has the file open). io where the file was
  /// removed, moved or replaced meanwhile.
  Result<void> finish();

 private:
  class Impl;
  explicit RunFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace truewatt::store
