#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace workload {

/// Polynomials over GF(2): bit i is the coefficient of x^i.
using Polynomial = std::uint64_t;

/// Degree of a polynomial other than 0.
constexpr int degree(Polynomial p) {
  int highest = -1;
  for (; p != 0; p >>= 1) ++highest;
  return highest;
}

/// Product; the degrees must sum to less than 64.
constexpr Polynomial multiply(Polynomial a, Polynomial b) {
  Polynomial product = 0;
  for (; b != 0; b >>= 1, a <<= 1)
    if (b & 1) product ^= a;
  return product;
}

constexpr Polynomial remainder(Polynomial a, Polynomial b) {
  while (a != 0 && degree(a) >= degree(b)) a ^= b << (degree(a) - degree(b));
  return a;
}

/// Whether nothing of degree 1 to half its own divides `p`.
constexpr bool irreducible(Polynomial p) {
  for (Polynomial divisor = 2; 2 * degree(divisor) <= degree(p); ++divisor)
    if (remainder(p, divisor) == 0) return false;
  return true;
}

/// Columns of a generator matrix: the coordinate of point n is the XOR of `columns[r]` over the
/// bits r that are set in n, read as a binary fraction (bit 31 is 1/2).
using Columns = std::array<std::uint32_t, 32>;

/// The generator matrix that belongs to an irreducible polynomial p of degree e <= 16: row
/// j = q e + u + 1 holds the coefficients of x^-1, x^-2, ... in the expansion of x^u / p^(q+1).
/// H. Niederreiter, "Low-discrepancy and low-dispersion sequences", J. Number Theory 30 (1988),
/// section 3 (base 2). The points of each coordinate alone form a (e-1, 1)-sequence.
inline Columns generator(Polynomial p) {
  const int e = degree(p);
  Columns columns{};
  Polynomial power = 1;
  for (int q = 0; q * e < 32; ++q) {
    power = multiply(power, p);
    const int m = degree(power);
    // 1 / power = sum of w_i x^-i; multiplying out gives w_m = 1 and a linear recurrence.
    std::vector<bool> w(32 + 16 + 1, false);
    for (int i = m; i < static_cast<int>(w.size()); ++i) {
      bool bit = i == m;
      for (int k = 1; k <= m; ++k) bit ^= ((power >> (m - k)) & 1) != 0 && w[i - k];
      w[i] = bit;
    }
    for (int u = 0; u < e && q * e + u < 32; ++u)
      for (int r = 0; r < 32; ++r)
        if (w[r + 1 + u]) columns[r] |= 0x80000000u >> (q * e + u);
  }
  return columns;
}

/// The generators of the first irreducible polynomials: x, x+1, x^2+x+1, ...
template <int dimensions>
std::array<Columns, dimensions> generators() {
  std::array<Columns, dimensions> all;
  Polynomial p = 2;
  for (Columns& columns : all) {
    while (!irreducible(p)) ++p;
    columns = generator(p++);
  }
  return all;
}

}  // namespace workload
