// Energy of two phases of a program and of both together.
//
// usage: energy_scope [DEVICE]      default: a simulated A100, which works on its own meanwhile

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <truewatt/library/energy_meter.hpp>

namespace {

// Where a real program launches its kernels, and waits for them.
void work(std::chrono::milliseconds length) { std::this_thread::sleep_for(length); }

void print(const truewatt::WindowEnergy& window) {
  std::printf("%-8s %6.3f s  ", window.label.c_str(), window.window.count());
  if (window.energy) {
    std::printf("%8.2f J  [%.2f, %.2f]", window.energy->joules, window.energy->lower,
                window.energy->upper);
  } else {
    std::printf("unknown");
  }
  if (window.truth_j) std::printf("  (true: %.2f J)", *window.truth_j);
  for (const std::string& reason : window.reasons) std::printf("  %s", reason.c_str());
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  truewatt::EnergyMeterOptions options;
  options.devices = argc > 1 ? argv[1] : "sim:a100";
  if (options.devices.rfind("sim:", 0) == 0) {
    options.simulated_load = "burst:on=0.8s,gap=2s,count=3";
  }
  auto meter = truewatt::EnergyMeter::start(options);
  if (!meter) {
    std::fprintf(stderr, "energy_scope: %s\n", meter.error().message.c_str());
    return 1;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2800));  // idle: the baseline
  {
    const auto all = meter->scope("all");
    {
      const auto phase = meter->scope("first");
      work(std::chrono::milliseconds(800));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    const auto phase = meter->scope("second");
    work(std::chrono::milliseconds(800));
  }
  for (const truewatt::WindowEnergy& window : meter->stop()) print(window);
  return 0;
}
