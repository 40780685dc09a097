#pragma once

#include "truewatt/base/clock.hpp"

namespace truewatt::capture {

/// A sleep that another thread can end. One thread sleeps; any thread rings. Real clocks only.
class Alarm {
 public:
  Alarm();
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// Returns at `until`, or as soon as somebody rings (or has rung since the last call).
  void sleep_until(HostTime until, const Clock& clock);
  void ring();

 private:
  int event_;  // an eventfd, or -1: then nobody can end a sleep, which is kept short
};

}  // namespace truewatt::capture
