#include "truewatt/load/program/program_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "truewatt/load/program/workload_process.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/wait.hpp"

namespace truewatt::load {
namespace {

/// A program that imports PyTorch on a slow disk takes a minute.
constexpr Seconds kStart{180};
/// More than any stretch is meant to take.
constexpr Seconds kPatience{120};
/// An iteration is timed over at least so much work: clocks have risen and launches overlap.
constexpr Seconds kTimedWork{0.4};
constexpr long long kMostIterations = 10'000'000;

class ProgramLoadImpl final : public ProgramLoad {
 public:
  ProgramLoadImpl(std::vector<std::string> argv, std::filesystem::path folder, Clock& clock)
      : argv_(std::move(argv)), folder_(std::move(folder)), clock_(clock) {}

  std::string_view name() const override { return argv_.front(); }
  Seconds iteration() const override { return iteration_; }
  long long iterations_in(Seconds length) const override {
    return std::max(1LL, static_cast<long long>(std::llround(length / iteration_)));
  }

  Result<void> prepare(const Schedule& schedule) override {
    for (const Stretch& stretch : active_stretches(schedule)) {
      if (stretch.kernel != nullptr) return refuse(*stretch.kernel);
      if (stretch.level == 1.0) continue;
      return Unexpected(Error{
          Errc::invalid_argument,
          fmt::format("{} works or does not: level {} is not possible", name(), stretch.level)});
    }
    if (process_) return {};
    auto started = WorkloadProcess::start(argv_, folder_, clock_, kStart, {});
    if (!started) return Unexpected(started.error());
    process_.emplace(std::move(*started));
    return time_iteration();
  }

  Result<Execution> play(const Schedule& schedule, HostTime begin, std::stop_token stop) override {
    Execution execution{.begin = begin, .end = begin + to_nanoseconds(schedule.duration)};
    for (const Stretch& stretch : active_stretches(schedule)) {
      wait_until(clock_, begin + to_nanoseconds(stretch.begin), stop);
      if (stop.stop_requested()) break;
      const auto done = process_->run(iterations_in(stretch.end - stretch.begin), kPatience, stop);
      if (!done) return Unexpected(done.error());
      execution.activity.push_back({done->begin, done->end, {.level = 1.0}});
      execution.end = std::max(execution.end, done->end);
    }
    if (stop.stop_requested()) execution.end = clock_.now();
    wait_until(clock_, execution.end, stop);
    return execution;
  }

 private:
  Result<void> time_iteration() {
    for (long long count = 1; count <= kMostIterations; count *= 4) {
      const auto done = process_->run(count, kPatience, {});
      if (!done) return Unexpected(done.error());
      const Seconds took = Seconds(done->end - done->begin);
      iteration_ = took / static_cast<double>(count);
      if (took >= kTimedWork) break;
    }
    return {};
  }

  std::vector<std::string> argv_;
  std::filesystem::path folder_;
  Clock& clock_;
  std::optional<WorkloadProcess> process_;
  Seconds iteration_{1};
};

}  // namespace

std::unique_ptr<ProgramLoad> make_program_load(std::vector<std::string> argv,
                                               std::filesystem::path folder, Clock& clock) {
  return std::make_unique<ProgramLoadImpl>(std::move(argv), std::move(folder), clock);
}

}  // namespace truewatt::load
