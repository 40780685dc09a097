// Raw polls through the dropping of repeats and the padded sum, per second of one core, and what is
// in memory meanwhile. Polls every 1 ms and every 10 us of a source that updates every 100 ms; and,
// the worst case, one that shows another value at every poll.
#include <benchmark/benchmark.h>

#include <vector>

#include "truewatt/energy/padded_stream.hpp"

namespace {

using namespace truewatt::energy;

constexpr std::size_t kBatch = 100'000;

void stream(benchmark::State& state, double poll_s, double update_s) {
  PaddedInput input;
  input.begin = 0.0;
  input.end = 1e12;
  input.update_period = update_s;
  PaddedStream stream(input, false);
  std::vector<Poll> polls(kBatch);
  const auto per_update = static_cast<std::size_t>(update_s / poll_s + 0.5);
  for (std::size_t i = 0; i < kBatch; ++i) {
    polls[i].value = 200.0 + static_cast<double>((i / per_update) % 97);
  }
  double t = 0.0;
  for (auto _ : state) {
    state.PauseTiming();
    for (Poll& poll : polls) {
      poll.before = t;
      poll.time = t + poll_s / 10;
      t += poll_s;
    }
    state.ResumeTiming();
    stream.push(polls);
  }
  state.counters["polls/s"] = benchmark::Counter(static_cast<double>(state.iterations() * kBatch),
                                                 benchmark::Counter::kIsRate);
  state.counters["polls"] = static_cast<double>(state.iterations() * kBatch);
  state.counters["kept"] = static_cast<double>(stream.kept());
}

BENCHMARK_CAPTURE(stream, every_ms_of_100, 1e-3, 0.1);
BENCHMARK_CAPTURE(stream, every_10us_of_100ms, 1e-5, 0.1);
BENCHMARK_CAPTURE(stream, every_poll_another_value, 1e-3, 1e-3);

}  // namespace

BENCHMARK_MAIN();
