// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "fft_roots.hpp"

#include <cmath>

#include "base/error.hpp"

namespace tessera::kernels {

namespace {

DoubleDouble quick_sum(double a, double b) {  // |a| >= |b|
  const double s = a + b;
  return {s, b - (s - a)};
}

DoubleDouble two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.high, b.high);
  const DoubleDouble t = two_sum(a.low, b.low);
  const DoubleDouble u = quick_sum(s.high, s.low + t.high);
  return quick_sum(u.high, u.low + t.low);
}

DoubleDouble negate(DoubleDouble a) { return {-a.high, -a.low}; }

DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const double p = a.high * b.high;
  const double e = std::fma(a.high, b.high, -p);
  return quick_sum(p, std::fma(a.high, b.low, std::fma(a.low, b.high, e)));
}

DoubleDouble divide(DoubleDouble a, double b) {
  const double q = a.high / b;
  const double r = std::fma(-q, b, a.high) + a.low;
  return quick_sum(q, r / b);
}

/// sin and cos of 0 <= x <= pi / 4 by their Taylor series; x^28 / 28! is below
/// 2^-106.
RootOfUnity cos_sin(DoubleDouble x) {
  const DoubleDouble x2 = negate(multiply(x, x));
  DoubleDouble cosine{1, 0};
  DoubleDouble sine{1, 0};
  for (int k = 28; k > 0; k -= 2) {  // Horner: 1 - x^2 / (k (k - 1)) (...)
    cosine = add({1, 0}, divide(multiply(x2, cosine), k * (k - 1)));
    sine = add({1, 0}, divide(multiply(x2, sine), k * (k + 1)));
  }
  return {cosine, multiply(x, sine)};
}

/// exp(-2 pi i e / n), 0 <= e < n, reduced to the first eighth of the circle in
/// integers.
RootOfUnity root(std::int64_t e, std::int64_t n) {
  const DoubleDouble quarter_pi{0.78539816339744830962, 3.0616169978683829431e-17};
  const std::int64_t eighth = 8 * e / n;
  const std::int64_t rest = 8 * e - eighth * n;  // angle = (eighth + rest / n) pi / 4
  const std::int64_t part = eighth % 2 == 0 ? rest : n - rest;  // odd eighths run backwards
  const DoubleDouble ratio = divide({static_cast<double>(part), 0}, static_cast<double>(n));
  const RootOfUnity first = cos_sin(multiply(ratio, quarter_pi));
  const DoubleDouble c = first.re;
  const DoubleDouble s = first.im;
  switch (eighth) {
    case 0:
      return {c, negate(s)};
    case 1:
      return {s, negate(c)};
    case 2:
      return {negate(s), negate(c)};
    case 3:
      return {negate(c), negate(s)};
    case 4:
      return {negate(c), s};
    case 5:
      return {negate(s), c};
    case 6:
      return {s, c};
    default:
      return {c, s};
  }
}

}  // namespace

RootsOfUnity::RootsOfUnity(std::int64_t n) : n_(n) {
  require(n >= 1 && n < (std::int64_t{1} << 52), "an FFT is shorter than 2^52");
  while ((std::int64_t{1} << (2 * shift_)) < n) ++shift_;
  const std::int64_t step = std::int64_t{1} << shift_;
  for (std::int64_t e = 0; e < n; e += step) coarse_.push_back(root(e, n));
  for (std::int64_t e = 0; e < step && e < n; ++e) fine_.push_back(root(e, n));
}

RootOfUnity RootsOfUnity::power(std::int64_t e) const {
  const std::int64_t low = e & ((std::int64_t{1} << shift_) - 1);
  const RootOfUnity& a = coarse_[e >> shift_];
  if (low == 0) return a;
  if (8 * e % n_ == 0) return root(e, n_);  // exact zeros and ones
  const RootOfUnity& b = fine_[low];
  return {add(multiply(a.re, b.re), negate(multiply(a.im, b.im))),
          add(multiply(a.re, b.im), multiply(a.im, b.re))};
}

double round_to(DoubleDouble value, double) { return value.high; }

float round_to(DoubleDouble value, float) {
  const float nearest = static_cast<float>(value.high);
  const double rest = value.high - static_cast<double>(nearest);
  if (rest == 0 || value.low == 0) return nearest;
  // A tie of the high part is decided by the low part.
  const float other = std::nextafterf(nearest, rest > 0 ? 2.0F : -2.0F);
  const bool tie = static_cast<double>(other) - value.high == rest;
  return tie && (value.low > 0) == (rest > 0) ? other : nearest;
}

}  // namespace tessera::kernels
