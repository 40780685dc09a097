#include "truewatt/nvml_sim/driver.hpp"

#include <utility>

namespace truewatt::nvml_sim {

Result<void> Driver::init(const ConfigurationText& text) {
  const std::scoped_lock lock(mutex_);
  if (users_ > 0 || text_ == text) {
    last_error_.clear();
    ++users_;
    return {};
  }
  auto configuration = parse_configuration(text);
  if (!configuration) {
    last_error_ = configuration.error().message;
    return Unexpected(configuration.error());
  }
  devices_.clear();
  for (auto& description : configuration->devices) {
    const auto index = devices_.size();
    devices_.push_back(
        std::make_shared<SimulatedDevice>(std::move(description), configuration->seed + index,
                                          configuration->load, static_cast<int>(index), clock_));
  }
  last_error_.clear();
  text_ = text;
  users_ = 1;
  return {};
}

bool Driver::shutdown() {
  const std::scoped_lock lock(mutex_);
  if (users_ == 0) return false;
  --users_;
  return true;
}

bool Driver::initialised() const {
  const std::scoped_lock lock(mutex_);
  return users_ > 0;
}

std::string Driver::last_error() const {
  const std::scoped_lock lock(mutex_);
  return last_error_;
}

std::size_t Driver::device_count() const {
  const std::scoped_lock lock(mutex_);
  return devices_.size();
}

std::shared_ptr<SimulatedDevice> Driver::device(std::size_t index) const {
  const std::scoped_lock lock(mutex_);
  return index < devices_.size() ? devices_[index] : nullptr;
}

std::shared_ptr<SimulatedDevice> Driver::find(const void* handle) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& device : devices_) {
    if (device.get() == handle) return device;
  }
  return nullptr;
}

std::optional<Driver::Instance> Driver::find_instance(const void* handle) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& device : devices_) {
    if (!device->mig()) continue;
    for (const std::string& uuid : device->mig()->instances) {
      if (&uuid == handle) return Instance{device, uuid};
    }
  }
  return std::nullopt;
}

}  // namespace truewatt::nvml_sim
