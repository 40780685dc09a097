#include "truewatt/energy/former/kriging_tape.hpp"

#include <algorithm>

namespace truewatt::energy {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace

void KrigingTape::add_seen(const Operation& update, const Vector& factors, Matrix& rows) const {
  for (Index i = 0; i < dynamic_; ++i) {
    if (update.look(i) != 0.0) rows.col(i) += update.look(i) * factors;
  }
  if (update.slot) rows.col(first_slot_ + *update.slot) += factors;
}

void KrigingTape::pull_back(const Operation& operation, Matrix& rows) const {
  switch (operation.kind) {
    case Operation::Kind::step:
      rows.leftCols(dynamic_) = (rows.leftCols(dynamic_) * operation.transition).eval();
      break;
    case Operation::Kind::begin:
    case Operation::Kind::view:
      break;
    case Operation::Kind::end:
    case Operation::Kind::clear:
      rows.col(operation.row).setZero();
      break;
    case Operation::Kind::copy:
      rows.col(integral_) += rows.col(operation.row);
      rows.col(operation.row).setZero();
      break;
    case Operation::Kind::add:
      for (Index i = 0; i < dynamic_; ++i) {
        if (operation.look(i) != 0.0) rows.col(i) += operation.look(i) * rows.col(operation.row);
      }
      break;
    case Operation::Kind::update:
      add_seen(operation, -rows * operation.gain, rows);
      break;
  }
}

void decompose(const KrigingTape& tape, const KrigingProblem& problem, const Vector& window,
               const Vector& by_coefficient, KrigingSolution& solution) {
  solution.weights.assign(problem.readings.size(), 0.0);
  Vector coefficients = problem.energy;
  Matrix error = window.transpose();
  const auto& operations = tape.operations();
  // NOLINTNEXTLINE(modernize-loop-convert): backwards
  for (auto op = operations.rbegin(); op != operations.rend(); ++op) {
    if (op->kind == Operation::Kind::step) {
      const Vector head = error.row(0).head(tape.dynamic());
      solution.fluctuation_share += head.dot(op->noise * head);
    }
    if (op->kind == Operation::Kind::begin) {
      solution.fluctuation_share += error(op->row) * error(op->row) * op->variance;
    }
    if (op->kind == Operation::Kind::update) {
      const double by_learning = by_coefficient.dot(op->innovations.head(by_coefficient.size()));
      const double weight = error.row(0).dot(op->gain) + by_learning;
      solution.weights[op->reading] = weight;
      solution.noise_share += weight * weight * op->variance;
      coefficients -= weight * problem.columns.row(static_cast<Index>(op->reading)).transpose();
      tape.pull_back(*op, error);
      tape.add_seen(*op, Vector::Constant(1, -by_learning), error);
      continue;
    }
    tape.pull_back(*op, error);
  }
  solution.coefficient_shares = coefficients.cwiseProduct(problem.prior_sd).cwiseAbs2();
}

std::vector<SmoothedSum> smoothed(const KrigingTape& tape, std::size_t views, Index coefficients) {
  std::vector<SmoothedSum> sums(views);
  Matrix learned;      // what later readings say: (columns and readings) x state
  Matrix information;  // ... and how much of the state's covariance they take
  const auto& operations = tape.operations();
  // NOLINTNEXTLINE(modernize-loop-convert): backwards
  for (auto op = operations.rbegin(); op != operations.rend(); ++op) {
    if (op->kind == Operation::Kind::view) {
      if (learned.size() == 0) {
        learned = Matrix::Zero(coefficients + 1, op->gain.size());
        information = Matrix::Zero(op->gain.size(), op->gain.size());
      }
      const Vector mean = op->innovations + learned * op->gain;
      const double taken = op->gain.dot(information * op->gain);
      sums[op->reading] = {mean.head(coefficients), mean(coefficients),
                           std::max(0.0, op->variance - taken)};
      continue;
    }
    if (learned.size() == 0 && op->kind != Operation::Kind::update) continue;
    if (learned.size() == 0) {
      learned = Matrix::Zero(coefficients + 1, op->gain.size());
      information = Matrix::Zero(op->gain.size(), op->gain.size());
    }
    tape.pull_back(*op, learned);
    tape.pull_back(*op, information);
    information.transposeInPlace();
    tape.pull_back(*op, information);
    if (op->kind != Operation::Kind::update) continue;
    tape.add_seen(*op, op->innovations, learned);
    Matrix seen = Matrix::Zero(1, information.cols());
    tape.add_seen(*op, Vector::Ones(1), seen);
    information.noalias() += op->precision * (seen.transpose() * seen);
  }
  return sums;
}

}  // namespace truewatt::energy
