#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "truewatt/counters/cupti/cupti_library.hpp"

namespace truewatt::counters::cupti {

/// A CUPTI for tests, as functions for Library::adopt(): a GPU whose counters have
/// the values that the test sets, in as many passes as the test says. It notes the order of calls
/// and answers calls out of order as CUPTI does. One at a time, one thread.
class FakeCupti {
 public:
  std::string chip = "GH100";
  std::map<std::string, double> values;  ///< by metric with rollup: what the chip has
  std::size_t passes = 1;                ///< that it announces
  std::size_t passes_asked = 1;          ///< that it asks for
  std::size_t dropped = 0;
  std::map<std::string, int> failures;  ///< status by call
  Support support = Support::supported;
  Support virtual_gpu = Support::supported;
  bool has_context = true;
  std::vector<std::string> calls;
  std::size_t launches_in_range = 0;
  int synchronizations = 0;

  FakeCupti() { current() = this; }
  ~FakeCupti() { current() = nullptr; }
  FakeCupti(const FakeCupti&) = delete;
  FakeCupti& operator=(const FakeCupti&) = delete;

  bool is_enabled() const { return enabled_; }
  bool is_in_range() const { return in_range_; }
  std::size_t hosts() const { return hosts_; }
  /// What a test's `launch` does.
  void launch() { launches_in_range += in_range_ ? 1 : 0; }

  /// Of a process with a context on its device 0, or without.
  static Driver driver() {
    return {.version = nullptr,
            .synchronize = [] { return current()->synchronizations++, 0; },
            .current_context =
                [](Context* context) {
                  *context =
                      current()->has_context ? reinterpret_cast<Context>(current()) : nullptr;
                  return 0;
                },
            .current_device = [](int* device) { return *device = 0; }};
  }
  std::shared_ptr<const Library> opened() const {
    return Library::adopt(functions(), "fake CUPTI");
  }

 private:
  static constexpr int kInvalidOperation = 7;
  static constexpr int kParameterSize = 10;
  static constexpr int kInvalidMetricName = 17;
  static constexpr std::size_t kImageBytes = 16;
  static constexpr std::uint8_t kAvailable = 0xA5;

  static FakeCupti*& current() {
    static FakeCupti* one = nullptr;
    return one;
  }

  /// Notes the call; the failure that the test wants, or what `act` answers.
  template <class Parameters, class Act>
  static int answer(const char* name, Parameters* p, const Act& act) {
    FakeCupti& fake = *current();
    fake.calls.emplace_back(name);
    if (p->size != Parameters{}.size || p->reserved != nullptr) return kParameterSize;
    const auto failure = fake.failures.find(name);
    return failure != fake.failures.end() ? failure->second : act(fake, *p);
  }

  static Functions functions() {
    Functions f;
    device_functions(f);
    range_functions(f);
    host_functions(f);
    return f;
  }

  static void device_functions(Functions& f) {
    f.initialize.call = [](ProfilerInitialize* p) {
      return answer("initialize", p, [](FakeCupti&, auto&) { return kSuccess; });
    };
    f.device_supported.call = [](DeviceSupported* p) {
      return answer("device_supported", p, [](FakeCupti& fake, auto& q) {
        q.overall = fake.support;
        q.virtual_gpu = fake.virtual_gpu;
        q.architecture = q.sli = q.confidential_computing = q.mining_board = q.wsl =
            Support::supported;
        return kSuccess;
      });
    };
    f.chip_name.call = [](DeviceChipName* p) {
      return answer("chip_name", p, [](FakeCupti& fake, auto& q) {
        q.chip = fake.chip.c_str();
        return kSuccess;
      });
    };
    f.availability.call = [](CounterAvailability* p) {
      return answer("availability", p, [](FakeCupti&, auto& q) {
        if (q.image == nullptr) {
          q.image_bytes = kImageBytes;
        } else {
          std::fill_n(q.image, kImageBytes, kAvailable);
        }
        return kSuccess;
      });
    };
  }

  static void range_functions(Functions& f) {
    f.enable.call = [](RangeEnable* p) {
      return answer("enable", p, [](FakeCupti& fake, auto& q) {
        q.object = reinterpret_cast<RangeObject>(&fake);
        return fake.turn(fake.enabled_, true);
      });
    };
    f.disable.call = [](RangeOnly* p) {
      return answer("disable", p, [](FakeCupti& fake, auto&) {
        fake.started_ = fake.in_range_ = false;
        return fake.turn(fake.enabled_, false);
      });
    };
    f.set_config.call = [](RangeSetConfig* p) {
      return answer("set_config", p, [](FakeCupti& fake, auto& q) {
        const bool is_ours = q.range == kUserRange && q.replay == kUserReplay &&
                             q.config_bytes == kImageBytes && q.most_ranges_per_pass == 1;
        fake.passes_done_ = 0;
        return fake.enabled_ && is_ours ? kSuccess : kInvalidOperation;
      });
    };
    f.start.call = [](RangeOnly* p) {
      return answer("start", p, [](FakeCupti& fake, auto&) {
        return fake.enabled_ ? fake.turn(fake.started_, true) : kInvalidOperation;
      });
    };
    f.push.call = [](RangePush* p) {
      return answer("push", p, [](FakeCupti& fake, auto&) {
        return fake.started_ ? fake.turn(fake.in_range_, true) : kInvalidOperation;
      });
    };
    f.pop.call = [](RangeOnly* p) {
      return answer("pop", p,
                    [](FakeCupti& fake, auto&) { return fake.turn(fake.in_range_, false); });
    };
    f.stop.call = [](RangeStop* p) {
      return answer("stop", p, [](FakeCupti& fake, auto& q) {
        q.all_passes_submitted = ++fake.passes_done_ >= fake.passes_asked ? 1 : 0;
        return fake.in_range_ ? kInvalidOperation : fake.turn(fake.started_, false);
      });
    };
    f.decode.call = [](RangeDecode* p) {
      return answer("decode", p, [](FakeCupti& fake, auto& q) {
        q.dropped_ranges = fake.dropped;
        return fake.started_ ? kInvalidOperation : kSuccess;
      });
    };
    f.counter_data_size.call = [](CounterDataSize* p) {
      return answer("counter_data_size", p, [](FakeCupti&, auto& q) {
        q.bytes = kImageBytes;
        return kSuccess;
      });
    };
    f.counter_data_initialize.call = [](CounterDataInitialize* p) {
      return answer("counter_data_initialize", p, [](FakeCupti&, auto&) { return kSuccess; });
    };
    f.counter_data_info.call = [](CounterDataInfo* p) {
      return answer("counter_data_info", p, [](FakeCupti&, auto& q) {
        q.ranges = 1;
        return kSuccess;
      });
    };
  }

  static void host_functions(Functions& f) {
    f.host_initialize.call = [](HostInitialize* p) {
      return answer("host_initialize", p, [](FakeCupti& fake, auto& q) {
        ++fake.hosts_;
        fake.availability_ = q.availability;
        q.object = reinterpret_cast<HostObject>(&fake);
        return kSuccess;
      });
    };
    f.host_deinitialize.call = [](HostOnly* p) {
      return answer("host_deinitialize", p, [](FakeCupti& fake, auto&) {
        --fake.hosts_;
        return kSuccess;
      });
    };
    f.host_base_metrics.call = [](HostBaseMetrics* p) {
      return answer("host_base_metrics", p, [](FakeCupti& fake, auto& q) {
        // The library goes on reading the image that it was given.
        const std::uint8_t* image = fake.availability_;
        if (image != nullptr && std::any_of(image, image + kImageBytes,
                                            [](std::uint8_t byte) { return byte != kAvailable; })) {
          return 1;
        }
        fake.list_names();
        q.names = fake.names_.data();
        q.count = fake.names_.size();
        return kSuccess;
      });
    };
    f.host_add_metrics.call = [](HostAddMetrics* p) {
      return answer("host_add_metrics", p, [](FakeCupti& fake, auto& q) {
        const bool has_all = std::all_of(q.metrics, q.metrics + q.count, [&](const char* name) {
          return fake.values.contains(name);
        });
        return has_all ? kSuccess : kInvalidMetricName;
      });
    };
    f.host_config_size.call = [](HostConfigSize* p) {
      return answer("host_config_size", p, [](FakeCupti&, auto& q) {
        q.bytes = kImageBytes;
        return kSuccess;
      });
    };
    f.host_config.call = [](HostConfig* p) {
      return answer("host_config", p, [](FakeCupti&, auto&) { return kSuccess; });
    };
    f.host_passes.call = [](HostPasses* p) {
      return answer("host_passes", p, [](FakeCupti& fake, auto& q) {
        q.passes = fake.passes;
        return kSuccess;
      });
    };
    f.host_evaluate.call = [](HostEvaluate* p) {
      return answer("host_evaluate", p, [](FakeCupti& fake, auto& q) {
        for (std::size_t i = 0; i < q.metric_count; ++i) q.values[i] = fake.values.at(q.metrics[i]);
        return kSuccess;
      });
    };
  }

  int turn(bool& state, bool to) {
    if (state == to) return kInvalidOperation;
    state = to;
    return kSuccess;
  }

  /// Names of the metrics, without their rollup.
  void list_names() {
    bases_.clear();
    names_.clear();
    for (const auto& [metric, value] : values)
      bases_.push_back(metric.substr(0, metric.rfind('.')));
    for (const auto& base : bases_) names_.push_back(base.c_str());
  }

  bool enabled_ = false;
  bool started_ = false;
  bool in_range_ = false;
  std::size_t passes_done_ = 0;
  std::size_t hosts_ = 0;
  const std::uint8_t* availability_ = nullptr;
  std::vector<std::string> bases_;
  std::vector<const char*> names_;
};

}  // namespace truewatt::counters::cupti
