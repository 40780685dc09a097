#pragma once

#include <Eigen/Dense>
#include <array>
#include <optional>
#include <vector>

#include "truewatt/identification/fit/joint_fit.hpp"
#include "truewatt/identification/fit/load_response.hpp"

namespace truewatt::identification {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Residuals beyond so many standard deviations count linearly (Huber 1964).
inline constexpr double kHuber = 3.0;
/// True where a part's share is free and within its bounds.
bool is_free(const JointFit& fit, const Part& part);

/// Weight of every residual: Huber's over its variance.
Vector weights_of(const JointFit& fit);

/// Variable projection (docs/method.md, section 9): evaluates the model's columns, the linear
/// parameters and the Jacobian at one point of the search after another.
class FitProblem {
 public:
  FitProblem(const FitData& data, Structure structure, double noise_sd,
             std::optional<Parameter> held = std::nullopt);

  /// Columns, linear parameters, residuals, cost.
  JointFit at(const Parameters& parameters);

  /// The Jacobian's columns at the point that `at` was last called for: linear parameters first,
  /// the parts' free shares last of them; `active` becomes the others, in the order of the columns
  /// after them.
  Matrix jacobian(const JointFit& fit, std::vector<std::size_t>& active) const;

 private:
  /// Readings per unit of each part of the board's power.
  struct Columns {
    std::vector<Response> settled;
    std::array<std::vector<Response>, kParts.size()> parts;  ///< empty where not in the structure

    /// One member of the response of the board's power, per watt of amplitude.
    double sum(const JointFit& fit, std::size_t k, double Response::*member) const;
  };
  /// Of the parts' shares, those that are not free.
  using Shares = std::array<std::optional<double>, kParts.size()>;

  Columns columns_at(const Parameters& parameters) const;
  /// The columns at `moved`, of which only those that depend on `parameter` are computed.
  Columns columns_moved(const Parameters& moved, std::size_t parameter) const;
  std::vector<Response> part_column(const Parameters& parameters, const Part& part) const;
  /// A meter sees the idle drift itself.
  bool drifts() const { return data_.measured == nullptr; }
  void weigh(JointFit& fit) const;
  /// Idle, drift, amplitude and the shares, each share free or at a bound.
  void solve(JointFit& fit) const;
  void solve_with(JointFit& fit, const Shares& shares) const;
  void find_residuals(JointFit& fit) const;
  void find_cost(JointFit& fit) const;
  std::vector<std::size_t> active_parameters(const JointFit& fit) const;
  std::vector<Vector> linear_columns(const JointFit& fit) const;
  Vector derivative(const JointFit& fit, std::size_t parameter) const;

  FitData data_;
  Structure structure_;
  double noise_sd_;
  std::optional<Parameter> held_;
  double middle_ = 0.0;
  std::vector<double> ticks_;
  std::optional<LoadResponse> settled_;
  Columns columns_;
};

}  // namespace truewatt::identification
