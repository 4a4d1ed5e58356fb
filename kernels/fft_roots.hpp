// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fft_plan.hpp"

namespace tessera::kernels {

/// An unevaluated sum of two doubles: some 106 bits.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

struct RootOfUnity {
  DoubleDouble re, im;
};

/// Powers of w = exp(-2 pi i / n), exact to some 100 bits, from additions,
/// products and fused multiply-adds alone, so that every machine finds the same
/// bits. A power is the product of two entries of tables of about sqrt(n)
/// entries; angles are reduced exactly, in integers.
class RootsOfUnity {
 public:
  /// 1 <= n < 2^52.
  explicit RootsOfUnity(std::int64_t n);
  /// w^e for 0 <= e < n.
  [[nodiscard]] RootOfUnity power(std::int64_t e) const;

 private:
  std::int64_t n_;
  int shift_ = 0;
  std::vector<RootOfUnity> coarse_;
  std::vector<RootOfUnity> fine_;
};

/// Rounded once, to nearest.
[[nodiscard]] double round_to(DoubleDouble value, double);
[[nodiscard]] float round_to(DoubleDouble value, float);

}  // namespace tessera::kernels
