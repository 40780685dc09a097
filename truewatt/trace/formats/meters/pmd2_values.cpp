#include "truewatt/trace/formats/meters/pmd2_values.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace truewatt::trace {
namespace {

constexpr std::size_t kSensorBytes = 10;
constexpr std::size_t kPlugs = 10;
constexpr std::size_t kHpwrWires = 6;
/// Four totals of 16 bits, and one flag per sensor.
constexpr std::size_t kTotalsBytes = 8;

/// Where in the ten plugs a GPU's stand, in the order of Pmd2Rail.
constexpr std::array<std::size_t, kPmd2Rails> kPlugOf{4, 5, 6, 7, 8, 9};

/// Power is voltage times current but for averaging and rounding.
constexpr double kPowerShare = 0.05;
constexpr double kPowerSlack = 2.0;  // W
/// No plug of a computer carries more.
constexpr double kMostVolts = 15.0;

struct Sensor {
  double volts = 0.0;
  double amperes = 0.0;
  double watts = 0.0;

  bool plausible() const {
    const double product = volts * amperes;
    return std::abs(volts) <= kMostVolts &&
           std::abs(watts - product) <= kPowerShare * std::abs(product) + kPowerSlack;
  }
};

std::uint32_t unsigned_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

double milli16_at(std::string_view bytes, std::size_t at) {
  return 1e-3 * std::bit_cast<std::int16_t>(static_cast<std::uint16_t>(unsigned_at(bytes, at, 2)));
}
double milli32_at(std::string_view bytes, std::size_t at) {
  return 1e-3 * std::bit_cast<std::int32_t>(unsigned_at(bytes, at, 4));
}

Sensor sensor_at(std::string_view bytes, std::size_t at) {
  return {milli16_at(bytes, at), milli32_at(bytes, at + 2), milli32_at(bytes, at + 6)};
}

/// Supply voltage and temperatures come first.
std::size_t head_bytes(Pmd2Model model) { return model == Pmd2Model::pmd2 ? 4 : 8; }

}  // namespace

std::string_view name_of(Pmd2Model model) { return model == Pmd2Model::pmd2 ? "PMD2" : "PMD2X"; }

Pmd2Layout layout_of(Pmd2Model model) {
  const std::size_t sensors = model == Pmd2Model::pmd2 ? kPlugs : kPlugs + kHpwrWires;
  const std::size_t sensor_bytes = head_bytes(model) + kSensorBytes * sensors;
  return {sensor_bytes, sensor_bytes + kTotalsBytes + kPlugs,
          sensor_bytes + kTotalsBytes + sensors};
}

Watts Pmd2Values::total() const { return Watts(std::accumulate(watts.begin(), watts.end(), 0.0)); }

Result<Pmd2Values> parse_pmd2_values(std::string_view bytes, Pmd2Model model) {
  const std::size_t needed = layout_of(model).sensor_bytes;
  if (bytes.size() < needed) {
    return Unexpected(Errc::insufficient_data,
                      fmt::format("{} bytes of a {}'s values, {} are needed", bytes.size(),
                                  name_of(model), needed));
  }
  Pmd2Values values;
  for (std::size_t plug = 0; plug < kPlugs; ++plug) {
    const Sensor sensor = sensor_at(bytes, head_bytes(model) + kSensorBytes * plug);
    if (!sensor.plausible()) {
      return Unexpected(
          Errc::parse,
          fmt::format("a {}'s sensor {} reads {:.3f} V, {:.3f} A and {:.3f} W, which "
                      "do not fit together",
                      name_of(model), plug, sensor.volts, sensor.amperes, sensor.watts));
    }
    for (std::size_t rail = 0; rail < kPmd2Rails; ++rail) {
      if (kPlugOf[rail] == plug) values.watts[rail] = sensor.watts;
    }
  }
  return values;
}

}  // namespace truewatt::trace
