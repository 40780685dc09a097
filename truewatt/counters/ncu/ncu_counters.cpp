#include "truewatt/counters/ncu/ncu_counters.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

namespace truewatt::counters::ncu {
namespace {

/// A call of the driver that the process has open.
int call_driver(const char* name) {
  constexpr int kNotInitialized = 3;
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return kNotInitialized;
  const auto function = reinterpret_cast<int (*)()>(dlsym(handle, name));
  const int status = function != nullptr ? function() : kNotInitialized;
  dlclose(handle);
  return status;
}

class Marks final : public Counters {
 public:
  std::string_view name() const override { return "marks"; }

  Result<Counts> count(const std::function<Result<void>()>& launch) override {
    if (const int status = call_driver("cuProfilerStart"); status != 0) {
      return Unexpected(Errc::unavailable,
                        fmt::format("the CUDA driver marks no launches (error {})", status));
    }
    const auto launched = launch();
    call_driver("cuProfilerStop");
    if (!launched) return Unexpected(launched.error());
    return Counts{};
  }
};

class Counted final : public Counters {
 public:
  explicit Counted(std::vector<LaunchCounts> launches) : launches_(std::move(launches)) {}

  std::string_view name() const override { return "ncu"; }

  Result<Counts> count(const std::function<Result<void>()>& launch) override {
    if (next_ >= launches_.size()) {
      return Unexpected(Errc::insufficient_data,
                        fmt::format("ncu counted {} launches, and more are needed; run again, and "
                                    "report it if it stays so",
                                    launches_.size()));
    }
    if (auto launched = launch(); !launched) return Unexpected(launched.error());
    return launches_[next_++].counts;
  }

 private:
  std::vector<LaunchCounts> launches_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Counters> make_marks() { return std::make_unique<Marks>(); }

std::unique_ptr<Counters> make_counted(std::vector<LaunchCounts> launches) {
  return std::make_unique<Counted>(std::move(launches));
}

}  // namespace truewatt::counters::ncu
