// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::kernels {

enum class FftKind { complex, real_to_complex, complex_to_real };

/// One transform of the tree that a length is taken apart into.
struct FftNode {
  enum class Kind {
    direct,  ///< Stockham passes, one per radix
    split,   ///< length = n1 n2: n2 transforms of n1, twiddles, n1 transforms of
             ///< n2
    chirp    ///< Bluestein: a cyclic convolution of length M >= 2 length - 1
  };
  Kind kind = Kind::direct;
  std::int64_t length = 1;
  std::vector<int> radices{};  ///< direct: in the order of the passes; empty for length 1
  int first = -1;              ///< split: the node of n1; chirp: the node of M
  int second = -1;             ///< split: the node of n2
  std::int64_t table = 0;      ///< where this node's factors begin, in complex numbers
};

/// How lines of one length are transformed: decided by the length and the kind
/// alone, so that the order of rounding is the same on every machine and for
/// any number of ranks and threads.
///
/// Lengths up to 4096 whose prime factors are at most 61 are done by Stockham
/// passes of radix 16, 8, 4, 2 and of the odd primes; other composite lengths
/// are split into n1 n2, n1 the largest divisor not above the square root;
/// other primes are chirp transforms through a length 2^a {1, 3, 5, 9, 15}.
/// Real lines of even length n go through a complex transform of n / 2, odd
/// ones through one of n.
struct FftPlan {
  std::int64_t length = 1;  ///< of the real or complex line
  FftKind kind = FftKind::complex;
  std::vector<FftNode> nodes{};     ///< node 0 is the complex transform that is done
  std::int64_t real_table = 0;      ///< even real kinds: where exp(-2 pi i k /
                                    ///< length), k <= length / 2, begin
  std::int64_t table_elements = 0;  ///< complex numbers in all tables

  [[nodiscard]] bool halved() const { return kind != FftKind::complex && length % 2 == 0; }
  /// Length of the complex transform that is done.
  [[nodiscard]] std::int64_t inner() const { return nodes.front().length; }
};

/// `length` >= 1.
[[nodiscard]] FftPlan make_fft_plan(std::int64_t length, FftKind kind);

/// Factors of pass `pass` of a direct node begin here, in complex numbers after
/// the node's table. A radix without a butterfly of its own puts its roots
/// before them.
[[nodiscard]] std::int64_t fft_pass_table(const FftNode& node, int pass);

/// True for radices with a butterfly of their own.
[[nodiscard]] bool fft_has_butterfly(int radix);

}  // namespace tessera::kernels
