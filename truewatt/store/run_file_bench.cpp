// Samples written to and read from a run file, per second of one core. `--benchmark_min_time=2`
// for steadier numbers; TMPDIR chooses the disk.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "truewatt/store/run_file.hpp"

namespace {

using namespace truewatt;
using namespace truewatt::store;

constexpr SourceId kSource{SourceKind::power_instant, Scope::gpu};
constexpr std::size_t kPerCommit = 10'000;
constexpr int kCommits = 100;

std::filesystem::path bench_file() {
  return std::filesystem::temp_directory_path() /
         ("truewatt-store-bench-" + std::to_string(getpid()) + ".db");
}

/// A second of readings as a busy capture hands them over: every 100 us, with stamps.
std::vector<Sample> samples_of_second(int second) {
  std::vector<Sample> samples(kPerCommit);
  for (std::size_t i = 0; i < kPerCommit; ++i) {
    const auto t = Nanoseconds(1'700'000'000'000'000LL + second * 1'000'000'000LL +
                               static_cast<std::int64_t>(i) * 100'000);
    samples[i] = {HostTime(t - Nanoseconds(70'001)), HostTime(t),
                  DriverTime(t + std::chrono::hours(400'000)),
                  217.123 + static_cast<double>(i % 977) * 0.1};
  }
  return samples;
}

void write_file(bool survive_power_cut) {
  auto writer = RunFileWriter::create(bench_file(), {{"load", "bench"}}, {survive_power_cut});
  const std::vector<SourceId> sources = {kSource};
  const auto device = writer->add_device({.name = "bench", .uuid = "GPU-0"}, sources);
  bool good = device.has_value();
  for (int second = 0; second < kCommits; ++second) {
    const auto samples = samples_of_second(second);
    good = good && writer->append(*device, kSource, samples) && writer->commit();
  }
  if (!good || !writer->finish()) std::abort();
}

void report_rate(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kCommits * static_cast<int64_t>(kPerCommit));
  state.counters["bytes_per_sample"] =
      static_cast<double>(std::filesystem::file_size(bench_file())) /
      (kCommits * static_cast<double>(kPerCommit));
}

void write_samples(benchmark::State& state) {
  for (auto _ : state) write_file(state.range(0) != 0);
  report_rate(state);
  std::filesystem::remove(bench_file());
}
BENCHMARK(write_samples)
    ->ArgName("survive_power_cut")
    ->Arg(1)
    ->Arg(0)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void read_samples(benchmark::State& state) {
  write_file(false);
  for (auto _ : state) {
    auto file = read_run_file(bench_file());
    benchmark::DoNotOptimize(file);
  }
  report_rate(state);
  std::filesystem::remove(bench_file());
}
BENCHMARK(read_samples)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
