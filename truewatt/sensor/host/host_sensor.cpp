#include "truewatt/sensor/host/host_sensor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "truewatt/base/parse.hpp"

namespace truewatt::sensor {
namespace {

constexpr double kMicro = 1e-6;

Error error_of(int code, const std::filesystem::path& path) {
  const std::string file = path.string();
  switch (code) {
    case EACCES:
    case EPERM:
      return {Errc::permission,
              fmt::format("no permission to read {0}; who administers this machine "
                          "may run `chmod o+r {0}`",
                          file)};
    case ENOENT:
    case ENODEV:
      return {Errc::unavailable, fmt::format("{} is not there", file)};
    default:
      return {Errc::io, fmt::format("{} cannot be read: {}", file, std::strerror(code))};
  }
}

}  // namespace

Result<std::string> read_kernel_file(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Unexpected(error_of(errno, path));
  std::array<char, 256> text{};
  const ssize_t length = ::read(file, text.data(), text.size());
  const int failure = errno;
  close(file);
  if (length < 0) return Unexpected(error_of(failure, path));
  std::string read(text.data(), static_cast<std::size_t>(length));
  while (!read.empty() && (read.back() == '\n' || read.back() == ' ')) read.pop_back();
  return read;
}

HostSensor::HostSensor(DeviceIdentity device, std::vector<HostSource> sources, HostNotes notes,
                       ReadText read_text)
    : device_(std::move(device)),
      sources_(std::move(sources)),
      counters_(sources_.size()),
      notes_(std::move(notes)),
      read_text_(std::move(read_text)) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const auto value = raw(sources_[i]);
    if (value) counters_[i].last_uj = *value;
    statuses_.push_back({sources_[i].source, refusal_of(value)});
  }
}

std::vector<std::string> HostSensor::notes() const {
  std::vector<std::string> all = notes_.facts;
  all.insert(all.end(), notes_.not_read.begin(), notes_.not_read.end());
  return all;
}

Result<std::uint64_t> HostSensor::raw(const HostSource& source) const {
  if (source.broken) return Unexpected(*source.broken);
  const auto text = read_text_(source.file);
  if (!text) return Unexpected(text.error());
  const auto value = parse_integer<std::uint64_t>(*text);
  if (!value) {
    return Unexpected(Errc::parse, fmt::format("{} holds '{}', wanted is a whole number",
                                               source.file.string(), *text));
  }
  return *value;
}

Result<Reading> HostSensor::read(SourceId source) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].source != source) continue;
    const auto value = raw(sources_[i]);
    if (!value) return Unexpected(value.error());
    if (!counts_energy(source)) return Reading{kMicro * static_cast<double>(*value), std::nullopt};
    Counter& counter = counters_[i];
    if (*value < counter.last_uj) counter.wrapped_uj += sources_[i].range_uj.value_or(0);
    counter.last_uj = *value;
    return Reading{kMicro * static_cast<double>(counter.wrapped_uj + *value), std::nullopt};
  }
  return Unexpected(Errc::unsupported,
                    fmt::format("{} has no {}", device_.name, to_string(source)));
}

Result<std::vector<Reading>> HostSensor::drain(std::optional<DriverTime> /*since*/) {
  return Unexpected(Errc::unsupported, fmt::format("{} keeps no ring of samples", device_.name));
}

}  // namespace truewatt::sensor
