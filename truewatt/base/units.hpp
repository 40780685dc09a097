#pragma once

#include <chrono>
#include <compare>

namespace truewatt {

/// Seconds as a real number. Durations stay in std::chrono everywhere.
using Seconds = std::chrono::duration<double>;

/// Power in watts (SI). An explicit wrapper over double: `Joules j = 250_W` does not compile.
class Watts {
 public:
  constexpr Watts() = default;
  constexpr explicit Watts(double value) : value_(value) {}
  constexpr double value() const { return value_; }

  friend constexpr auto operator<=>(Watts, Watts) = default;
  friend constexpr Watts operator+(Watts a, Watts b) { return Watts(a.value_ + b.value_); }
  friend constexpr Watts operator-(Watts a, Watts b) { return Watts(a.value_ - b.value_); }
  friend constexpr Watts operator-(Watts a) { return Watts(-a.value_); }
  friend constexpr Watts operator*(double k, Watts a) { return Watts(k * a.value_); }
  friend constexpr Watts operator*(Watts a, double k) { return k * a; }
  friend constexpr Watts operator/(Watts a, double k) { return Watts(a.value_ / k); }
  friend constexpr double operator/(Watts a, Watts b) { return a.value_ / b.value_; }
  constexpr Watts& operator+=(Watts other) { return *this = *this + other; }
  constexpr Watts& operator-=(Watts other) { return *this = *this - other; }

 private:
  double value_ = 0.0;
};

/// Energy in joules (SI).
class Joules {
 public:
  constexpr Joules() = default;
  constexpr explicit Joules(double value) : value_(value) {}
  constexpr double value() const { return value_; }

  friend constexpr auto operator<=>(Joules, Joules) = default;
  friend constexpr Joules operator+(Joules a, Joules b) { return Joules(a.value_ + b.value_); }
  friend constexpr Joules operator-(Joules a, Joules b) { return Joules(a.value_ - b.value_); }
  friend constexpr Joules operator-(Joules a) { return Joules(-a.value_); }
  friend constexpr Joules operator*(double k, Joules a) { return Joules(k * a.value_); }
  friend constexpr Joules operator*(Joules a, double k) { return k * a; }
  friend constexpr Joules operator/(Joules a, double k) { return Joules(a.value_ / k); }
  friend constexpr double operator/(Joules a, Joules b) { return a.value_ / b.value_; }
  constexpr Joules& operator+=(Joules other) { return *this = *this + other; }
  constexpr Joules& operator-=(Joules other) { return *this = *this - other; }

 private:
  double value_ = 0.0;
};

/// Power times any std::chrono duration is energy: `250_W * 20ms == 5_J`.
template <class Rep, class Period>
constexpr Joules operator*(Watts power, std::chrono::duration<Rep, Period> duration) {
  return Joules(power.value() * Seconds(duration).count());
}
template <class Rep, class Period>
constexpr Joules operator*(std::chrono::duration<Rep, Period> duration, Watts power) {
  return power * duration;
}
template <class Rep, class Period>
constexpr Watts operator/(Joules energy, std::chrono::duration<Rep, Period> duration) {
  return Watts(energy.value() / Seconds(duration).count());
}
constexpr Seconds operator/(Joules energy, Watts power) {
  return Seconds(energy.value() / power.value());
}

inline namespace literals {
constexpr Watts operator""_W(long double value) { return Watts(static_cast<double>(value)); }
constexpr Watts operator""_W(unsigned long long value) { return Watts(static_cast<double>(value)); }
constexpr Joules operator""_J(long double value) { return Joules(static_cast<double>(value)); }
constexpr Joules operator""_J(unsigned long long value) {
  return Joules(static_cast<double>(value));
}
}  // namespace literals

}  // namespace truewatt
