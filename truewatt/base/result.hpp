#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace truewatt {

/// The closed list of ways in which an operation fails.
enum class Errc {
  unavailable,        ///< the thing is not here (no driver, no GPU, no file)
  unsupported,        ///< it is here and cannot do this
  permission,         ///< it can, and we may not
  timed_out,          ///< it did not answer in time
  insufficient_data,  ///< too few readings to say anything
  ill_conditioned,    ///< the readings do not determine the answer
  invalid_argument,   ///< the caller's input makes no sense
  parse,              ///< a file's content is not what it should be
  io,                 ///< reading or writing failed
  device,             ///< the device failed (lost, fallen off the bus)
};

constexpr std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::unavailable:
      return "unavailable";
    case Errc::unsupported:
      return "unsupported";
    case Errc::permission:
      return "permission";
    case Errc::timed_out:
      return "timed_out";
    case Errc::insufficient_data:
      return "insufficient_data";
    case Errc::ill_conditioned:
      return "ill_conditioned";
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::parse:
      return "parse";
    case Errc::io:
      return "io";
    case Errc::device:
      return "device";
  }
  return "unknown";
}

/// Why something failed. The message names the thing, the value and what to do.
struct Error {
  Errc code = Errc::invalid_argument;
  std::string message;
};

/// Makes a Result hold an error: `return Unexpected(Errc::io, "cannot open ...")`.
class Unexpected {
 public:
  Unexpected(Errc code, std::string message) : error_{code, std::move(message)} {}
  explicit Unexpected(Error error) : error_(std::move(error)) {}
  Error& error() { return error_; }

 private:
  Error error_;
};

/// A value or an Error, with the names of std::expected. Reading the wrong side is our own bug and
/// asserts.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Unexpected unexpected) : state_(std::in_place_index<1>, std::move(unexpected.error())) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & { return *get(); }
  const T& value() const& { return *get(); }
  T&& value() && { return std::move(*get()); }
  T& operator*() & { return *get(); }
  const T& operator*() const& { return *get(); }
  T&& operator*() && { return std::move(*get()); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }
  const Error& error() const& {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  T value_or(T other) const& { return has_value() ? **this : std::move(other); }

 private:
  T* get() {
    assert(has_value());
    return std::get_if<0>(&state_);
  }
  const T* get() const {
    assert(has_value());
    return std::get_if<0>(&state_);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Unexpected unexpected) : error_(std::move(unexpected.error())), failed_(true) {}
  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    assert(failed_);
    return error_;
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace truewatt
