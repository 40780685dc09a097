#include "truewatt/capture/watched_sensor.hpp"

#include "truewatt/base/source_kind.hpp"

namespace truewatt::capture {

template <class Call>
auto WatchedSensor::watched(std::optional<SourceId> source, const Call& call) {
  {
    const std::scoped_lock lock(mutex_);
    pending_ = {source, clock_.now()};
  }
  auto answer = call();
  const std::scoped_lock lock(mutex_);
  pending_->took = clock_.now() - pending_->begin;
  if (!longest_ || pending_->took > longest_->took) longest_ = pending_;
  if (answer && source) {
    Answers& so_far = answers_[*source];
    so_far = {so_far.count + 1, pending_->begin};
  }
  if (!answer && source) {
    if (!refusals_) refusals_ = Refusals{answer.error()};
    ++refusals_->count;
  }
  pending_.reset();
  return answer;
}

Result<sensor::Reading> WatchedSensor::read(SourceId source) {
  return watched(source, [&] { return inner_.read(source); });
}

Result<std::vector<sensor::Reading>> WatchedSensor::drain(std::optional<DriverTime> since) {
  return watched(SourceId{SourceKind::power_samples}, [&] { return inner_.drain(since); });
}

Result<HealthSample> WatchedSensor::health() {
  return watched(std::nullopt, [&] { return inner_.health(); });
}

std::optional<DriverCall> WatchedSensor::named(const std::optional<Asked>& asked) const {
  if (!asked) return std::nullopt;
  return DriverCall{asked->source ? "the driver's call for " + to_string(*asked->source)
                                  : "a driver's call for utilization, clocks or temperature",
                    asked->begin, asked->took};
}

std::optional<DriverCall> WatchedSensor::pending() const {
  const std::scoped_lock lock(mutex_);
  auto call = named(pending_);
  if (call) call->took = clock_.now() - call->begin;
  return call;
}

WatchedSensor::Answers WatchedSensor::answers(SourceId source) const {
  const std::scoped_lock lock(mutex_);
  const auto found = answers_.find(source);
  return found == answers_.end() ? Answers{} : found->second;
}

std::optional<Refusals> WatchedSensor::refusals() const {
  const std::scoped_lock lock(mutex_);
  return refusals_;
}

std::optional<DriverCall> WatchedSensor::longest() const {
  const std::scoped_lock lock(mutex_);
  return named(longest_);
}

}  // namespace truewatt::capture
