#include "truewatt/identification/fit/load_response.hpp"

#include <cmath>

namespace truewatt::identification {

LoadResponse::LoadResponse(std::span<const Work> work, Shape shape, double decay_time)
    : power_(0.0, {decay_time, 1.0, 1.0}) {
  double warmth = 0.0;
  double since = 0.0;
  for (const Work& stretch : work) {
    const double height = stretch.height;
    double settled = shape == Shape::decay ? 0.0 : height;
    double decaying = shape == Shape::decay ? height : 0.0;
    double left = 0.0;
    if (shape == Shape::warmth) {
      const double before = warmth * std::exp(-(stretch.begin - since) / decay_time);
      decaying = before - height;
      left = height + decaying * std::exp(-(stretch.end - stretch.begin) / decay_time);
      warmth = left;
      since = stretch.end;
    }
    power_.append({stretch.begin, settled, {decaying, 0.0, 0.0}});
    power_.append({stretch.end, 0.0, {left, 0.0, 0.0}});
  }
}

}  // namespace truewatt::identification
