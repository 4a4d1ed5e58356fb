// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "fft_plan.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace tessera::kernels {

namespace {

// Longest line whose block of vectors stays in a core's second-level cache, or
// in a GPU's shared memory.
constexpr std::int64_t longest_direct = 4096;
constexpr std::int64_t largest_prime = 61;

std::int64_t largest_prime_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
    while (n % p == 0) {
      largest = p;
      n /= p;
    }
  }
  return n > 1 ? std::max(largest, n) : largest;
}

std::int64_t largest_divisor_below_root(std::int64_t n) {
  std::int64_t best = 1;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0) best = d;
  }
  return best;
}

/// The shortest convenient length of at least `least`.
std::int64_t convolution_length(std::int64_t least) {
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5, 9, 15}) {
    std::int64_t length = odd;
    while (length < least) length *= 2;
    if (best == 0 || length < best) best = length;
  }
  return best;
}

/// Odd primes first, ascending; then the power of two in as few passes as
/// possible, radix 16 last.
std::vector<int> radices_of(std::int64_t n) {
  std::vector<int> radices;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  for (int p = 3; n > 1; p += 2) {
    for (; n % p == 0; n /= p) radices.push_back(p);
  }
  const int passes = (twos + 3) / 4;
  for (int pass = passes; pass > 0; --pass) {
    const int bits = twos / pass;  // the smaller radices first
    radices.push_back(1 << bits);
    twos -= bits;
  }
  return radices;
}

class Builder {
 public:
  explicit Builder(FftPlan& plan) : plan_(plan) {}

  int add(std::int64_t n) {
    const auto known = indices_.find(n);
    if (known != indices_.end()) return known->second;
    const int index = static_cast<int>(plan_.nodes.size());
    indices_[n] = index;
    plan_.nodes.emplace_back();
    const FftNode node = describe(n);
    plan_.nodes[index] = node;
    return index;
  }

 private:
  FftNode describe(std::int64_t n) {
    FftNode node;
    node.length = n;
    const std::int64_t prime = largest_prime_factor(n);
    if (n <= longest_direct && prime <= largest_prime) {
      node.radices = radices_of(n);
      node.table = reserve(fft_pass_table(node, static_cast<int>(node.radices.size())));
    } else if (prime == n) {
      node.kind = FftNode::Kind::chirp;
      const std::int64_t m = convolution_length(2 * n - 1);
      node.table = reserve(n + m);
      node.first = add(m);
    } else {
      node.kind = FftNode::Kind::split;
      const std::int64_t n1 = largest_divisor_below_root(n);
      node.table = reserve(n);
      node.first = add(n1);
      node.second = add(n / n1);
    }
    return node;
  }

  std::int64_t reserve(std::int64_t elements) {
    const std::int64_t begin = plan_.table_elements;
    // Whole cache lines, whatever the type.
    plan_.table_elements += (elements + 7) / 8 * 8;
    return begin;
  }

  FftPlan& plan_;
  std::map<std::int64_t, int> indices_;
};

}  // namespace

bool fft_has_butterfly(int radix) {
  switch (radix) {
    case 2:
    case 3:
    case 4:
    case 5:
    case 7:
    case 8:
    case 11:
    case 13:
    case 16:
      return true;
    default:
      return false;
  }
}

std::int64_t fft_pass_table(const FftNode& node, int pass) {
  std::int64_t elements = 0;
  std::int64_t rest = node.length;
  for (int i = 0; i < pass; ++i) {
    const int radix = node.radices[i];
    rest /= radix;
    elements += (fft_has_butterfly(radix) ? 0 : radix) + rest * (radix - 1);
  }
  return elements;
}

FftPlan make_fft_plan(std::int64_t length, FftKind kind) {
  require(length >= 1, "an FFT has at least one element");
  FftPlan plan;
  plan.length = length;
  plan.kind = kind;
  Builder(plan).add(plan.halved() ? length / 2 : length);
  if (plan.halved()) {
    plan.real_table = plan.table_elements;
    plan.table_elements += (length / 2 + 1 + 7) / 8 * 8;
  }
  return plan;
}

}  // namespace tessera::kernels
