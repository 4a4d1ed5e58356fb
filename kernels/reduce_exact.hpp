// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Feeding exact states on the host: internal to the kernels.
#include "exact_window.hpp"
#include "reduce_exact_kinds.hpp"
#include "reduce_host.hpp"

namespace tessera::kernels {

/// The type that elements are handled in: float32 as it is, integers as float64.
template <class T>
using exact_real_t = std::conditional_t<std::is_same_v<real_t<T>, float>, float, double>;

/// Feeds elements of one result into its exact states, by blocks. Host.
template <class T, ExactKind Kind, bool Ignore>
class ExactSink {
 public:
  using R = exact_real_t<T>;
  static constexpr bool complex = is_complex_type<T>;
  static constexpr exact::Grid grid =
      Kind == ExactKind::values ? exact::value_grid() : exact::product_grid();
  static constexpr int components = complex && Kind != ExactKind::squares ? 2 : 1;
  static constexpr int words = components * grid.words();

  /// The state's words are cleared.
  explicit ExactSink(std::int64_t* state)
      : first_{state, grid}, second_{state + grid.words(), grid} {
    std::fill(state, state + words, 0);
  }

  /// n elements that lie `stride` apart.
  void add(const T* x, const T* y, std::int64_t n, std::int64_t stride) {
    if constexpr (std::is_same_v<T, R> && !Ignore) {
      if (stride == 1 && n >= capacity && fill_ == 0) {
        if constexpr (Kind == ExactKind::values) exact::deposit(first_, x, n);
        if constexpr (Kind == ExactKind::squares) exact::deposit_products(first_, x, x, n);
        if constexpr (Kind == ExactKind::products) exact::deposit_products(first_, x, y, n);
        return;
      }
    }
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t room = std::min(n - i, (capacity - fill_) / (complex ? 2 : 1));
      copy(x + i * stride, y == nullptr ? nullptr : y + i * stride, room, stride);
      i += room;
      if (fill_ == capacity) flush();
    }
  }

  void finish() {
    flush();
    exact::carry(first_.state, grid.limbs);
    if (components == 2) exact::carry(second_.state, grid.limbs);
  }

 private:
  static constexpr std::int64_t capacity = 2048;

  void copy(const T* x, const T* y, std::int64_t n, std::int64_t stride) {
    for (std::int64_t i = 0; i < n; ++i) {
      const bool skip = Ignore && (is_nan_element(x, i * stride) ||
                                   (y != nullptr && is_nan_element(y, i * stride)));
      if constexpr (complex) {
        const R* a = reinterpret_cast<const R*>(x + i * stride);
        a_[fill_] = skip ? R{0} : a[0];
        a_[fill_ + 1] = skip ? R{0} : a[1];
        if constexpr (Kind == ExactKind::products) {
          const R* b = reinterpret_cast<const R*>(y + i * stride);
          b_[fill_] = skip ? R{0} : b[0];
          b_[fill_ + 1] = skip ? R{0} : b[1];
        }
        fill_ += 2;
      } else {
        a_[fill_] = skip ? R{0} : static_cast<R>(x[i * stride]);
        if constexpr (Kind == ExactKind::products)
          b_[fill_] = skip ? R{0} : static_cast<R>(y[i * stride]);
        fill_ += 1;
      }
    }
  }

  void flush() {
    if constexpr (Kind == ExactKind::squares) {
      exact::deposit_products(first_, a_, a_, fill_);
    } else if constexpr (Kind == ExactKind::products) {
      exact::deposit_products(first_, a_, b_, fill_);
      if constexpr (complex) {  // imaginary part of conj(a) b: ar bi - ai br
        for (std::int64_t i = 0; i < fill_; i += 2) {
          const R re = b_[i];
          b_[i] = b_[i + 1];
          b_[i + 1] = -re;
        }
        exact::deposit_products(second_, a_, b_, fill_);
      }
    } else if constexpr (complex) {
      for (std::int64_t i = 0; i < fill_ / 2; ++i) {
        b_[i] = a_[2 * i + 1];
        a_[i] = a_[2 * i];
      }
      exact::deposit(first_, a_, fill_ / 2);
      exact::deposit(second_, b_, fill_ / 2);
    } else {
      exact::deposit(first_, a_, fill_);
    }
    fill_ = 0;
  }

  exact::Window first_;
  exact::Window second_;
  std::int64_t fill_ = 0;
  R a_[capacity];
  R b_[capacity];
};

/// Reduced elements [begin, end) of one result, run by run.
template <class Sink, class T>
void feed(Sink& sink, const T* x, const T* y, const Walk& reduced, std::int64_t begin,
          std::int64_t end) {
  const std::int64_t inner = reduced.inner();
  for (std::int64_t r = begin; r < end;) {
    const std::int64_t run = std::min(inner - r % inner, end - r);
    const std::int64_t offset = reduced.at(r);
    sink.add(x + offset, y == nullptr ? nullptr : y + offset, run, reduced.inner_stride());
    r += run;
  }
}

}  // namespace tessera::kernels
