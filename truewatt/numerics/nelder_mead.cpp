#include "truewatt/numerics/nelder_mead.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace truewatt::numerics {
namespace {

constexpr double kFirstShare = 0.05;
constexpr double kFirstFromZero = 0.00025;

struct Corner {
  std::vector<double> at;
  double value = 0.0;
};

class Simplex {
 public:
  Simplex(const std::function<double(std::span<const double>)>& function,
          const std::vector<double>& start)
      : function_(function) {
    corners_.push_back(corner(start));
    for (std::size_t i = 0; i < start.size(); ++i) {
      std::vector<double> at = start;
      at[i] = at[i] == 0.0 ? kFirstFromZero : (1.0 + kFirstShare) * at[i];
      corners_.push_back(corner(std::move(at)));
    }
    sort();
  }

  const Corner& best() const { return corners_.front(); }
  int evaluations() const { return evaluations_; }

  bool is_small(const NelderMeadOptions& options) const {
    return std::all_of(corners_.begin() + 1, corners_.end(), [&](const Corner& other) {
      if (std::abs(other.value - best().value) > options.value_tolerance) return false;
      for (std::size_t i = 0; i < other.at.size(); ++i) {
        if (std::abs(other.at[i] - best().at[i]) > options.point_tolerance) return false;
      }
      return true;
    });
  }

  void step() {
    const std::vector<double> centre = centre_of_the_others();
    Corner reflected = beyond(centre, 1.0);
    if (reflected.value < best().value) {
      Corner expanded = beyond(centre, 2.0);
      replace_worst(expanded.value < reflected.value ? std::move(expanded) : std::move(reflected));
    } else if (reflected.value < corners_[corners_.size() - 2].value) {
      replace_worst(std::move(reflected));
    } else {
      contract(centre, reflected);
    }
    sort();
  }

 private:
  Corner corner(std::vector<double> at) {
    ++evaluations_;
    const double value = function_(at);
    return {std::move(at), value};
  }
  void sort() {
    std::stable_sort(corners_.begin(), corners_.end(),
                     [](const Corner& a, const Corner& b) { return a.value < b.value; });
  }
  std::vector<double> centre_of_the_others() const {
    std::vector<double> centre(best().at.size(), 0.0);
    const auto others = static_cast<double>(corners_.size() - 1);
    for (std::size_t k = 0; k + 1 < corners_.size(); ++k) {
      for (std::size_t i = 0; i < centre.size(); ++i) centre[i] += corners_[k].at[i] / others;
    }
    return centre;
  }
  /// The worst corner's image at `distance` times its distance on the centre's other side.
  Corner beyond(const std::vector<double>& centre, double distance) {
    std::vector<double> at = centre;
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i] += distance * (centre[i] - corners_.back().at[i]);
    }
    return corner(std::move(at));
  }
  void replace_worst(Corner better) { corners_.back() = std::move(better); }
  void contract(const std::vector<double>& centre, const Corner& reflected) {
    const bool outside = reflected.value < corners_.back().value;
    Corner contracted = beyond(centre, outside ? 0.5 : -0.5);
    const double to_beat = outside ? reflected.value : corners_.back().value;
    if (contracted.value <= to_beat) {
      replace_worst(std::move(contracted));
      return;
    }
    for (std::size_t k = 1; k < corners_.size(); ++k) {
      std::vector<double> at = best().at;
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += 0.5 * (corners_[k].at[i] - at[i]);
      corners_[k] = corner(std::move(at));
    }
  }

  const std::function<double(std::span<const double>)>& function_;
  std::vector<Corner> corners_;  // best first
  int evaluations_ = 0;
};

}  // namespace

Minimum nelder_mead(const std::function<double(std::span<const double>)>& function,
                    const std::vector<double>& start, const NelderMeadOptions& options) {
  Simplex simplex(function, start);
  bool converged = simplex.is_small(options);
  for (int i = 0; i < options.most_iterations && !converged; ++i) {
    simplex.step();
    converged = simplex.is_small(options);
  }
  return {simplex.best().at, simplex.best().value, simplex.evaluations(), converged};
}

}  // namespace truewatt::numerics
