// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "random.hpp"

#include <algorithm>
#include <cmath>

#include "device/kokkos.hpp"
#include "math/trigonometric.hpp"
#include "philox.hpp"

namespace tessera::kernels {

namespace {

template <class R>
inline constexpr int per_counter = 16 / static_cast<int>(sizeof(R));

/// What the functors need of a task: the range of a uniform distribution, rounded to the type.
template <class R>
struct Scale {
  R a;
  R width;
  R top;  ///< the largest uniform number
  double mean;
  double deviation;

  explicit Scale(const RandomTask& task)
      : a(static_cast<R>(task.a)),
        width(static_cast<R>(task.b - task.a)),
        top(std::nextafter(static_cast<R>(task.b), static_cast<R>(task.a))),
        mean(task.a),
        deviation(task.b) {}
};

/// Word k of the numbers of one counter, from the top of its bits.
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bits(const Philox<lanes>& philox, int k, int l, double) {
  return philox.word[2 * k][l] | (std::uint64_t{philox.word[2 * k + 1][l]} << 32);
}
template <int lanes>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bits(const Philox<lanes>& philox, int k, int l, float) {
  return std::uint64_t{philox.word[k][l]} << 32;
}

KOKKOS_FORCEINLINE_FUNCTION double fraction(std::uint64_t bits, double) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}
KOKKOS_FORCEINLINE_FUNCTION float fraction(std::uint64_t bits, float) {
  return static_cast<float>(static_cast<std::uint32_t>(bits >> 40)) * 0x1p-24F;
}

/// In (0, 1], as a logarithm needs it.
KOKKOS_FORCEINLINE_FUNCTION double positive_fraction(std::uint64_t bits, double) {
  return (static_cast<double>(bits >> 11) + 1.0) * 0x1p-53;
}
KOKKOS_FORCEINLINE_FUNCTION double positive_fraction(std::uint64_t bits, float) {
  return (static_cast<double>(bits >> 32) + 1.0) * 0x1p-32;
}

template <class R, int lanes>
struct Uniform {
  Scale<R> scale;

  KOKKOS_FORCEINLINE_FUNCTION void convert(const Philox<lanes>& philox, R* values) const {
    constexpr int per = per_counter<R>;
    for (int k = 0; k < per; ++k) {
      for (int l = 0; l < lanes; ++l) {
        const R value = math::fused(scale.width, fraction(bits(philox, k, l, R()), R()), scale.a);
        values[l * per + k] = value < scale.top ? value : scale.top;
      }
    }
  }
};

template <class R, int lanes>
struct Normal {
  Scale<R> scale;

  KOKKOS_FORCEINLINE_FUNCTION void convert(const Philox<lanes>& philox, R* values) const {
    constexpr int per = per_counter<R>;
    constexpr double two_pi = 0x1.921fb54442d18p+2;
    for (int k = 0; k < per; k += 2) {
      double radius[lanes];
      for (int l = 0; l < lanes; ++l) {
        const double u = positive_fraction(bits(philox, k, l, R()), R());
        radius[l] = math::square_root(-2.0 * math::log(u));
      }
      for (int l = 0; l < lanes; ++l) {
        const double angle = two_pi * positive_fraction(bits(philox, k + 1, l, R()), R());
        const math::Reduced reduced = math::reduce_near(angle);
        const double cosine = math::quadrant_sine(reduced, reduced.quadrant + 1);
        const double sine = math::quadrant_sine(reduced, reduced.quadrant);
        values[l * per + k] =
            static_cast<R>(math::fused(scale.deviation, radius[l] * cosine, scale.mean));
        values[l * per + k + 1] =
            static_cast<R>(math::fused(scale.deviation, radius[l] * sine, scale.mean));
      }
    }
  }
};

/// One group of `lanes` counters.
template <class R, int lanes, class Convert>
struct Generate {
  Convert converter;
  std::uint64_t seed;
  std::uint64_t stream;
  std::int64_t first;
  std::int64_t count;
  R* out;

  KOKKOS_FUNCTION void operator()(const std::int64_t group) const {
    constexpr int per = per_counter<R>;
    constexpr int numbers = lanes * per;
    const std::int64_t counter = (first / numbers + group) * lanes;
    Philox<lanes> philox;
    for (int l = 0; l < lanes; ++l) {
      const auto c = static_cast<std::uint64_t>(counter + l);
      philox.word[0][l] = static_cast<std::uint32_t>(c);
      philox.word[1][l] = static_cast<std::uint32_t>(c >> 32);
      philox.word[2][l] = static_cast<std::uint32_t>(stream);
      philox.word[3][l] = static_cast<std::uint32_t>(stream >> 32);
    }
    philox.run(seed);
    R values[numbers];
    converter.convert(philox, values);
    const std::int64_t begin = counter * per - first;  // of this group in `out`
    const std::int64_t skip = begin < 0 ? -begin : 0;
    const std::int64_t end = begin + numbers < count ? numbers : count - begin;
    for (std::int64_t i = skip; i < end; ++i) out[begin + i] = values[i];
  }
};

template <int lanes, class R, class Convert, class Space>
void generate(const Space& space, const RandomTask& task, std::int64_t first, std::int64_t count,
              R* out) {
  constexpr int numbers = lanes * per_counter<R>;
  const std::int64_t groups = (first + count + numbers - 1) / numbers - first / numbers;
  Kokkos::parallel_for(
      "tessera::random", range(space, groups),
      Generate<R, lanes, Convert>{{Scale<R>(task)}, task.seed, task.stream, first, count, out});
}

template <class R, template <class, int> class Convert>
void random_of(const device::Stream& stream, const RandomTask& task, std::int64_t first,
               std::int64_t count, R* out) {
  if (stream.backend == device::Backend::host) {
    constexpr int lanes = 64;
    generate<lanes, R, Convert<R, lanes>>(HostSpace(), task, first, count, out);
  } else {
    on_space(stream, [&](const auto& space) {
      generate<1, R, Convert<R, 1>>(space, task, first, count, out);
    });
  }
}

template <class R>
void random_of(const device::Stream& stream, const RandomTask& task, std::int64_t first,
               std::int64_t count, R* out) {
  if (task.distribution == Distribution::uniform) {
    random_of<R, Uniform>(stream, task, first, count, out);
  } else {
    random_of<R, Normal>(stream, task, first, count, out);
  }
}

}  // namespace

void random(const device::Stream& stream, const RandomTask& task, std::int64_t first,
            std::int64_t count, DType dtype, void* out) {
  require(is_real_floating(dtype), "random numbers are float32 or float64");
  if (count <= 0) return;
  if (dtype == DType::float32) {
    random_of(stream, task, first, count, static_cast<float*>(out));
  } else {
    random_of(stream, task, first, count, static_cast<double*>(out));
  }
}

}  // namespace tessera::kernels
