#include "truewatt/trace/formats/log_file.hpp"

#include "truewatt/trace/formats/nvidia_smi/dmon.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_query.hpp"
#include "truewatt/trace/formats/tools/other_tools.hpp"
#include "truewatt/trace/formats/tools/prometheus_range.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

constexpr std::size_t kRecognisedBytes = 4096;

struct LogFormat {
  std::string_view name;
  bool (*looks_like)(std::string_view start);
  Result<PowerLog> (*parse)(std::string_view text, const PowerLogOptions& options);
};

/// In this order: the last is the least particular.
constexpr LogFormat kFormats[] = {
    {"Prometheus", looks_like_prometheus, parse_prometheus},
    {"nvidia-smi -q", looks_like_nvidia_smi_query, parse_nvidia_smi_query},
    {"nvidia-smi dmon", looks_like_dmon, parse_dmon},
    {"nvidia-smi", looks_like_nvidia_smi_log, parse_nvidia_smi_log},
};

}  // namespace

bool looks_like_log_file(std::string_view start) {
  if (const auto narrowed = narrow_utf16(start)) return looks_like_log_file(*narrowed);
  start = skip_byte_order_mark(start);
  if (recognise_other_tool(start)) return true;
  for (const LogFormat& format : kFormats) {
    if (format.looks_like(start)) return true;
  }
  return false;
}

Result<LogFile> parse_log_file(std::string_view text, const PowerLogOptions& options) {
  if (const auto narrowed = narrow_utf16(text)) return parse_log_file(*narrowed, options);
  text = skip_byte_order_mark(text);
  const std::string_view start = text.substr(0, kRecognisedBytes);
  if (auto other = recognise_other_tool(start)) return Unexpected(*std::move(other));
  const LogFormat* chosen = &kFormats[std::size(kFormats) - 1];
  for (const LogFormat& format : kFormats) {
    if (!format.looks_like(start)) continue;
    chosen = &format;
    break;
  }
  auto log = chosen->parse(text, options);
  if (!log) return Unexpected(log.error());
  return LogFile{std::string(chosen->name), *std::move(log)};
}

}  // namespace truewatt::trace
