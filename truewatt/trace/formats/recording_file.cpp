#include "truewatt/trace/formats/recording_file.hpp"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "truewatt/trace/formats/dated_log.hpp"
#include "truewatt/trace/formats/h200_trace.hpp"
#include "truewatt/trace/formats/log_file.hpp"
#include "truewatt/trace/formats/meters/meter_csv.hpp"
#include "truewatt/trace/formats/meters/pmd_dump.hpp"
#include "truewatt/trace/formats/read_file.hpp"
#include "truewatt/trace/formats/rows/plain_table.hpp"
#include "truewatt/trace/formats/sc24_folder.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

namespace fs = std::filesystem;

/// Enough for a header, even behind some lines of shell output.
constexpr std::size_t kFormatBytes = 4096;
constexpr std::string_view kRunFileMagic = "SQLite format 3";

/// The schema that a document of ours begins with; "" of anything else.
std::string own_schema(std::string_view start) {
  constexpr std::string_view kOurs = "\"truewatt.";
  const std::size_t at = start.find("\"schema\"");
  const std::size_t begin = start.find(kOurs, at);
  if (start.substr(0, 1) != "{" || at == std::string_view::npos || begin > at + kOurs.size()) {
    return "";
  }
  return std::string(start.substr(begin + 1, start.find('"', begin + 1) - begin - 1));
}

enum class Format { folder, log, h200_trace };

Result<Format> recognise(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return Format::folder;
  const auto start = read_file_start(path, kFormatBytes);
  if (!start) return Unexpected(start.error());
  if (start->starts_with(kRunFileMagic)) {
    return Unexpected(Errc::unsupported, fmt::format("{} is a run file", path.string()));
  }
  if (looks_like_h200_trace(*start)) return Format::h200_trace;
  if (looks_like_log_file(*start)) return Format::log;
  if (const auto own = own_schema(*start); !own.empty()) {
    return Unexpected(Errc::parse,
                      fmt::format("{} is a document of the schema {}, not readings: analyze takes "
                                  "logs, and run files that --out wrote",
                                  path.string(), own));
  }
  if (start->empty()) {
    return Unexpected(Errc::parse,
                      fmt::format("{} is empty; record with nvidia-smi "
                                  "--query-gpu=timestamp,index,power.draw --format=csv -lms 100",
                                  path.string()));
  }
  return Unexpected(
      Errc::parse,
      fmt::format(
          "{} is not a log of power readings that is known here (its first lines have no column "
          "'timestamp', 'time' or 'time_s'), no run file and no folder with gpudata.csv; name its "
          "columns so (and power_w), or record one with nvidia-smi "
          "--query-gpu=timestamp,index,power.draw --format=csv -lms 100",
          path.string()));
}

Result<RecordedData> read_trace(const fs::path& path, const RecordedOptions& options) {
  const auto text = read_file(path);
  if (!text) return Unexpected(text.error());
  auto trace = parse_h200_trace(*text);
  if (!trace) return in_file(path, trace.error());
  RecordedData data;
  data.format = "h200 trace";
  data.recordings.push_back(std::move(trace->recording));
  data.rows = trace->rows;
  data.bad_rows = trace->bad_rows;
  data.warnings = std::move(trace->warnings);
  if (!options.windows) return data;
  const auto set = set_windows(data, *options.windows);
  if (!set) return in_file(path, set.error());
  return data;
}

/// What is known beside a log: stamps to find its offset from are the windows', else the meter's.
DatedLogOptions beside_log(const RecordedOptions& options, const std::optional<MeterTrace>& meter) {
  DatedLogOptions dated{.utc_offset = options.utc_offset, .windows = options.windows};
  if (options.windows) dated.events = edges_of(*options.windows);
  if (!dated.events.empty() || !meter || meter->axis != MeterAxis::utc) return dated;
  dated.events = {DriverTime(meter->samples.front().time.time_since_epoch())};
  dated.events_are = "meter";
  return dated;
}

Result<RecordedData> read_log(const fs::path& path, const RecordedOptions& options,
                              const std::optional<MeterTrace>& meter) {
  const auto text = read_file(path);
  if (!text) return Unexpected(text.error());
  auto data = read_dated_log(*text, beside_log(options, meter));
  if (!data) return in_file(path, data.error());
  return data;
}

Result<RecordedData> read_as(Format format, const fs::path& path, const RecordedOptions& options,
                             const std::optional<MeterTrace>& meter) {
  switch (format) {
    case Format::folder:
      return read_folder(path, {options.utc_offset, options.windows, options.meter});
    case Format::h200_trace:
      return read_trace(path, options);
    case Format::log:
      break;
  }
  return read_log(path, options, meter);
}

Result<MeterTrace> read_dump(const fs::path& path, PmdDumpOptions options) {
  const fs::path beside = path.parent_path() / kMeterStartFile;
  const auto stamp = read_file(beside);
  if (!stamp) {
    return Unexpected(stamp.error().code,
                      fmt::format("{}; a PMD-USB dump needs the stamp of its start in that file "
                                  "(microseconds since the epoch)",
                                  stamp.error().message));
  }
  const auto start = parse_pmd_start(*stamp);
  if (!start) return in_file(beside, start.error());
  const auto bytes = read_file(path);
  if (!bytes) return Unexpected(bytes.error());
  options.start = *start;
  auto meter = parse_pmd_dump(*bytes, options);
  if (!meter) return in_file(path, meter.error());
  return meter;
}

bool looks_like_text(std::string_view start) { return start.find('\0') == std::string_view::npos; }

}  // namespace

Result<RecordedData> read_recorded(const fs::path& path, const RecordedOptions& options) {
  const auto format = recognise(path);
  if (!format) return Unexpected(format.error());
  std::optional<MeterTrace> meter;
  if (options.meter_file) {
    auto read = read_meter_file(*options.meter_file, options.meter);
    if (!read) return Unexpected(read.error());
    meter = *std::move(read);
  }
  auto data = read_as(*format, path, options, meter);
  if (!data || !meter) return data;
  auto placed = place_meter(*std::move(meter), reference_recording(*data));
  if (!placed) return in_file(*options.meter_file, placed.error());
  data->warnings.insert(data->warnings.end(), placed->warnings.begin(), placed->warnings.end());
  data->meter = *std::move(placed);
  return data;
}

Result<MeterTrace> read_meter_file(const fs::path& path, const PmdDumpOptions& options) {
  const auto start = read_file_start(path, kFormatBytes);
  if (!start) return Unexpected(start.error());
  if (looks_like_pmd_dump(*start)) return read_dump(path, options);
  if (!looks_like_text(*start)) {
    return Unexpected(Errc::unsupported, fmt::format("{} is neither a PMD-USB dump nor a CSV with "
                                                     "the columns t_s,w",
                                                     path.string()));
  }
  const auto text = read_file(path);
  if (!text) return Unexpected(text.error());
  auto meter = parse_meter_csv(*text);
  if (!meter) return in_file(path, meter.error());
  return meter;
}

Result<WindowList> read_windows_file(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) return Unexpected(text.error());
  constexpr std::array<std::string_view, 1> kHeader = {"end"};
  const std::string bytes = narrow_utf16(*text).value_or(*text);
  const auto plain = as_plain_table(bytes, kHeader);
  auto windows = plain ? read_windows(*plain, kCellSeparator) : read_windows(bytes);
  if (!windows) return in_file(path, windows.error());
  return windows;
}

}  // namespace truewatt::trace
