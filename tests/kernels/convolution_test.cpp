// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "convolution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tessera::kernels {
namespace {

const device::Stream host;

device::Runtime& runtime() {
  static device::Runtime instance(2);
  return instance;
}

// The definition, one element at a time.
template <class R>
R canonical(R x) {
  return x == x ? x : std::numeric_limits<R>::quiet_NaN();
}
template <class R>
std::complex<R> canonical(std::complex<R> x) {
  return {canonical(x.real()), canonical(x.imag())};
}
double chain(double w, double x, double sum) { return std::fma(w, x, sum); }
float chain(float w, float x, float sum) { return std::fma(w, x, sum); }
template <class R>
std::complex<R> chain(std::complex<R> w, std::complex<R> x, std::complex<R> sum) {
  R re = std::fma(w.real(), x.real(), sum.real());
  re = std::fma(-w.imag(), x.imag(), re);
  R im = std::fma(w.real(), x.imag(), sum.imag());
  im = std::fma(w.imag(), x.real(), im);
  return {re, im};
}

template <class T>
void fill(std::vector<T>& values, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> real(-1, 1);
  for (T& value : values) {
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(real(random));
    } else {
      using R = typename T::value_type;
      value = {static_cast<R>(real(random)), static_cast<R>(real(random))};
    }
  }
}

/// Whole tensors of a convolution.
struct Sizes {
  Shape batch = {2};
  std::int64_t inputs = 1;   ///< channels
  std::int64_t outputs = 1;  ///< channels
  Shape cells = {9, 11};
  Shape taps = {3, 3};
  bool bias = false;
};

/// Moves an index on in row-major order; false after the last one.
bool next(Index& index, const Shape& shape) {
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    if (++index[axis] < shape[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

template <class T>
class Convolve : public testing::Test {
 public:
  struct Case {
    Convolution form;
    Sizes sizes;
    Shape in, out, weights;
    std::vector<T> x, w, b, y;

    Case(const Sizes& sizes_, Convolution form_) : form(form_), sizes(sizes_) {
      runtime();
      form.axes = sizes.taps.size();
      for (Extents* extents : {&form.stride, &form.dilation, &form.padding}) {
        const std::int64_t value = extents == &form.padding ? 0 : 1;
        *extents = complete(*extents, value);
      }
      in = sizes.batch;
      in.push_back(sizes.inputs);
      out = sizes.batch;
      out.push_back(sizes.outputs);
      weights = {sizes.outputs, sizes.inputs / form.groups};
      for (int s = 0; s < form.axes; ++s) {
        in.push_back(sizes.cells[s]);
        weights.push_back(sizes.taps[s]);
        out.push_back(convolved_extent(sizes.cells[s], 2 * form.padding[s], sizes.taps[s],
                                       form.stride[s], form.dilation[s]));
      }
      x.resize(element_count(in));
      w.resize(element_count(weights));
      b.resize(sizes.outputs);
      y.assign(element_count(out), T(7));
      fill(x, 1);
      fill(w, 2);
      fill(b, 3);
    }
    Extents complete(Extents given, std::int64_t value) const {
      while (given.size() > form.axes) given.erase(given.size() - 1);
      while (given.size() < form.axes) given.push_back(value);
      return given;
    }

    T element(const Index& at) const {
      const int channel = sizes.batch.size();
      const std::int64_t o = at[channel];
      const std::int64_t group = o / (sizes.outputs / form.groups);
      T sum = sizes.bias ? b[o] : T{};
      for (std::int64_t c = 0; c < weights[1]; ++c) {
        Index tap = Extents::filled(form.axes, 0);
        do {
          Index cell = at;
          Index weight = {o, c};
          cell[channel] = group * weights[1] + c;
          bool inside = true;
          for (int s = 0; s < form.axes; ++s) {
            const std::int64_t i =
                at[channel + 1 + s] * form.stride[s] + tap[s] * form.dilation[s] - form.padding[s];
            inside = inside && i >= 0 && i < sizes.cells[s];
            cell[channel + 1 + s] = i;
            weight.push_back(form.reversed ? sizes.taps[s] - 1 - tap[s] : tap[s]);
          }
          const T value = inside ? x[offset(cell, in)] : T{};
          sum = chain(w[offset(weight, weights)], value, sum);
        } while (next(tap, sizes.taps));
      }
      return canonical(sum);
    }
    static std::int64_t offset(const Index& index, const Shape& shape) {
      return offset_in({index, Extents::filled(shape.size(), 1)}, Box::whole(shape));
    }
    std::vector<T> definition() const {
      std::vector<T> result;
      if (element_count(out) == 0) return result;
      Index at = Extents::filled(out.size(), 0);
      do {
        result.push_back(element(at));
      } while (next(at, out));
      return result;
    }

    ConvolutionTiles tiles() {
      const auto tile = [](std::vector<T>& data, const Shape& shape) {
        return dense_tile(data.data(), dtype_of<T>, Box::whole(shape), shape);
      };
      ConvolutionTiles result{tile(x, in), tile(w, weights), tile(b, {sizes.outputs}),
                              tile(y, out)};
      if (!sizes.bias) result.bias.data = nullptr;
      return result;
    }
    void run(const ConvolutionTiles& all, int threads) {
      const device::Memory scratch(
          device::Space::host,
          convolution_scratch_bytes(device::Backend::host, form, all, threads));
      std::fill_n(scratch.data(), scratch.bytes(), std::byte{0xff});  // NaN, which may not count
      convolve(host, form, all, threads, scratch.data());
    }
    [[nodiscard]] std::string text() const {
      return std::string(name_of(dtype_of<T>)) + " in " + to_string(in) + " weights " +
             to_string(weights) + " stride " + to_string(form.stride) + " dilation " +
             to_string(form.dilation) + " padding " + to_string(form.padding) + " groups " +
             std::to_string(form.groups) + (form.reversed ? " reversed" : "");
    }
  };

  static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
  }

  static void check(const Sizes& sizes, const Convolution& form = {}) {
    Case one(sizes, form);
    const std::vector<T> expected = one.definition();
    for (const int threads : {1, 2, 5}) {
      one.y.assign(one.y.size(), T(7));
      one.run(one.tiles(), threads);
      ASSERT_TRUE(same(one.y, expected)) << one.text() << " on " << threads << " threads";
    }
    one.y.assign(one.y.size(), T(7));
    convolve_portably(host, one.form, one.tiles());
    ASSERT_TRUE(same(one.y, expected)) << one.text() << ", portably";
  }
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Convolve, Types);

Convolution form_of(const Extents& stride, const Extents& dilation, const Extents& padding,
                    std::int64_t groups = 1, bool reversed = false) {
  Convolution form;
  form.stride = stride;
  form.dilation = dilation;
  form.padding = padding;
  form.groups = groups;
  form.reversed = reversed;
  return form;
}

TYPED_TEST(Convolve, IsTheChainOfTheDefinitionForEveryNumberOfChannels) {
  for (const std::int64_t inputs : {1, 2, 5}) {
    for (std::int64_t outputs = 1; outputs <= 18; ++outputs) {
      this->check({{1}, inputs, outputs, {6, 21}, {3, 2}, outputs % 2 == 0},
                  form_of({1, 1}, {1, 1}, {1, 0}));
    }
  }
}

TYPED_TEST(Convolve, TakesEveryWidthAndHeight) {
  for (std::int64_t width = 1; width <= 150; width += 7) {
    this->check({{1}, 1, 1, {3, width}, {3, 3}}, form_of({1, 1}, {1, 1}, {1, 1}));
    this->check({{1}, 2, 5, {2, width}, {1, 3}}, form_of({1, 1}, {1, 1}, {0, 1}));
  }
  for (std::int64_t height = 1; height <= 75; height += 9) {
    for (const std::int64_t taps : {1, 2, 3, 5, 8}) {
      this->check({{1}, 1, 1, {height, 5}, {taps, 2}}, form_of({1, 1}, {1, 1}, {taps / 2, 1}));
      this->check({{1}, 2, 2, {height, 6}, {taps, taps}, true},
                  form_of({1, 1 + taps % 2}, {1, 2}, {taps / 2, taps}, 2, taps == 3));
    }
  }
}

TYPED_TEST(Convolve, StridesDilatesPadsAndReverses) {
  for (const std::int64_t stride : {1, 2, 3, 5}) {
    for (const std::int64_t dilation : {1, 2, 3}) {
      for (const std::int64_t padding : {0, 1, 4}) {
        const bool reversed = (stride + dilation + padding) % 2 == 0;
        this->check({{2}, 2, 3, {13, 17}, {3, 4}, true},
                    form_of({stride, 1}, {1, dilation}, {padding, padding}, 1, reversed));
        this->check({{1}, 1, 5, {13, 17}, {2, 3}},
                    form_of({1, stride}, {dilation, stride}, {padding, 0}, 1, reversed));
        this->check({{1}, 3, 1, {14, 19}, {4, 3}},
                    form_of({dilation, stride}, {stride, dilation}, {0, padding}, 1, !reversed));
      }
    }
  }
}

TYPED_TEST(Convolve, KeepsGroupsApart) {
  for (const std::int64_t groups : {1, 2, 3, 6}) {
    this->check({{2}, 6, 12, {5, 7}, {3, 3}, true}, form_of({1, 1}, {1, 1}, {1, 1}, groups));
    this->check({{2}, 6, 6, {5, 7}, {3, 3}}, form_of({2, 2}, {1, 1}, {1, 1}, groups));
  }
}

TYPED_TEST(Convolve, HasOneToThreeAxesAndAnyBatches) {
  this->check({{3}, 2, 4, {50}, {7}}, form_of({1}, {1}, {3}));
  this->check({{}, 1, 1, {333}, {5}}, form_of({2}, {3}, {4}, 1, true));
  this->check({{2, 3}, 1, 1, {40}, {9}}, form_of({1}, {1}, {8}, 1, true));
  this->check({{2}, 2, 3, {5, 6, 7}, {3, 2, 4}, true}, form_of({1, 1, 1}, {1, 1, 1}, {1, 1, 2}));
  this->check({{}, 1, 1, {6, 5, 40}, {4, 3, 2}}, form_of({1, 2, 1}, {2, 1, 3}, {3, 0, 1}, 1, true));
  this->check({{2, 1, 2}, 4, 4, {4, 4, 4}, {2, 2, 2}}, form_of({2, 2, 2}, {1, 1, 1}, {0, 1, 1}, 4));
  this->check({{3}, 1, 1, {9, 4, 10}, {5, 1, 1}},
              form_of({1, 1, 1}, {1, 1, 1}, {4, 0, 0}, 1, true));
}

TYPED_TEST(Convolve, TakesEmptyTensors) {
  this->check({{0}, 2, 3, {5, 5}, {3, 3}});
  this->check({{2}, 0, 3, {5, 5}, {3, 3}, true});
  this->check({{2}, 0, 3, {5, 5}, {3, 3}, false});
  this->check({{2}, 2, 0, {5, 5}, {3, 3}});
  this->check({{2}, 2, 2, {2, 5}, {3, 3}});
  this->check({{2}, 2, 2, {0, 5}, {3, 3}}, form_of({1, 1}, {1, 1}, {2, 1}));
}

TYPED_TEST(Convolve, GoesOnFromOneBlockOfChannelsToTheNext) {
  this->check({{1}, 400, 3, {5, 33}, {3, 3}, true}, form_of({1, 1}, {1, 1}, {1, 1}));
  this->check({{1}, 30, 1, {40, 300}, {3, 1}}, form_of({1, 1}, {1, 1}, {1, 0}));
  this->check({{1}, 1, 2, {70, 70}, {67, 65}, true}, form_of({1, 1}, {1, 1}, {3, 2}, 1, true));
}

TYPED_TEST(Convolve, MakesOneNaN) {
  typename Convolve<TypeParam>::Case one({{1}, 1, 1, {5, 6}, {3, 3}},
                                         form_of({1, 1}, {1, 1}, {1, 1}));
  using R = decltype(std::abs(TypeParam{}));
  one.x[7] = -std::numeric_limits<R>::quiet_NaN();
  one.x[20] = std::numeric_limits<R>::infinity();
  const std::vector<TypeParam> expected = one.definition();
  one.run(one.tiles(), 1);
  EXPECT_TRUE(this->same(one.y, expected));
  convolve_portably(host, one.form, one.tiles());
  EXPECT_TRUE(this->same(one.y, expected));
}

/// Every part of the output, from the cells of the input that it needs alone.
TYPED_TEST(Convolve, OfAPartHasTheBitsOfTheWhole) {
  typename Convolve<TypeParam>::Case one({{3}, 4, 6, {11, 13}, {3, 4}, true},
                                         form_of({2, 1}, {1, 2}, {2, 3}, 2));
  const std::vector<TypeParam> expected = one.definition();
  const ConvolutionTiles all = one.tiles();
  const auto run = [&](const Box& part) {
    ConvolutionTiles tiles = all;
    tiles.output = all.output.sub(part);
    Box need = all.input.box;
    need.origin[0] = part.origin[0];
    need.extent[0] = part.extent[0];
    for (const int a : {2, 3}) {
      const int s = a - 2;
      const std::int64_t begin = part.origin[a] * one.form.stride[s] - one.form.padding[s];
      const std::int64_t end = (part.end(a) - 1) * one.form.stride[s] - one.form.padding[s] +
                               (one.sizes.taps[s] - 1) * one.form.dilation[s] + 1;
      need.origin[a] = begin;
      need.extent[a] = std::max<std::int64_t>(end - begin, 0);
    }
    need = intersect(need, all.input.box);
    tiles.input = all.input.sub(need);
    one.run(tiles, 2);
  };
  Index cut = {1, 1, 1, 1};
  do {
    one.y.assign(one.y.size(), TypeParam(7));
    for (int corner = 0; corner < 16; ++corner) {
      Box part = all.output.box;
      for (int a = 0; a < 4; ++a) {
        const bool upper = (corner >> a & 1) != 0;
        part.origin[a] = upper ? cut[a] : 0;
        part.extent[a] = upper ? one.out[a] - cut[a] : cut[a];
      }
      run(part);
    }
    ASSERT_TRUE(this->same(one.y, expected)) << "cut at " << to_string(cut);
  } while (next(cut, one.out));
}

}  // namespace
}  // namespace tessera::kernels
