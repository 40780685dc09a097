#include "truewatt/counters/cupti/range_session.hpp"

#include <fmt/format.h>

namespace truewatt::counters::cupti {

Result<std::unique_ptr<RangeSession>> RangeSession::enable(std::shared_ptr<const Library> library,
                                                           const Driver& driver, Context context) {
  std::unique_ptr<RangeSession> session(new RangeSession(std::move(library), driver));
  RangeEnable p;
  p.context = context;
  const auto enabled = session->library_->call(session->library_->functions().enable, p);
  if (!enabled) return Unexpected(enabled.error());
  session->object_ = p.object;
  return session;
}

RangeSession::~RangeSession() {
  if (object_ != nullptr) static_cast<void>(simple(library_->functions().disable));
}

Result<void> RangeSession::simple(const EntryPoint<RangeOnly>& entry) {
  RangeOnly p;
  p.object = object_;
  return library_->call(entry, p);
}

Result<Bytes> RangeSession::counter_data(const std::vector<std::string>& metrics) {
  auto names = c_names(metrics);
  CounterDataSize size;
  size.object = object_;
  size.metrics = names.data();
  size.metric_count = names.size();
  if (auto sized = library_->call(library_->functions().counter_data_size, size); !sized) {
    return Unexpected(sized.error());
  }
  Bytes data(size.bytes);
  CounterDataInitialize initialize;
  initialize.object = object_;
  initialize.bytes = data.size();
  initialize.data = data.data();
  const auto made = library_->call(library_->functions().counter_data_initialize, initialize);
  if (!made) return Unexpected(made.error());
  return data;
}

Result<void> RangeSession::set_config(const Bytes& config, Bytes& data) {
  RangeSetConfig p;
  p.object = object_;
  p.config_bytes = config.size();
  p.config = config.data();
  p.counter_data_bytes = data.size();
  p.counter_data = data.data();
  return library_->call(library_->functions().set_config, p);
}

Result<void> RangeSession::run_in_range(const std::function<Result<void>()>& launch) {
  RangePush push;
  push.object = object_;
  push.name = "truewatt";
  if (auto pushed = library_->call(library_->functions().push, push); !pushed) return pushed;
  auto launched = launch();
  // What was launched belongs to the range only if it has ended before the range does.
  const int waited = driver_.synchronize != nullptr ? driver_.synchronize() : 0;
  auto popped = simple(library_->functions().pop);
  if (!launched) return launched;
  if (waited != 0) {
    return Unexpected(Errc::device,
                      fmt::format("the work that is counted failed: cuCtxSynchronize answers {}; "
                                  "dmesg shows the driver's Xid message",
                                  waited));
  }
  return popped;
}

/// Whether all passes are done.
Result<bool> RangeSession::one_pass(const std::function<Result<void>()>& launch) {
  // Work that is still under way is not of the range.
  if (driver_.synchronize != nullptr) driver_.synchronize();
  if (auto started = simple(library_->functions().start); !started) {
    return Unexpected(started.error());
  }
  const auto ran = run_in_range(launch);
  RangeStop stop;
  stop.object = object_;
  const auto stopped = library_->call(library_->functions().stop, stop);
  if (!ran) return Unexpected(ran.error());
  if (!stopped) return Unexpected(stopped.error());
  return stop.all_passes_submitted != 0;
}

Result<void> RangeSession::decode(const Bytes& data) {
  RangeDecode p;
  p.object = object_;
  if (auto decoded = library_->call(library_->functions().decode, p); !decoded) return decoded;
  CounterDataInfo info;
  info.data = data.data();
  info.bytes = data.size();
  if (auto told = library_->call(library_->functions().counter_data_info, info); !told) return told;
  if (p.dropped_ranges == 0 && info.ranges == 1) return {};
  return Unexpected(Errc::device, fmt::format("CUPTI counted {} ranges and dropped {} where there "
                                              "was one; count less work at a time ({})",
                                              info.ranges, p.dropped_ranges, library_->path()));
}

Result<Bytes> RangeSession::count(const std::vector<std::string>& metrics, const Bytes& config,
                                  std::size_t most_passes,
                                  const std::function<Result<void>()>& launch) {
  auto data = counter_data(metrics);
  if (!data) return data;
  if (auto set = set_config(config, *data); !set) return Unexpected(set.error());
  bool is_done = false;
  for (std::size_t pass = 0; pass < most_passes && !is_done; ++pass) {
    const auto ended = one_pass(launch);
    if (!ended) return Unexpected(ended.error());
    is_done = *ended;
  }
  if (!is_done) {
    return Unexpected(Errc::device,
                      fmt::format("CUPTI asks for more than the {} passes that it announced ({})",
                                  most_passes, library_->path()));
  }
  if (auto decoded = decode(*data); !decoded) return Unexpected(decoded.error());
  return data;
}

}  // namespace truewatt::counters::cupti
