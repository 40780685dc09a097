#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "truewatt/energy/former/fluctuation.hpp"
#include "truewatt/energy/former/kriging.hpp"

// What the filter of kriging.cpp did, for passes backward through it; for it alone.
namespace truewatt::energy {

/// What a look sees of the dynamic part; on the stack.
using SeenState = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, FluctuationDynamics::kMost, 1>;

/// One operation on the random part's state.
struct Operation {
  enum class Kind { step, begin, end, copy, add, clear, update, view } kind = Kind::step;
  Eigen::MatrixXd transition;        // step
  Eigen::MatrixXd noise;             // step
  Eigen::Index row = 0;              // begin, end: fluctuation; copy, add, clear: slot's row
  double variance = 0.0;             // begin: stationary; update: of the noise; view: of the sum
  SeenState look;                    // add, update: on the dynamic part
  std::optional<Eigen::Index> slot;  // update: row added to it
  std::size_t reading = 0;           // update; view: which
  Eigen::VectorXd gain;              // update; view: the state's covariance with the sum
  Eigen::VectorXd innovations;       // update: of every column, then of the reading, over their
                                     // variance; view: means of the sum
  double precision = 0.0;            // update: 1 / variance of the innovation
};

/// Operations in their order. The state is the dynamic part (fluctuations, J, lags), the window's
/// two copies of J, and slots.
class KrigingTape {
 public:
  KrigingTape(Eigen::Index dynamic, Eigen::Index integral, Eigen::Index first_slot)
      : dynamic_(dynamic), integral_(integral), first_slot_(first_slot) {}

  void push(Operation operation) { operations_.push_back(std::move(operation)); }
  const std::vector<Operation>& operations() const { return operations_; }

  /// Rows of functionals of the state after the operation become those of the state before it.
  void pull_back(const Operation& operation, Eigen::MatrixXd& rows) const;
  /// Adds `factors` times what an update's reading sees of the state to the rows.
  void add_seen(const Operation& update, const Eigen::VectorXd& factors,
                Eigen::MatrixXd& rows) const;
  Eigen::Index dynamic() const { return dynamic_; }

 private:
  Eigen::Index dynamic_;
  Eigen::Index integral_;
  Eigen::Index first_slot_;
  std::vector<Operation> operations_;
};

/// Follows the error of the energy back through every operation, from what it is of the random part
/// (`window`) and, by the solution's coefficients, of these: the readings' weights and the shares
/// of the variance.
void decompose(const KrigingTape& tape, const KrigingProblem& problem,
               const Eigen::VectorXd& window, const Eigen::VectorXd& by_coefficient,
               KrigingSolution& solution);

/// The sum of the fluctuations at every view, from all readings (Bryson and Frazier's smoother).
std::vector<SmoothedSum> smoothed(const KrigingTape& tape, std::size_t views,
                                  Eigen::Index coefficients);

}  // namespace truewatt::energy
