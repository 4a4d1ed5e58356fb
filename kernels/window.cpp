// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "window.hpp"

#include "device/kokkos.hpp"
#include "math/trigonometric.hpp"

namespace tessera::kernels {

namespace {

/// The modified Bessel function I0(x), 0 <= x <= 700: positive terms, so that no digits are lost.
KOKKOS_INLINE_FUNCTION double bessel_i0(double x) {
  const double quarter_square = 0.25 * x * x;
  double sum = 1;
  double term = 1;
  for (int k = 1; k < 2000 && term > sum * 0x1p-60; ++k) {
    term *= quarter_square / (static_cast<double>(k) * static_cast<double>(k));
    sum += term;
  }
  return sum;
}

KOKKOS_INLINE_FUNCTION double cosines(const WindowTask& task, std::int64_t j,
                                      std::int64_t intervals) {
  constexpr double two_pi = 0x1.921fb54442d18p+2;
  double sum = task.coefficient[0];
  for (int k = 1; k < task.terms; ++k) {
    const std::int64_t turn = k * j % intervals;  // whole turns are left out exactly
    const double angle = two_pi * (static_cast<double>(turn) / static_cast<double>(intervals));
    const double sign = k % 2 == 0 ? 1.0 : -1.0;
    sum += sign * task.coefficient[k] * math::cos_near(angle);
  }
  return sum;
}

KOKKOS_INLINE_FUNCTION double sample(const WindowTask& task, double i0_of_beta, std::int64_t j) {
  if (task.length == 1) return 1;
  const std::int64_t intervals = task.symmetric ? task.length - 1 : task.length;
  const std::int64_t mirrored = j <= intervals - j ? j : intervals - j;  // the same bits both sides
  if (task.kind == WindowTask::Kind::cosines) return cosines(task, mirrored, intervals);
  const double t = 2.0 * static_cast<double>(mirrored) / static_cast<double>(intervals);
  if (task.kind == WindowTask::Kind::bartlett) return t;
  return bessel_i0(task.beta * math::square_root(t * (2.0 - t))) / i0_of_beta;
}

template <class R, class Space>
void fill(const Space& space, const WindowTask& task, std::int64_t first, std::int64_t count,
          R* out) {
  const double i0_of_beta = bessel_i0(task.beta);
  Kokkos::parallel_for(
      "tessera::fill_window", range(space, count), KOKKOS_LAMBDA(const std::int64_t j) {
        out[j] = static_cast<R>(sample(task, i0_of_beta, first + j));
      });
}

}  // namespace

void fill_window(const device::Stream& stream, const WindowTask& task, std::int64_t first,
                 std::int64_t count, DType real, void* out) {
  require(is_real_floating(real), "a window's samples are float32 or float64");
  if (count <= 0) return;
  on_space(stream, [&](const auto& space) {
    if (real == DType::float32) {
      fill(space, task, first, count, static_cast<float*>(out));
    } else {
      fill(space, task, first, count, static_cast<double*>(out));
    }
  });
}

}  // namespace tessera::kernels
