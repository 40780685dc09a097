#include "truewatt/report/profile/source_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/profile/profile_words.hpp"

namespace truewatt::report {
namespace {

using characterize::SourceFigures;

/// A mark on the x axis: a dashed line, and a shaded interval.
Json guide(const std::string& label, const Interval& interval, double factor) {
  return {{"label", label},
          {"x", json_of(interval.value * factor)},
          {"lower", json_of(interval.lower * factor)},
          {"upper", json_of(interval.upper * factor)}};
}

/// Whether the axis goes on to twice the period.
bool shows_equal_values(const characterize::IntervalHistogram& histogram, const Interval& period) {
  const double end =
      histogram.first_s + static_cast<double>(histogram.counts.size()) * histogram.bin_s;
  return end > 2 * period.value;
}

Figure period_figure(const SourceFigures& source, const SourceProfile& profile) {
  const characterize::IntervalHistogram& histogram = *source.intervals;
  Json bars = xy_series("intervals", role_of(source.source.kind), "steps");
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    x.push_back(histogram.first_s + static_cast<double>(i) * histogram.bin_s);
    y.push_back(static_cast<double>(histogram.counts[i]));
  }
  x.push_back(histogram.first_s + static_cast<double>(histogram.counts.size()) * histogram.bin_s);
  y.push_back(0.0);
  bars["x"] = numbers(x, kMs);
  bars["y"] = numbers(y);
  const std::string period = milliseconds(profile.update_period_s) + " ms";
  Figure figure{.title = "How often it updates"};
  figure.caption = fmt::format(
      "Times between one new value and the next (ms, in bins of {:g} ms): they gather at the "
      "update period, {} (dashed){}. Their median, the published procedure's period, is {} ms",
      histogram.bin_s * kMs, period,
      shows_equal_values(histogram, *profile.update_period_s)
          ? "; those at twice that are of values that came out equal twice"
          : "",
      plain(histogram.median_s * kMs, 4));
  if (histogram.outside > 0) {
    figure.caption += fmt::format(" ({} beyond the axis)", histogram.outside);
  }
  figure.caption += ". As in Fig. 6 of Yang et al.";
  figure.description = "Histogram of the times between new values, update period " + period;
  figure.data = {{"x_label", "time between new values in ms"},
                 {"y_label", "how many"},
                 {"zero", true},
                 {"series", Json::array({bars})},
                 {"guides", Json::array({guide("update period", *profile.update_period_s, kMs)})}};
  return figure;
}

std::string_view answer_in_words(const Coded<ResponseClass>& response) {
  if (!response.known()) return "its class is not known";
  switch (*response.known()) {
    case ResponseClass::instant:
      return "the next reading is already at the new power";
    case ResponseClass::ramp:
      return "the readings climb in a line as long as the averaging window";
    case ResponseClass::exponential:
      return "the readings climb ever more slowly, like a capacitor";
    case ResponseClass::estimated:
      return "the readings are computed from the work and do not show what the board draws";
  }
  return "";
}

Figure step_figure(const SourceFigures& source, const SourceProfile& profile) {
  Json data = {{"x_label", "time since the load began in s"}, {"y_label", "power in W"}};
  Json all = Json::array();
  std::size_t number = 0;
  bool unfitted = false;
  for (const characterize::StepReadings& step : source.steps->steps) {
    ++number;
    Json one = step.fitted ? xy_series("readings", role_of(source.source.kind), "points")
                           : xy_series("first step, not fitted", "curve", "points");
    unfitted = unfitted || !step.fitted;
    one["x"] = numbers(step.since_s);
    one["y"] = numbers(step.power_w);
    all.push_back(std::move(one));
  }
  const characterize::StepReadings& model = source.steps->model;
  if (!model.since_s.empty()) {
    Json line = xy_series("model", "model", "line");
    line["x"] = numbers(model.since_s);
    line["y"] = numbers(model.power_w);
    all.push_back(std::move(line));
  }
  data["series"] = std::move(all);
  data["guides"] = Json::array();
  const std::string name = profile.response.empty() ? "unknown" : profile.response.code();
  Figure figure{.title = "How it answers a step: " + name, .data = std::move(data)};
  figure.caption = fmt::format(
      "{} (W over s since the load began), and what the fitted sensor would show at any moment: "
      "{}.",
      number == 1 ? "One step of the load"
                  : fmt::format("{} steps of the load laid over each other", number),
      answer_in_words(profile.response));
  if (unfitted) figure.caption += " The first step also woke the device and was not fitted.";
  figure.caption += " As in Fig. 7 of Yang et al.";
  figure.description = "Readings after a step of the load, response " + name;
  return figure;
}

Json load_json(const std::vector<characterize::LoadStretch>& load) {
  Json stretches = Json::array();
  for (const characterize::LoadStretch& one : load) {
    stretches.push_back({{"begin", tenth_ms(one.begin_s)}, {"end", tenth_ms(one.end_s)}});
  }
  return stretches;
}

Json trace_series(std::string_view name, std::string_view role, bool points) {
  return {{"name", name},     {"role", role},       {"steps", false},
          {"points", points}, {"t", Json::array()}, {"v", Json::array()}};
}

void append_power(Json& one, double t_s, double power_w) {
  one["t"].push_back(tenth_ms(t_s));
  one["v"].push_back(centi(power_w));
}

/// So many usual steps from one reading to the next are a pause, which no line crosses.
constexpr double kPause = 5.0;

double usual_step(const std::vector<characterize::ModelledReading>& readings) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    steps.push_back(readings[i].t_s - readings[i - 1].t_s);
  }
  if (steps.empty()) return 0.0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

/// What both charts of a reconstruction share: where to look first, and that they move together.
Json linked_trace(const characterize::Reconstruction& drawn, Json all) {
  return {{"series", std::move(all)},
          {"windows", Json::array()},
          {"activity", Json::array()},
          {"link", "reconstruction"},
          {"view", Json::array({tenth_ms(drawn.view.begin_s), tenth_ms(drawn.view.end_s)})}};
}

Figure reconstruction_figure(const SourceFigures& source) {
  const characterize::Reconstruction& drawn = *source.reconstruction;
  Json readings = trace_series("readings", role_of(source.source.kind), true);
  Json model = trace_series("fitted model", "model", false);
  const double pause = kPause * usual_step(drawn.readings);
  double before = drawn.readings.front().t_s;
  for (const characterize::ModelledReading& one : drawn.readings) {
    if (one.t_s - before > pause) {
      model["t"].push_back(tenth_ms((before + one.t_s) / 2));
      model["v"].push_back(nullptr);
    }
    before = one.t_s;
    append_power(model, one.t_s, one.model_w);
    append_power(readings, one.t_s, one.reading_w);
  }
  Figure figure{.kind = FigureKind::trace, .title = "Random work, and the model's readings of it"};
  figure.data = linked_trace(drawn, Json::array({model, readings}));
  figure.data["activity"] = load_json(drawn.load);
  figure.wide = true;
  figure.caption =
      "Readings (dots) while the load came and went at random (bars at the foot), and what the "
      "fitted sensor would have shown (line), in W over s: where the dots lie on the line, the "
      "model explains the sensor. As in Fig. 11 of Yang et al.";
  if (drawn.readings.size() < drawn.fitted) {
    figure.caption += fmt::format(" The first {} of {} fitted readings are drawn.",
                                  drawn.readings.size(), drawn.fitted);
  }
  figure.description = "Chart of readings and of the fitted model's readings over time";
  return figure;
}

Figure residual_figure(const SourceFigures& source) {
  const characterize::Reconstruction& drawn = *source.reconstruction;
  Json residuals = trace_series("reading minus model", role_of(source.source.kind), true);
  for (const characterize::ModelledReading& one : drawn.readings) {
    append_power(residuals, one.t_s, one.reading_w - one.model_w);
  }
  Figure figure{.kind = FigureKind::trace, .title = "What the model leaves over"};
  figure.data = linked_trace(drawn, Json::array({residuals}));
  figure.data["y_label"] = "residual in W";
  figure.data["follows"] = true;
  figure.wide = true;
  figure.caption = fmt::format(
      "Each reading minus the model's (W over s; moves with the chart above): a band without a "
      "pattern, mostly within ±{} W, is noise and no more; the model explains the rest. As the "
      "lower panels of Fig. 9 of Yang et al.",
      plain(2 * drawn.rms_w, 2));
  figure.description = "Chart of the residuals over time";
  return figure;
}

std::string window_in_words(const Interval& window) {
  return window.lower > 0
             ? milliseconds(window) + " ms (dashed; shaded: its 95 % interval)"
             : fmt::format("anything below {} ms (shaded: 95 %)", plain(window.upper * kMs, 2));
}

Figure loss_figure(const SourceFigures& source) {
  Json all = Json::array();
  for (const characterize::LossCurve& curve : source.losses) {
    const bool fitted = all.empty();
    Json line = xy_series(curve.name, fitted ? role_of(source.source.kind) : "curve",
                          fitted ? "line" : "dashes");
    std::vector<double> x;
    std::vector<double> y;
    for (const characterize::LossPoint& point : curve.points) {
      x.push_back(point.window_s);
      y.push_back(point.rms_w);
    }
    line["x"] = numbers(x, kMs);
    line["y"] = numbers(y);
    all.push_back(std::move(line));
  }
  const Interval& window = *source.window_s;
  Json mark = guide("window", window, kMs);
  if (window.lower <= 0) mark["x"] = nullptr;
  Figure figure{.title = "Loss over the averaging window"};
  figure.caption = fmt::format(
      "What stays unexplained (rms of the residuals, W) if the averaging window were as long as "
      "the axis says (ms) and all else were fitted anew: the readings are explained best by {}. "
      "As in Fig. 12 of Yang et al.",
      window_in_words(window));
  figure.description = "Residuals over the averaging window, least at " + window_in_words(window);
  figure.data = {{"x_label", "averaging window in ms"},
                 {"y_label", "residuals, rms in W"},
                 {"log_x", true},
                 {"zero", true},
                 {"series", std::move(all)},
                 {"guides", Json::array({mark})}};
  return figure;
}

std::string watts(double power) { return plain(power, power < 10 ? 2 : 3) + " W"; }

Figure structure_figure(const SourceFigures& source) {
  Json bars = Json::array();
  for (const characterize::StructureFit& one : source.structures) {
    const std::string bic =
        one.bic_above < 0.5 ? std::string("least BIC") : fmt::format("BIC +{:.0f}", one.bic_above);
    bars.push_back({{"name", one.chosen ? one.name + " (chosen)" : one.name},
                    {"text", watts(one.rms_w) + ", " + bic},
                    {"value", centi(one.rms_w)},
                    {"role", one.chosen ? "chosen" : "other"}});
  }
  Figure figure{.kind = FigureKind::bars, .title = "Window or filter?"};
  figure.caption =
      "What each kind of sensor leaves unexplained (rms of the residuals, W): shorter is better. "
      "Of "
      "those with a window the simplest is chosen that no other beats by a BIC of 10; the filter "
      "alone and the point samples are what is left when the window is nothing.";
  figure.description = "Bar chart of the residuals by kind of sensor; the table below has them";
  figure.data = {{"bars", std::move(bars)}, {"axis", "residuals, rms in W"}};
  return figure;
}

}  // namespace

std::vector<Figure> figures_of(const SourceFigures& source, const SourceProfile& profile) {
  std::vector<Figure> figures;
  if (source.intervals && profile.update_period_s) {
    figures.push_back(period_figure(source, profile));
  }
  if (source.steps) figures.push_back(step_figure(source, profile));
  if (source.reconstruction && !source.reconstruction->readings.empty()) {
    figures.push_back(reconstruction_figure(source));
    figures.push_back(residual_figure(source));
  }
  if (source.window_s && !source.losses.empty()) figures.push_back(loss_figure(source));
  if (!source.structures.empty()) figures.push_back(structure_figure(source));
  return figures;
}

}  // namespace truewatt::report
