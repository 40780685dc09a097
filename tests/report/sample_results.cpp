#include "tests/report/sample_results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace truewatt::report {
namespace {

using energy::EnergyEstimate;
using energy::EnergyInterval;
using energy::Reason;

constexpr SourceId kRunInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kRunAverage{SourceKind::power_average, Scope::gpu};
constexpr SourceId kRunUsage{SourceKind::power_usage, Scope::gpu};
constexpr SourceId kRunCounter{SourceKind::energy_counter, Scope::gpu};

EnergyInterval energy_of(Uncertain joules) {
  return {interval95(joules), joules.standard_uncertainty};
}

HostTime at_second(double t_s) { return HostTime(to_nanoseconds(Seconds(t_s))); }

/// A square wave of power between 60 W and 300 W, from 1 s on, and its exact integral.
struct SquareWave {
  double period_s = 0.4;
  double end_s = 4.2;

  double power(double t) const {
    const double phase = std::fmod(t - 1.0, period_s);
    return t >= 1.0 && t < end_s && phase < 0.5 * period_s ? 300.0 : 60.0;
  }
  double joules(double t) const {
    const double on = std::clamp(t, 1.0, end_s) - 1.0;
    const double periods = std::floor(on / period_s);
    const double busy =
        periods * 0.5 * period_s + std::min(on - periods * period_s, 0.5 * period_s);
    return 60.0 * t + 240.0 * busy;
  }
  double mean(double begin, double length) const {
    return (joules(begin + length) - joules(begin)) / length;
  }
};

/// Small, repeatable and without a pattern that the eye could find.
double ripple(std::size_t k) { return 1.5 * std::sin(12.9898 * static_cast<double>(k * k % 8191)); }

struct Boxcar {
  double period_s = 0.1;
  double window_s = 0.025;
};

Trace power_trace(SourceId source, const SquareWave& wave, const Boxcar& boxcar) {
  Trace trace{source, at_second(0.0), at_second(6.0), {}, {}, 6000};
  const auto ticks = static_cast<std::size_t>(5.97 / boxcar.period_s);
  for (std::size_t k = 0; k <= ticks; ++k) {
    const double t = 0.03 + boxcar.period_s * static_cast<double>(k);
    const double value = wave.mean(t - boxcar.window_s, boxcar.window_s) + ripple(k);
    trace.samples.push_back({at_second(t - 0.001), at_second(t), std::nullopt, value});
  }
  return trace;
}

Trace counter_trace(const SquareWave& wave) {
  Trace trace{kRunCounter, at_second(0.0), at_second(6.0), {}, {}, 6000};
  for (int k = 0; k < 120; ++k) {
    const double t = 0.01 + 0.05 * k;
    trace.samples.push_back(
        {at_second(t - 0.001), at_second(t), std::nullopt, 1000.0 + wave.joules(t)});
  }
  return trace;
}

Curve true_power(const SquareWave& wave) {
  Curve curve{"true power", {}};
  for (int k = 0; k <= 600; ++k) curve.points.push_back({0.01 * k, wave.power(0.01 * k)});
  return curve;
}

DeviceIdentity device(int index) {
  return {index, "sim:a100", "GPU-0f5c6f0e-1d3b-5a77-9a51-3f7f0c1b2a3" + std::to_string(index),
          "00000000:1B:00." + std::to_string(index), "simulated"};
}

EnergyEstimate resolved_estimate() {
  EnergyEstimate e;
  e.device = device(0);
  e.window = Seconds(3.2);
  e.energy = energy_of({576.4, 9.6});
  e.net_energy = energy_of({384.4, 9.7});
  e.mean_power = Watts(180.125);
  e.baseline = Watts(60.0);
  e.source = kRunCounter;
  e.method = energy::Method::smoothing;
  e.observed_fraction = 1.0;
  e.budget = {{uncertainty::Cause::gain, 9.41},
              {uncertainty::Cause::tick_brackets, 1.7},
              {uncertainty::Cause::baseline, 0.62},
              {uncertainty::Cause::quantum, 0.02}};
  e.naive_j = {{"energy.counter", 579.0},
               {"power.average", 488.2},
               {"power.instant", 701.6},
               {"power.usage", 493.7}};
  const SourceId usage{SourceKind::power_usage, Scope::gpu};
  e.readers = {{energy::Reader::sma, usage, Joules(493.2), Seconds(3.2)},
               {energy::Reader::papi, usage, Joules(801.0), Seconds(3.2)},
               {energy::Reader::mtsm, usage, Joules(401.5), Seconds(1.6)},
               {energy::Reader::k20power, usage, std::nullopt, Seconds(3.2)}};
  e.truth = Joules(576.0);
  e.valid = true;
  e.resolved = true;
  e.reasons = {Reason::uncalibrated_gain};
  return e;
}

EnergyEstimate unresolved_estimate() {
  EnergyEstimate e = resolved_estimate();
  e.device = device(1);
  e.energy = energy_of({701.6, 92.3});
  e.net_energy = energy_of({509.6, 92.4});
  e.source = kRunInstant;
  e.method = energy::Method::smoothing;
  e.observed_fraction = 0.25;
  e.budget = {{uncertainty::Cause::unobserved, 91.5}, {uncertainty::Cause::gain, 12.0}};
  e.naive_j = {{"power.instant", 703.9}};
  e.resolved = false;
  e.profile = energy::ProfileUse{.from_catalogue = true, .covers_source = true, .agrees = true};
  e.reasons = {Reason::from_catalogue, Reason::uncalibrated_gain, Reason::phase_lock_not_excluded,
               Reason::uncertainty_above_target};
  e.needs = Seconds(21.4);
  return e;
}

EnergyEstimate unknown_estimate() {
  EnergyEstimate e;
  e.device = device(1);
  e.window = Seconds(0.012);
  e.naive_j = {{"power.instant", std::numeric_limits<double>::quiet_NaN()}};
  e.reasons = {Reason::window_too_short, Reason::no_readings_in_window};
  return e;
}

Recording square_recording() {
  const SquareWave wave;
  Recording recording;
  recording.device = device(0);
  recording.traces = {power_trace(kRunInstant, wave, {0.1, 0.025}),
                      power_trace(kRunAverage, wave, {0.1, 1.0}),
                      power_trace(kRunUsage, wave, {0.1, 1.0}), counter_trace(wave)};
  for (Sample& sample : recording.traces[2].samples) sample.value = std::round(sample.value + 3.0);
  recording.windows = {{at_second(1.0), at_second(4.2), "load"}};
  for (int k = 0; k < 8; ++k) {
    recording.activity.push_back(
        {at_second(1.0 + 0.4 * k), at_second(1.2 + 0.4 * k), {.level = 1.0}});
  }
  return recording;
}

Section square_section() {
  Section section;
  section.title = "Square wave on sim:a100";
  section.text =
      "A load that runs for 200 ms and rests for 200 ms, eight times. The power sensor looks "
      "at_second "
      "25 ms of every 100 ms.";
  section.origin = at_second(0.0);
  section.recording = square_recording();
  section.estimates = {resolved_estimate()};
  section.curves = {true_power(SquareWave{})};
  section.tables = {
      {"Observation model used",
       {"Source", "Update period", "Averaging window"},
       {{"power.instant", "100.0 ms", "25.0 ms"}, {"power.average", "100.0 ms", "1.000 s"}}}};
  return section;
}

/// Of the first of three estimates; work in step with a source that looks at_second half of its
/// period.
measure::EstimateFigures sample_figures() {
  measure::EstimateFigures figures;
  figures.origin = at_second(1.0);
  figures.powers = {energy::ReconstructedPower{.sources = {kRunInstant}}, std::nullopt,
                    std::nullopt};
  measure::CorrectedPower corrected{.source = kRunInstant};
  for (int i = 0; i <= 40; ++i) {
    const double t = 0.05 * i - 0.4;
    const double power = t > 0 && t < 1.2 ? 300.0 : 100.0;
    figures.powers[0]->t_s.push_back(t);
    figures.powers[0]->power_w.push_back(power);
    figures.powers[0]->sd_w.push_back(i % 10 == 0 ? 12.0 : 3.0);
    corrected.t_s.push_back(t);
    corrected.reading_w.push_back(power - 30.0);
    corrected.corrected_w.push_back(power + (i % 2 == 0 ? 10.0 : -10.0));
  }
  figures.corrected = {corrected};
  energy::PhaseHistogram phases{.source = kRunInstant, .update_period_s = 0.1, .readings = 12};
  for (int i = 0; i < 50; ++i) {
    phases.work.push_back(i >= 10 && i < 25 ? 1.0 : 0.0);
    phases.looks.push_back(i < 25 ? 2.0 : 0.0);
  }
  phases.ran = 0.3;
  phases.seen = 0.6;
  figures.phases = {phases};
  return figures;
}

Section windows_section() {
  Section section = square_section();
  section.figures = sample_figures();
  section.title = kHostileName;
  section.text = "Three estimates beside each other: resolved, not resolved, and unknown.";
  Recording& recording = section.recording;
  recording.traces.resize(1);
  recording.traces[0].gaps = {{at_second(2.5), at_second(3.1), "timed_out"}};
  auto& samples = recording.traces[0].samples;
  std::erase_if(samples,
                [](const Sample& s) { return s.seen > at_second(2.5) && s.seen < at_second(3.1); });
  recording.windows = {{at_second(1.0), at_second(2.2), "first run"},
                       {at_second(2.6), at_second(3.4), "second run"},
                       {at_second(3.8), at_second(3.812), kHostileName}};
  recording.events = {{at_second(2.5), Coded<EventKind>::read("gap_in_readings", parse_event_kind),
                       "power.instant did not answer for 600 ms"}};
  section.estimates = {resolved_estimate(), unresolved_estimate(), unknown_estimate()};
  section.curves.push_back({"meter", section.curves[0].points});
  for (CurvePoint& point : section.curves[1].points) point.power_w *= 1.02;
  return section;
}

Section long_section() {
  Section section;
  section.title = "A long recording";
  section.text = "Fifty minutes at_second 100 readings per second: more than a chart can show.";
  section.origin = at_second(0.0);
  section.recording.device = device(0);
  Trace trace{kRunUsage, at_second(0.0), at_second(3000.0), {}, {}, 900'000};
  for (std::size_t k = 0; k < 300'000; ++k) {
    const double t = 0.01 * static_cast<double>(k);
    const bool on = std::fmod(t, 600.0) > 200.0;
    trace.samples.push_back(
        {at_second(t), at_second(t + 0.001), std::nullopt, (on ? 420.0 : 90.0) + ripple(k)});
  }
  section.recording.traces = {std::move(trace)};
  section.recording.windows = {{at_second(200.0), at_second(3000.0), "command"}};
  EnergyEstimate estimate = unresolved_estimate();
  estimate.device = device(0);
  estimate.truth.reset();
  section.estimates = {estimate};
  return section;
}

analyze::AnalyzedWindow analyzed_window(double begin_s, double length_s) {
  analyze::AnalyzedWindow window;
  window.begin_s = begin_s;
  window.end_s = begin_s + length_s;
  window.naive_j = 250.0 * length_s;
  window.energy_j = interval95({262.4 * length_s, 1.1 * length_s});
  window.meter_j = 261.9 * length_s;
  window.plateau = {Watts(262.31), Watts(261.87)};
  return window;
}

}  // namespace

measure::EnergyRun sample_run() {
  measure::EnergyRun run;
  run.tool_version = "0.1.0";
  run.start = DriverTime(std::chrono::milliseconds(1'689'325'827'417));
  run.load = "square:period=400ms,duty=0.5,duration=3.2s,level=1";
  run.devices = {resolved_estimate(), unknown_estimate()};
  run.notes = {"the profile of sim:a100 in the catalogue was used",
               "GPU 1: the window is shorter than one update period of every source, so that "
               "nothing can be said about its energy"};
  return run;
}

measure::EnergyRun sample_command_run() {
  measure::EnergyRun run = sample_run();
  run.load.clear();
  run.command = measure::CommandResult{{"python3", "train my model.py", kHostileName}, 3};
  run.devices = {unresolved_estimate()};
  run.devices[0].truth.reset();
  run.total = {run.devices[0].energy, run.devices[0].net_energy};
  run.notes.clear();
  return run;
}

measure::EnergyRun sample_node_run() {
  measure::EnergyRun run = sample_command_run();
  const auto host = [](SourceId source, std::optional<Uncertain> joules, std::string label) {
    EnergyEstimate e;
    e.device = {0, "CPU package 0 (RAPL)", "HOST-rapl-0", "", "powercap"};
    e.window = Seconds(3.2);
    e.source = source;
    e.valid = true;
    e.reasons = {joules ? Reason::uncalibrated_host : Reason::permission_denied};
    if (joules) {
      e.energy = energy_of(*joules);
      e.method = energy::Method::count_difference;
      e.resolved = true;
    }
    return energy::NodeSource{.estimate = e, .scope = source.scope, .label = std::move(label)};
  };
  energy::NodeSource gpu{.estimate = run.devices[0], .label = "GPU 1 (sim:a100)", .added = true};
  energy::NodeSource package = host({SourceKind::energy_counter, Scope::cpu},
                                    Uncertain{412.5, 20.7}, "CPU package 0 (RAPL)");
  energy::NodeSource dram = host({SourceKind::energy_counter, Scope::memory}, Uncertain{31.25, 3.2},
                                 "DRAM of CPU package 0 (RAPL)");
  energy::NodeSource platform =
      host({SourceKind::energy_counter, Scope::module}, std::nullopt, "platform (RAPL psys)");
  platform.part = energy::NodePart::platform;
  platform.estimate.device = {1, "platform (RAPL psys)", "HOST-rapl-1", "", "powercap"};
  platform.refusal =
      "no permission to read /sys/class/powercap/intel-rapl:1/energy_uj; who administers this "
      "machine may run `chmod o+r /sys/class/powercap/intel-rapl:1/energy_uj`";
  package.added = dram.added = true;
  energy::NodeEnergy node{.sources = {gpu, package, dram, platform},
                          .energy = energy_of({1145.35, 95.2}),
                          .covers = {gpu.label, package.label, dram.label},
                          .valid = true,
                          .reasons = {Reason::uncalibrated_host}};
  run.node = std::move(node);
  return run;
}

analyze::Analysis sample_analysis() {
  analyze::Analysis analysis;
  analysis.tool_version = "0.1.0";
  analysis.path = "square_a100/gpudata.csv";
  analysis.format = "sc24 folder";
  analysis.rows = 12345;
  analysis.bad_rows = 3;
  analyze::AnalyzedSource metered{kRunUsage, 1204, interval95({0.1001, 0.00005}), {}, {}, {}, {}};
  metered.fit = identification::SourceFit{interval95({0.025, 0.0005}), interval95({0.002, 0.0004}),
                                          std::nullopt, interval95({0.9512, 0.0021}),
                                          interval95({-1.3, 0.4})};
  metered.windows = {analyzed_window(1.25, 6.0), analyzed_window(10.5, 0.25)};
  metered.windows[1].plateau = {};
  metered.windows[1].energy_j.reset();
  metered.windows[1].reasons = {Reason::window_too_short, Reason::no_idle_padding};
  analyze::AnalyzedSource plain_source{kRunCounter, 88, std::nullopt, std::nullopt, {}, {}, {}};
  plain_source.reasons = {NoModelReason::energy_counter};
  for (int k = 0; k < 45; ++k) plain_source.windows.push_back(analyzed_window(2.0 * k, 1.0));
  for (auto& window : plain_source.windows) window.meter_j.reset();
  for (auto& window : plain_source.windows) window.plateau.meter.reset();
  analysis.sources = {metered, plain_source};
  analyze::AnalyzedWhole whole{.busy_s = 45.0, .window_count = 45, .meter_j = 11750.0};
  whole.estimate.window = Seconds(90.0);
  whole.estimate.energy = energy::EnergyInterval{interval95({11808.0, 61.0}), 61.0};
  whole.estimate.net_energy = energy::EnergyInterval{Interval{9400.0, 9200.0, 9800.0, 0.95}, 150.0};
  whole.estimate.baseline = Watts(26.75);
  whole.estimate.source = kRunCounter;
  whole.estimate.method = energy::Method::smoothing;
  whole.estimate.readers = {{energy::Reader::papi, kRunUsage, Joules(12903.0), Seconds(90.0)},
                            {energy::Reader::k20power, kRunUsage, Joules(11500.0), Seconds(88.0)}};
  whole.estimate.valid = true;
  whole.estimate.reasons = {Reason::uncalibrated_gain};
  analysis.combined = whole;
  analysis.notes = {"the log stamps whole milliseconds"};
  return analysis;
}

CatalogueView sample_catalogue() {
  SourceProfile filter{.source = kRunUsage};
  filter.update_period_s = interval95({0.10125, 0.00005});
  filter.time_constant_s = interval95({0.013, 0.0002});
  filter.response = ResponseClass::exponential;
  SourceProfile short_window{.source = kRunInstant};
  short_window.update_period_s = interval95({0.1, 0.0001});
  short_window.averaging_window_s = interval95({0.0165, 0.0003});
  short_window.response = ResponseClass::instant;
  SourceProfile average = short_window;
  average.source = kRunAverage;
  average.averaging_window_s = interval95({1.015, 0.005});
  SourceProfile unresolved{.source = kRunUsage};
  unresolved.update_period_s = interval95({0.1, 0.0001});
  const Profile profile{
      .device = {.name = "NVIDIA A100-PCIE-40GB", .driver = "535.104.05"},
      .sources = {filter, short_window, average, unresolved, SourceProfile{.source = kRunCounter}}};
  CatalogueView view = catalogue_view(profile.device.name).value_or(CatalogueView{});
  view.profile = ComparedProfile{"a100.json", profile.device, catalogue::Family::ga100,
                                 catalogue::compare(profile)};
  return view;
}

Page sample_page() {
  Page page;
  page.title = "truewatt: report of a synthetic run";
  page.text = "Power readings of simulated GPUs, turned into joules with their uncertainty.";
  page.sections = {square_section(), windows_section(), long_section()};
  page.metadata = {{"truewatt", "0.1.0"},
                   {"Device", "sim:a100, GPU-0f5c6f0e-1d3b-5a77-9a51-3f7f0c1b2a30"},
                   {"Driver", "simulated"},
                   {"Started", "2023-07-14T09:10:27.417Z"},
                   {"Command", kHostileName}};
  page.gain_standard_uncertainty = 0.05 / kCoverageFactor95;
  return page;
}

}  // namespace truewatt::report
