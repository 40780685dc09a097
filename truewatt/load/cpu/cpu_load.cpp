#include "truewatt/load/cpu/cpu_load.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <vector>

#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/wait.hpp"

namespace truewatt::load {
namespace {

/// Multiply-adds between two looks at the clock: some 10 us.
constexpr int kChunk = 2000;
/// Less of the processors' time than this is said.
constexpr double kWholeShare = 0.95;
/// Threads whose edges lie further apart than this are said.
constexpr Seconds kNotableSpread{1e-3};

unsigned allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

void take_least_priority() {
  const sched_param none{};
  // Where a sandbox forbids it the load merely competes like any other program.
  (void)pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
}

Seconds thread_cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return Seconds(seconds(usage.ru_utime) + seconds(usage.ru_stime));
}

/// Four independent chains of multiply-adds, so that the units are busy and not the latency.
double compute(double seed) {
  double a = seed;
  double b = seed + 1;
  double c = seed + 2;
  double d = seed + 3;
  for (int i = 0; i < kChunk; ++i) {
    a = a * 0.999999 + 1e-6;
    b = b * 0.999998 + 1e-6;
    c = c * 0.999997 + 1e-6;
    d = d * 0.999996 + 1e-6;
  }
  return (a + b + c + d) * 0.25;
}

/// What one thread did in one stretch.
struct Played {
  HostTime begin;
  HostTime end;
  Seconds cpu{0};
};

/// One thread's way through a schedule: what it did in each stretch it had a part in.
class Worker {
 public:
  Worker(unsigned number, unsigned threads, bool yields, Clock& clock)
      : number_(number), threads_(threads), yields_(yields), clock_(clock) {}

  void run(const std::vector<Stretch>& stretches, HostTime begin, const std::stop_token& stop) {
    if (yields_) take_least_priority();
    played_.assign(stretches.size(), std::nullopt);
    for (std::size_t i = 0; i < stretches.size() && !stop.stop_requested(); ++i) {
      if (number_ >= threads_for_level(stretches[i].level, threads_)) continue;
      const HostTime end = begin + to_nanoseconds(stretches[i].end);
      wait_until(clock_, begin + to_nanoseconds(stretches[i].begin), stop);
      if (!stop.stop_requested() && clock_.now() < end) played_[i] = work_until(end, stop);
    }
  }

  const std::optional<Played>& played(std::size_t stretch) const { return played_[stretch]; }

 private:
  Played work_until(HostTime end, const std::stop_token& stop) {
    Played played{.begin = clock_.now()};
    const Seconds before = thread_cpu_time();
    do {
      value_ = compute(value_);
      played.end = clock_.now();
    } while (played.end < end && !stop.stop_requested());
    played.cpu = thread_cpu_time() - before;
    return played;
  }

  unsigned number_;
  unsigned threads_;
  bool yields_;
  Clock& clock_;
  volatile double value_ = 1.0;  // keeps the work from being optimised away
  std::vector<std::optional<Played>> played_;
};

/// One stretch as all its threads played it, and how well they kept together.
struct Together {
  ActivityInterval activity;
  Seconds spread{0};
  Seconds cpu{0};
  Seconds wall{0};
};

std::optional<Together> together(const std::vector<Worker>& workers, const Stretch& stretch,
                                 std::size_t index) {
  std::vector<Played> all;
  for (const Worker& worker : workers) {
    if (worker.played(index)) all.push_back(*worker.played(index));
  }
  if (all.empty()) return std::nullopt;
  const HostTime origin = all.front().begin;
  double begin = 0.0;
  double end = 0.0;
  HostTime first = all.front().begin;
  HostTime last = first;
  Together result;
  for (const Played& played : all) {
    begin += seconds_between(origin, played.begin);
    end += seconds_between(origin, played.end);
    first = std::min(first, played.begin);
    last = std::max(last, played.begin);
    result.cpu += played.cpu;
    result.wall += Seconds(played.end - played.begin);
  }
  const auto count = static_cast<double>(all.size());
  result.activity = {origin + to_nanoseconds(Seconds(begin / count)),
                     origin + to_nanoseconds(Seconds(end / count)),
                     stretch.kind(WorkKind::Part::cpu)};
  result.spread = Seconds(last - first);
  return result;
}

class CpuLoad final : public Load {
 public:
  CpuLoad(Clock& clock, unsigned threads, bool yields)
      : clock_(clock), threads_(threads), yields_(yields) {}

  std::string_view name() const override { return "cpu"; }

  Result<void> prepare(const Schedule& schedule) override {
    for (const Stretch& stretch : active_stretches(schedule)) {
      if (stretch.kernel != nullptr) return refuse(*stretch.kernel);
      if (stretch.end - stretch.begin >= kShortestCpuStretch * (1 - 1e-9)) continue;
      return Unexpected(
          Errc::invalid_argument,
          fmt::format("load '{}': the stretch of work at {} s lasts {:.3f} ms; a CPU load needs at "
                      "least 1 ms",
                      schedule.spec, stretch.begin.count(),
                      1e3 * (stretch.end - stretch.begin).count()));
    }
    return {};
  }

  Result<Execution> play(const Schedule& schedule, HostTime begin, std::stop_token stop) override {
    const auto stretches = active_stretches(schedule);
    std::vector<Worker> workers;
    workers.reserve(threads_);
    for (unsigned i = 0; i < threads_; ++i) workers.emplace_back(i, threads_, yields_, clock_);
    wait_until(clock_, begin - kStart, stop);
    {
      std::vector<std::jthread> threads;
      for (Worker& worker : workers) {
        threads.emplace_back([&] { worker.run(stretches, begin, stop); });
      }
    }
    wait_until(clock_, begin + to_nanoseconds(schedule.duration), stop);
    return gather(workers, stretches, begin);
  }

 private:
  /// Threads are made so long before the schedule begins.
  static constexpr Nanoseconds kStart = std::chrono::milliseconds(20);

  Execution gather(const std::vector<Worker>& workers, const std::vector<Stretch>& stretches,
                   HostTime begin) const {
    Execution execution{.begin = begin, .end = clock_.now()};
    Together sum;
    std::size_t missed = 0;
    for (std::size_t i = 0; i < stretches.size(); ++i) {
      const auto stretch = together(workers, stretches[i], i);
      if (!stretch) {
        ++missed;
        continue;
      }
      execution.activity.push_back(stretch->activity);
      sum.cpu += stretch->cpu;
      sum.wall += stretch->wall;
      sum.spread = std::max(sum.spread, stretch->spread);
    }
    execution.notes = describe(sum, missed, stretches.size());
    return execution;
  }

  std::vector<std::string> describe(const Together& sum, std::size_t missed,
                                    std::size_t stretches) const {
    std::vector<std::string> notes{fmt::format("CPU load: {} threads", threads_)};
    if (sum.wall.count() > 0 && sum.cpu / sum.wall < kWholeShare) {
      notes.push_back(
          fmt::format("the CPU load got {:.0f} % of its processors' time: something else runs here",
                      100 * (sum.cpu / sum.wall)));
    }
    if (sum.spread > kNotableSpread) {
      notes.push_back(fmt::format("the CPU load's threads began up to {:.1f} ms apart",
                                  1e3 * sum.spread.count()));
    }
    if (missed > 0) {
      notes.push_back(
          fmt::format("{} of {} stretches of CPU work were left out", missed, stretches));
    }
    return notes;
  }

  Clock& clock_;
  unsigned threads_;
  bool yields_;
};

}  // namespace

unsigned threads_for_level(double level, unsigned threads) {
  if (level <= 0.0) return 0;
  return static_cast<unsigned>(std::clamp(std::lround(level * threads), 1L, long{threads}));
}

Result<std::unique_ptr<Load>> make_cpu_load(Clock& clock, const CpuLoadOptions& options) {
  if (clock.is_virtual()) {
    return Unexpected(Errc::invalid_argument,
                      "a load on the machine's CPU needs the machine's clock, not a virtual one");
  }
  const unsigned threads = options.threads > 0 ? options.threads : allowed_processors();
  return std::unique_ptr<Load>(std::make_unique<CpuLoad>(clock, threads, options.yields));
}

}  // namespace truewatt::load
