#include "truewatt/report/energy/estimate_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/interval.hpp"
#include "truewatt/report/energy/html_estimate.hpp"
#include "truewatt/report/energy/section_curves.hpp"
#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

constexpr std::size_t kMostCurvePoints = 2000;  ///< of a curve
/// Of the whole recording, a part of which is drawn.
constexpr std::size_t kMostRecorded = 40000;

Json rounded(const std::vector<double>& values, double (*round)(double), double shift = 0.0) {
  Json array = Json::array();
  for (const double value : values) array.push_back(round(value + shift));
  return array;
}

Json trace_curve(std::string_view name, std::string_view role, Json t, Json v) {
  return {
      {"name", name}, {"role", role}, {"steps", false}, {"t", std::move(t)}, {"v", std::move(v)}};
}

std::string names_of(const std::vector<SourceId>& sources) {
  std::string names;
  for (const SourceId source : sources) {
    names += (names.empty() ? "" : ", ") + to_string(source);
  }
  return names;
}

/// A curve of the section's first chart belongs beside the estimate when it is the truth or shows
/// the power readings that the estimate rests on.
bool belongs(const ChartSeries& series, const energy::ReconstructedPower& power) {
  if (!series.steps) return true;
  return std::any_of(power.sources.begin(), power.sources.end(), [&series](SourceId source) {
    return !counts_energy(source) && to_string(source) == series.name;
  });
}

Json part_of(const ChartSeries& series, double from, double to) {
  std::vector<ChartPoint> points;
  for (const ChartPoint& point : series.points) {
    if (point.t_s >= from && point.t_s <= to) points.push_back(point);
  }
  Json t = Json::array();
  Json v = Json::array();
  for (const ChartPoint& point : decimated(points, kMostCurvePoints)) {
    t.push_back(micro(point.t_s));
    v.push_back(point.power_w ? Json(centi(*point.power_w)) : Json(nullptr));
  }
  const std::string name = series.steps ? series.name + ", as read" : series.name;
  Json part = trace_curve(name, series.role, std::move(t), std::move(v));
  part["steps"] = series.steps;
  return part;
}

std::string power_caption(const Section& section, const energy::ReconstructedPower& power,
                          bool corrected) {
  std::string text = fmt::format(
      "The power (W over s) that explains the readings of {} best, with its 95 % band, the "
      "unknown gain left out: wide where no reading says what was drawn.",
      names_of(power.sources));
  if (!section.curves.empty()) text += " Dashed: what was really drawn.";
  if (corrected) {
    text +=
        " Beside it the readings as they are, and reading plus time constant times slope, the "
        "published correction, whose noise grows with the slope's. As Figs 1, 2, 7 and 8 of "
        "Burtscher et al.";
  }
  return text;
}

Figure power_figure(const Section& section, const std::vector<ChartSeries>& recorded,
                    const std::string& label, const energy::ReconstructedPower& power) {
  const double shift = seconds_between(section.origin, section.figures.origin);
  const double from = power.t_s.front() + shift;
  const double to = power.t_s.back() + shift;
  Json all = Json::array();
  for (const ChartSeries& series : recorded) {
    if (belongs(series, power)) all.push_back(part_of(series, from, to));
  }
  bool corrected = false;
  for (const measure::CorrectedPower& one : section.figures.corrected) {
    Json t = Json::array();
    Json v = Json::array();
    for (std::size_t i = 0; i < one.t_s.size(); ++i) {
      if (one.t_s[i] + shift < from || one.t_s[i] + shift > to) continue;
      t.push_back(micro(one.t_s[i] + shift));
      v.push_back(centi(one.corrected_w[i]));
    }
    all.push_back(trace_curve(to_string(one.source) + ", corrected by its slope", "curve",
                              std::move(t), std::move(v)));
    corrected = true;
  }
  Json estimate = trace_curve("estimate", "estimate", rounded(power.t_s, micro, shift),
                              rounded(power.power_w, centi));
  std::vector<double> half;
  for (const double sd : power.sd_w) half.push_back(kCoverageFactor95 * sd);
  estimate["half"] = rounded(half, centi);
  all.push_back(std::move(estimate));

  Figure figure{.kind = FigureKind::trace,
                .title = label.empty() ? "The power behind the readings"
                                       : "The power behind the readings: " + label,
                .wide = true};
  figure.caption = power_caption(section, power, corrected);
  figure.description = "Chart of the estimated power with its band over time";
  figure.data = {
      {"series", std::move(all)}, {"windows", Json::array()}, {"activity", Json::array()}};
  for (const ActivityInterval& one : section.recording.activity) {
    const double begin = seconds_between(section.origin, one.begin);
    const double end = seconds_between(section.origin, one.end);
    if (end < from || begin > to) continue;
    figure.data["activity"].push_back({{"begin", micro(begin)}, {"end", micro(end)}});
  }
  return figure;
}

Json bins(std::string_view name, std::string_view role, std::string_view mark,
          const std::vector<double>& values, double bin_s) {
  std::vector<double> x;
  for (std::size_t i = 0; i <= values.size(); ++i) x.push_back(static_cast<double>(i) * bin_s);
  std::vector<double> y = values;
  y.push_back(values.back());
  Json series = xy_series(name, role, mark);
  series["x"] = numbers(x, kMs);
  series["y"] = numbers(y, 100.0);
  return series;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

Figure phase_figure(const energy::PhaseHistogram& histogram, bool of_several) {
  const double bin_s = histogram.update_period_s / static_cast<double>(histogram.work.size());
  // Looks as a share of the strongest: the chart's other curve is a share as well.
  std::vector<double> looks = histogram.looks;
  const double most = *std::max_element(looks.begin(), looks.end());
  for (double& one : looks) one /= most > 0 ? most : 1.0;
  Figure figure{.title = "When " + to_string(histogram.source) + " looks, and when work ran"};
  figure.data = {
      {"x_label", "time before the reading in ms"},
      {"y_label", "share in %"},
      {"zero", true},
      {"series",
       Json::array({bins("updates at which work ran then", role_of(histogram.source.kind), "steps",
                         histogram.work, bin_s),
                    bins("how much a reading looks at it", "curve", "dashes", looks, bin_s)})},
      {"guides", Json::array()}};
  figure.caption = fmt::format(
      "Over one update period, {} ms, before each of {} readings within the load{}: at how many of "
      "them work ran then, and how much of a reading is from then (dashed, of its most). Work ran "
      "{} of the time, and the readings saw it {} of theirs: a level curve is a load in step with "
      "nothing, steps are of one in step with the sensor.",
      plain(histogram.update_period_s * kMs, 4), histogram.readings,
      of_several ? " of the first window" : "", percent(histogram.ran), percent(histogram.seen));
  figure.description = fmt::format("Phase histogram: work ran {} of the time and was seen {} of it",
                                   percent(histogram.ran), percent(histogram.seen));
  return figure;
}

}  // namespace

std::vector<Figure> estimate_figures(const Section& section) {
  std::vector<Figure> figures;
  const std::vector<std::string> labels = estimate_labels(section);
  std::vector<ChartSeries> recorded;
  if (!section.figures.powers.empty()) recorded = chart_series(section, kMostRecorded);
  for (std::size_t i = 0; i < section.figures.powers.size(); ++i) {
    const auto& power = section.figures.powers[i];
    if (!power || power->t_s.empty()) continue;
    const bool several = labels.size() > 1 && i < labels.size();
    figures.push_back(power_figure(section, recorded, several ? labels[i] : "", *power));
  }
  for (const energy::PhaseHistogram& histogram : section.figures.phases) {
    figures.push_back(phase_figure(histogram, labels.size() > 1));
  }
  return figures;
}

}  // namespace truewatt::report
