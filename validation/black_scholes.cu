// European option prices by the closed formula of Black and Scholes (1973).
#include <cmath>

#include "workload.hpp"

namespace workload {
namespace {

constexpr std::size_t kOptions = 100'000'000;
constexpr float kRate = 0.03f;        // riskless, 1/year
constexpr float kVolatility = 0.25f;  // 1/sqrt(year)
constexpr Uniform kSpot{11, 10.0f, 100.0f};
constexpr Uniform kStrike{12, 10.0f, 100.0f};
constexpr Uniform kYears{13, 0.1f, 5.0f};

/// The normal distribution function.
template <class Real>
WORKLOAD_HOST_DEVICE Real normal_below(Real x) {
  return Real(0.5) * erfc(-x * Real(0.70710678118654752));
}

template <class Real>
struct Prices {
  Real call;
  Real put;
};

template <class Real>
WORKLOAD_HOST_DEVICE Prices<Real> price(Real spot, Real strike, Real years) {
  const Real deviation = Real(kVolatility) * sqrt(years);
  const Real d1 = (log(spot / strike) +
                   (Real(kRate) + Real(0.5) * Real(kVolatility) * Real(kVolatility)) * years) /
                  deviation;
  const Real d2 = d1 - deviation;
  const Real discounted = strike * exp(-Real(kRate) * years);
  return {spot * normal_below(d1) - discounted * normal_below(d2),
          discounted * normal_below(-d2) - spot * normal_below(-d1)};
}

__global__ void price_all(const float* __restrict__ spot, const float* __restrict__ strike,
                          const float* __restrict__ years, float* __restrict__ call,
                          float* __restrict__ put, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const Prices<float> prices = price(spot[i], strike[i], years[i]);
  call[i] = prices.call;
  put[i] = prices.put;
}

class BlackScholes final : public Workload {
 public:
  explicit BlackScholes(cudaStream_t stream) : Workload(stream) {
    fill(spot_, kSpot);
    fill(strike_, kStrike);
    fill(years_, kYears);
  }

  void enqueue() override {
    constexpr unsigned kThreads = 256;
    price_all<<<blocks_for(kOptions, kThreads), kThreads, 0, stream()>>>(
        spot_.data(), strike_.data(), years_.data(), call_.data(), put_.data(), kOptions);
  }

  /// Prices are differences of numbers up to 100, good to some units of 6e-8 of those.
  void check_result() override {
    for (std::size_t i = 0; i < kOptions; i += kOptions / 100) {
      const Prices<double> prices = price<double>(kSpot(i), kStrike(i), kYears(i));
      expect_near(call_.read(i), prices.call, 1e-3, "a call");
      expect_near(put_.read(i), prices.put, 1e-3, "a put");
    }
  }

 private:
  DeviceArray<float> spot_{kOptions};
  DeviceArray<float> strike_{kOptions};
  DeviceArray<float> years_{kOptions};
  DeviceArray<float> call_{kOptions};
  DeviceArray<float> put_{kOptions};
};

}  // namespace
}  // namespace workload

int main(int argc, char** argv) {
  return workload::serve<workload::BlackScholes>(
      argc, argv,
      {"black_scholes",
       "Black-Scholes, 1e8 options (Yang 2024, Table II).\n"
       "An iteration prices a call and a put for each of them in single precision; 2 GB."});
}
