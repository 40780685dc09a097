#pragma once

#include <memory>
#include <string>
#include <vector>

#include "truewatt/counters/counters.hpp"
#include "truewatt/counters/cupti/cupti_library.hpp"
#include "truewatt/counters/cupti/host_profiler.hpp"
#include "truewatt/counters/cupti/range_session.hpp"
#include "truewatt/counters/metrics/metrics.hpp"

namespace truewatt::counters::cupti {

struct CuptiOptions {
  Wanted wanted;
  std::string path;  ///< of the library; empty: searched for (cupti_candidates)
};

/// Counters through CUPTI's range profiler (CUDA 12.6 and later, compute capability 7.5 and later),
/// of the CUDA context that is current on the thread that opens and counts; the context outlives
/// them. Nothing is enabled outside of count() and of rows of it, so that energy measured beside it
/// is undisturbed.
class CuptiCounters : public Counters {
 public:
  /// Opens CUPTI and asks what the chip counts. Errors: unavailable (no CUPTI, no context),
  /// unsupported (CUPTI or GPU too old, a configuration without counters), permission. A refusal
  /// often comes only with the first count().
  static Result<std::unique_ptr<CuptiCounters>> open(const CuptiOptions& options = {});
  /// The same through a library and a driver that are open.
  static Result<std::unique_ptr<CuptiCounters>> open_with(std::shared_ptr<const Library> library,
                                                          const Driver& driver,
                                                          const Wanted& wanted = {});

  std::string_view name() const override { return "cupti"; }
  Result<Counts> count(const std::function<Result<void>()>& launch) override;
  void begin_row() override { in_a_row_ = true; }
  void end_row() override;

  const std::string& chip() const { return chip_; }
  const MetricPlan& plan() const { return plan_; }
  std::size_t passes() const { return passes_; }
  /// The values of the latest count(), by metric.
  const MetricValues& values() const { return values_; }

 private:
  CuptiCounters(std::shared_ptr<const Library> library, const Driver& driver)
      : library_(std::move(library)), driver_(driver) {}
  Result<int> find_device();
  Result<void> find_chip(int device);
  Result<void> prepare(const Wanted& wanted);
  Bytes availability() const;
  Result<Bytes> count_in_session(const std::function<Result<void>()>& launch);

  std::shared_ptr<const Library> library_;
  Driver driver_;
  Context context_ = nullptr;
  std::string chip_;
  std::unique_ptr<HostProfiler> host_;
  MetricPlan plan_;
  Bytes config_;
  std::size_t passes_ = 0;
  MetricValues values_;
  bool in_a_row_ = false;
  std::unique_ptr<RangeSession> session_;  ///< of the row
};

/// The same, opened with the first count(): the context may be made until then.
std::unique_ptr<Counters> make_cupti_counters(const CuptiOptions& options = {});

}  // namespace truewatt::counters::cupti
