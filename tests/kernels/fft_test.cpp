// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "fft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "fft_roots.hpp"

namespace tessera::kernels {
namespace {

using Exact = std::complex<long double>;
using std::int64_t;

class Kernels : public testing::Environment {
 public:
  void SetUp() override { runtime_ = std::make_unique<device::Runtime>(2); }
  void TearDown() override { runtime_.reset(); }

 private:
  std::unique_ptr<device::Runtime> runtime_;
};
const auto* const kernels = testing::AddGlobalTestEnvironment(new Kernels);

long double random_value(std::mt19937_64& generator) {
  return static_cast<long double>(std::uniform_real_distribution<double>(-1, 1)(generator));
}

/// exp(-+ 2 pi i e / n).
Exact root(int64_t e, int64_t n, bool inverse) {
  const long double angle =
      2 * std::acos(-1.0L) * static_cast<long double>(e % n) / static_cast<long double>(n);
  return {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
}

std::vector<Exact> naive(const std::vector<Exact>& x, bool inverse) {
  const int64_t n = static_cast<int64_t>(x.size());
  std::vector<Exact> roots(n), result(n);
  for (int64_t e = 0; e < n; ++e) roots[e] = root(e, n, inverse);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) result[k] += x[j] * roots[j * k % n];
  }
  return result;
}

/// Runs a transform with its own table and scratch.
struct Transform {
  FftKind kind = FftKind::complex;
  bool inverse = false;
  double scale = 1;
  int threads = 1;
  bool portable = false;

  void operator()(int64_t n, int axis, const Tile& in, const Tile& out) const {
    const FftPlan plan = make_fft_plan(n, kind);
    const DType real = real_of(out.dtype);
    const device::Stream stream;
    int64_t lines = 1;
    for (int a = 0; a < in.extent().size(); ++a) lines *= a == axis ? 1 : in.extent()[a];
    device::Memory table(device::Space::host, fft_table_bytes(plan, real));
    const int64_t bytes = fft_scratch_bytes(plan, real, lines, stream.backend, threads, portable);
    device::Memory scratch(device::Space::host, bytes + 64);
    std::memset(scratch.data(), 0xFF, bytes + 64);  // NaN everywhere; the end must stay
    fill_fft_table(stream, plan, real, table.data());
    fft(stream, plan, {axis, inverse, scale, table.data(), scratch.data(), threads, portable}, in,
        out);
    for (int64_t i = bytes; i < bytes + 64; ++i)
      ASSERT_EQ(scratch.data()[i], std::byte{0xFF}) << "n " << n;
  }
};

template <class T>
Tile tile_of(std::vector<T>& data, const Shape& shape) {
  return dense_tile(data.data(), dtype_of<T>, Box::whole(shape), shape);
}

template <class A, class B>
double distance(const std::vector<A>& got, const std::vector<B>& expected) {
  long double error = 0;
  long double total = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error += std::norm(Exact(got[i]) - Exact(expected[i]));
    total += std::norm(Exact(expected[i]));
  }
  return static_cast<double>(std::sqrt(error / (total > 0 ? total : 1)));
}

bool has_large_prime(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) n /= p;
    if (n == 1) return false;
  }
  return n > 61;
}

/// The gate: half an epsilon per level; a chirp is three transforms of up to 2.5 n.
template <class T>
double bound(int64_t n) {
  const double levels = std::max(1.0, std::log2(static_cast<double>(n)));
  return std::numeric_limits<T>::epsilon() * (has_large_prime(n) ? 1.0 : 0.5) * levels;
}

std::vector<int64_t> lengths() {
  std::vector<int64_t> result(64);
  std::iota(result.begin(), result.end(), 1);
  for (int64_t base : {2, 3, 5, 7, 11, 13}) {
    for (int64_t power = base; power <= 2500; power *= base) result.push_back(power);
  }
  for (int64_t n : {67, 71, 101, 127, 134, 142, 257, 509, 1009, 2018, 17 * 19, 61 * 61, 67 * 71,
                    2 * 2039, 720, 1000, 2047, 2049, 1920}) {
    result.push_back(n);
  }
  return result;
}

template <class T>
void compare_with_naive(int64_t n) {
  std::mt19937_64 generator(n);
  const int64_t lines = n > 500 ? 1 : 3;
  std::vector<std::complex<T>> data(n * lines), forward(n * lines), back(n * lines);
  for (auto& value : data) {
    value = {static_cast<T>(random_value(generator)), static_cast<T>(random_value(generator))};
  }
  const Shape shape{lines, n};
  Transform{}(n, 1, tile_of(data, shape), tile_of(forward, shape));
  Transform run;
  run.inverse = true;
  run.scale = 1 / static_cast<double>(n);
  run(n, 1, tile_of(forward, shape), tile_of(back, shape));
  for (int64_t line = 0; line < lines; ++line) {
    const std::vector<Exact> x(data.begin() + line * n, data.begin() + (line + 1) * n);
    const std::vector<std::complex<T>> got(forward.begin() + line * n,
                                           forward.begin() + (line + 1) * n);
    EXPECT_LE(distance(got, naive(x, false)), bound<T>(n)) << "n " << n << ", line " << line;
  }
  EXPECT_LE(distance(back, data), 2 * bound<T>(n)) << "n " << n;
}

TEST(Fft, AgreesWithTheDefinition) {
  for (const int64_t n : lengths()) {
    compare_with_naive<double>(n);
    compare_with_naive<float>(n);
  }
}

template <class T>
void compare_real_with_naive(int64_t n) {
  std::mt19937_64 generator(n + 1);
  const int64_t lines = n > 500 ? 1 : 5;
  const int64_t half = n / 2 + 1;
  std::vector<T> data(n * lines), back(n * lines);
  std::vector<std::complex<T>> coefficients(half * lines);
  for (auto& value : data) value = static_cast<T>(random_value(generator));
  Transform{FftKind::real_to_complex}(n, 1, tile_of(data, {lines, n}),
                                      tile_of(coefficients, {lines, half}));
  for (int64_t line = 0; line < lines; ++line) {
    std::vector<Exact> expected =
        naive(std::vector<Exact>(data.begin() + line * n, data.begin() + (line + 1) * n), false);
    expected.resize(half);
    const std::vector<std::complex<T>> got(coefficients.begin() + line * half,
                                           coefficients.begin() + (line + 1) * half);
    EXPECT_LE(distance(got, expected), bound<T>(n)) << "n " << n << ", line " << line;
    // numpy ignores these imaginary parts.
    coefficients[line * half].imag(7);
    if (n % 2 == 0) coefficients[(line + 1) * half - 1].imag(7);
  }
  Transform run{FftKind::complex_to_real};
  run.scale = 1 / static_cast<double>(n);
  run(n, 1, tile_of(coefficients, {lines, half}), tile_of(back, {lines, n}));
  EXPECT_LE(distance(back, data), 2 * bound<T>(n)) << "n " << n;
}

TEST(Fft, RealLinesAgreeWithTheDefinition) {
  for (const int64_t n : lengths()) {
    compare_real_with_naive<double>(n);
    compare_real_with_naive<float>(n);
  }
}

/// A single frequency: one bin holds n, the others nothing (case E01), back and forth.
template <class T>
void compare_with_frequency(int64_t n, double bin_bound, double round_trip_bound) {
  std::vector<std::complex<T>> data(n), forward(n), back(n);
  for (int64_t j = 0; j < n; ++j) data[j] = std::complex<T>(root(3 * j, n, true));
  Transform{}(n, 0, tile_of(data, {n}), tile_of(forward, {n}));
  for (int64_t k = 0; k < n; ++k) {
    const T expected = k == 3 ? static_cast<T>(n) : T(0);
    ASSERT_LE(std::abs(forward[k] - expected), bin_bound * static_cast<double>(n))
        << "n " << n << ", bin " << k;
  }
  Transform{FftKind::complex, true, 1 / static_cast<double>(n)}(n, 0, tile_of(forward, {n}),
                                                                tile_of(back, {n}));
  EXPECT_LE(distance(back, data), round_trip_bound) << "n " << n;
}

TEST(Fft, LongAndPrimeLengths) {
  for (const int64_t n :
       {10007, 51187, 65537, 8192, 65536, 1 << 18, 46656, 100000, 2 * 10007, 4099, 12289}) {
    compare_with_frequency<double>(n, 1e-12, 5e-15);
    compare_with_frequency<float>(n, 1e-5, 2e-6);
  }
}

TEST(Fft, LongRealLinesRoundTrip) {
  for (const int64_t n : {8192, 10007, 2 * 10007, 16384, 99225, 131072}) {
    std::mt19937_64 generator(n);
    std::vector<double> data(2 * n), back(2 * n);
    std::vector<std::complex<double>> as_complex(2 * n), full(2 * n), half(2 * (n / 2 + 1));
    for (int64_t i = 0; i < 2 * n; ++i)
      as_complex[i] = data[i] = static_cast<double>(random_value(generator));
    Transform{FftKind::real_to_complex}(n, 1, tile_of(data, {2, n}), tile_of(half, {2, n / 2 + 1}));
    Transform{}(n, 1, tile_of(as_complex, {2, n}), tile_of(full, {2, n}));
    std::vector<std::complex<double>> expected;
    for (int64_t line = 0; line < 2; ++line) {
      expected.insert(expected.end(), full.begin() + line * n, full.begin() + line * n + n / 2 + 1);
    }
    EXPECT_LE(distance(half, expected), 2 * bound<double>(n)) << n;
    Transform{FftKind::complex_to_real, false, 1 / static_cast<double>(n)}(
        n, 1, tile_of(half, {2, n / 2 + 1}), tile_of(back, {2, n}));
    EXPECT_LE(distance(back, data), 2 * bound<double>(n)) << n;
  }
}

template <class T>
std::vector<T> random_vector(int64_t count, int seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> result(count);
  for (auto& value : result) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(random_value(generator));
    } else {
      using R = typename T::value_type;
      value = {static_cast<R>(random_value(generator)), static_cast<R>(random_value(generator))};
    }
  }
  return result;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// One tensor, every axis, and every way of doing it: vectors of lines and portable kernels, 1 and
/// 2 threads, in place, dense or strided, must give the bits of lines that are done one by one.
template <class In, class Out>
void compare_ways(const Shape& shape, int axis, FftKind kind, bool inverse) {
  const int64_t n = kind == FftKind::complex_to_real ? 2 * shape[axis] - 1 : shape[axis];
  Shape out_shape = shape;
  out_shape[axis] = kind == FftKind::complex ? n : kind == FftKind::complex_to_real ? n : n / 2 + 1;
  std::vector<In> data = random_vector<In>(element_count(shape), axis + 5);
  std::vector<Out> expected(element_count(out_shape)), got(element_count(out_shape));
  Transform run{kind, inverse, 0.3};
  run(n, axis, tile_of(data, shape), tile_of(expected, out_shape));
  for (const bool portable : {false, true}) {
    for (const int threads : {1, 2, 3}) {
      Transform other = run;
      other.portable = portable;
      other.threads = threads;
      std::fill(got.begin(), got.end(), Out(std::numeric_limits<float>::quiet_NaN()));
      other(n, axis, tile_of(data, shape), tile_of(got, out_shape));
      EXPECT_TRUE(same_bits(expected, got)) << to_string(shape) << " axis " << axis << " portable "
                                            << portable << " threads " << threads << " n " << n;
    }
  }
  // Line by line, from a strided tile.
  std::fill(got.begin(), got.end(), Out(std::numeric_limits<float>::quiet_NaN()));
  const Tile in = tile_of(data, shape);
  const Tile out = tile_of(got, out_shape);
  for (int64_t i = 0; i < element_count(shape) / shape[axis]; ++i) {
    Box in_line = Box::whole(shape);
    int64_t rest = i;
    for (int a = shape.size() - 1; a >= 0; --a) {
      if (a == axis) continue;
      in_line.origin[a] = rest % shape[a];
      in_line.extent[a] = 1;
      rest /= shape[a];
    }
    Box out_line = in_line;
    out_line.extent[axis] = out_shape[axis];
    run(n, axis, in.sub(in_line), out.sub(out_line));
  }
  EXPECT_TRUE(same_bits(expected, got))
      << to_string(shape) << " axis " << axis << " lines, n " << n;
  if constexpr (std::is_same_v<In, Out>) {
    run(n, axis, in, in);
    EXPECT_TRUE(same_bits(expected, data)) << to_string(shape) << " axis " << axis << " in place";
  }
}

template <class R>
void compare_all_ways(const Shape& shape) {
  using C = std::complex<R>;
  for (int axis = 0; axis < shape.size(); ++axis) {
    compare_ways<C, C>(shape, axis, FftKind::complex, false);
    compare_ways<C, C>(shape, axis, FftKind::complex, true);
    compare_ways<R, C>(shape, axis, FftKind::complex, false);
    compare_ways<R, C>(shape, axis, FftKind::complex, true);
    compare_ways<R, C>(shape, axis, FftKind::real_to_complex, false);
    compare_ways<C, R>(shape, axis, FftKind::complex_to_real, true);
  }
}

TEST(Fft, AllWaysGiveTheSameBits) {
  for (const Shape& shape :
       {Shape{5, 17, 33}, Shape{16, 32}, Shape{48, 40}, Shape{3, 1, 20}, Shape{71, 9},
        Shape{2, 5000}, Shape{4098, 3}, Shape{5003, 2}, Shape{1}}) {
    compare_all_ways<double>(shape);
    compare_all_ways<float>(shape);
  }
}

TEST(Fft, EmptyTilesAreLeftAlone) {
  std::vector<std::complex<double>> none;
  Transform{}(8, 1, tile_of(none, {0, 8}), tile_of(none, {0, 8}));
}

TEST(FftPlan, DependsOnTheLengthAlone) {
  EXPECT_EQ(make_fft_plan(2048, FftKind::complex).nodes[0].radices, (std::vector<int>{8, 16, 16}));
  EXPECT_EQ(make_fft_plan(60, FftKind::complex).nodes[0].radices, (std::vector<int>{3, 5, 4}));
  const FftPlan split = make_fft_plan(8192, FftKind::complex);
  EXPECT_EQ(split.nodes[split.nodes[0].first].length, 64);
  const FftPlan prime = make_fft_plan(10007, FftKind::complex);
  EXPECT_EQ(prime.nodes[0].kind, FftNode::Kind::chirp);
  EXPECT_EQ(prime.nodes[prime.nodes[0].first].length, 20480);
}

TEST(RootsOfUnity, AreCorrectlyRounded) {
  // Values with 40 digits, rounded to the nearest double by the compiler.
  const auto at = [](int64_t e, int64_t n) { return RootsOfUnity(n).power(e); };
  EXPECT_EQ(at(1, 8).re.high, 0.7071067811865475244008443621048490392848);
  EXPECT_EQ(at(1, 3).im.high, -0.8660254037844386467637231707529361834714);
  EXPECT_EQ(at(1, 5).re.high, 0.3090169943749474241022934171828190588602);
  EXPECT_EQ(at(1, 7).re.high, 0.6234898018587335305250048840042398106323);
  EXPECT_EQ(round_to(at(1, 7).re, 0.0F), 0.6234898018587335305250048840042398106323F);
  for (const int64_t n : {1, 2, 4, 4096}) {
    EXPECT_EQ(at(0, n).re.high, 1);
    EXPECT_EQ(at(0, n).im.high, 0);
  }
  EXPECT_EQ(at(1024, 4096).re.high, 0);
  EXPECT_EQ(at(1024, 4096).im.high, -1);
  for (int64_t n : {97, 4096, 65537, 1000003}) {
    const RootsOfUnity roots(n);
    for (int64_t e = 0; e < n; e += n / 97) {
      const Exact expected = root(e, n, false);
      EXPECT_NEAR(roots.power(e).re.high, static_cast<double>(expected.real()), 1.2e-16);
      EXPECT_NEAR(roots.power(e).im.high, static_cast<double>(expected.imag()), 1.2e-16);
    }
  }
}

}  // namespace
}  // namespace tessera::kernels
