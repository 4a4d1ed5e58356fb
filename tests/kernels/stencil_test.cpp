// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "stencil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tessera::kernels {
namespace {

const device::Stream host;

void start_runtime() { static device::Runtime instance(2); }

constexpr Boundary all_boundaries[] = {Boundary::fixed,  Boundary::periodic, Boundary::reflect,
                                       Boundary::mirror, Boundary::nearest,  Boundary::constant};

/// A whole tensor of real numbers; `parts` numbers per element.
template <class T>
struct Field {
  Shape shape;
  std::vector<T> values;
  int parts = 1;
};

template <class T>
Field<T> random_field(const Shape& shape, int parts, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Field<T> field{shape, {}, parts};
  field.values.resize(static_cast<std::size_t>(element_count(shape) * parts));
  for (T& value : field.values) value = static_cast<T>(uniform(random));
  return field;
}

/// All taps of a box of this radius, some of them absent.
Stencil make_stencil(std::vector<int> axes, const Extents& radius, Boundary boundary, bool add) {
  Stencil stencil;
  stencil.axes = std::move(axes);
  stencil.radius = radius;
  stencil.boundary.assign(stencil.axes.size(), boundary);
  stencil.add_input = add;
  stencil.value = 0.3;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Index offset = radius;
  for (int a = 0; a < radius.size(); ++a) offset[a] = -radius[a];
  while (true) {
    if (random() % 5 != 0) stencil.taps.push_back({offset, uniform(random)});
    int a = radius.size() - 1;
    for (; a >= 0; --a) {
      if (++offset[a] <= radius[a]) break;
      offset[a] = -radius[a];
    }
    if (a < 0) return stencil;
  }
}

std::int64_t flat(const Shape& shape, const Index& index) {
  std::int64_t at = 0;
  for (int a = 0; a < shape.size(); ++a) at = at * shape[a] + index[a];
  return at;
}

/// One sweep of a whole tensor, cell by cell, as the header defines it.
template <class T>
Field<T> reference_sweep(const Stencil& stencil, const Field<T>& in) {
  Field<T> out = in;
  const std::int64_t cells = element_count(in.shape);
  Index at = Extents::filled(in.shape.size(), 0);
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    bool kept = false;
    for (std::size_t s = 0; s < stencil.axes.size(); ++s) {
      const int axis = stencil.axes[s];
      const std::int64_t r = stencil.radius[static_cast<int>(s)];
      kept = kept || (stencil.boundary[s] == Boundary::fixed &&
                      (at[axis] < r || at[axis] >= in.shape[axis] - r));
    }
    for (int part = 0; part < in.parts && !kept; ++part) {
      T sum = stencil.add_input ? in.values[cell * in.parts + part] : T(0);
      for (const Stencil::Tap& tap : stencil.taps) {
        Index from = at;
        bool outside = false;
        for (std::size_t s = 0; s < stencil.axes.size(); ++s) {
          const int axis = stencil.axes[s];
          from[axis] = source_index(stencil.boundary[s], at[axis] + tap.offset[static_cast<int>(s)],
                                    in.shape[axis]);
          outside = outside || from[axis] < 0;
        }
        const T value = outside ? (part == 0 ? static_cast<T>(stencil.value) : T(0))
                                : in.values[flat(in.shape, from) * in.parts + part];
        sum = std::fma(static_cast<T>(tap.weight), value, sum);
      }
      out.values[cell * in.parts + part] = sum == sum ? sum : std::numeric_limits<T>::quiet_NaN();
    }
    for (int a = at.size() - 1; a >= 0; --a) {
      if (++at[a] < in.shape[a]) break;
      at[a] = 0;
    }
  }
  return out;
}

template <class T>
DType dtype_of_field(const Field<T>& field) {
  return field.parts == 2 ? complex_of(dtype_of<T>) : dtype_of<T>;
}

template <class T>
Tile tile_of(Field<T>& field, const Box& box) {
  return dense_tile(field.values.data(), dtype_of_field(field), box, field.shape);
}

template <class T>
void expect_same_bits(const Field<T>& got, const Field<T>& want, const std::string& what) {
  ASSERT_EQ(got.values.size(), want.values.size());
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    if (std::memcmp(&got.values[i], &want.values[i], sizeof(T)) != 0) {
      FAIL() << what << ": number " << i << " is " << got.values[i] << ", expected "
             << want.values[i];
    }
  }
}

template <class T>
Field<T> poisoned(const Field<T>& like) {
  Field<T> result = like;
  std::fill(result.values.begin(), result.values.end(), T(-777));
  return result;
}

/// The fast path from one whole tile, for several numbers of sweeps and threads.
template <class T>
void check_sweeps(const Stencil& stencil, Field<T> in, int most_sweeps, const std::string& what) {
  start_runtime();
  Field<T> want = in;
  const Box whole = Box::whole(in.shape);
  for (int sweeps = 1; sweeps <= most_sweeps; ++sweeps) {
    want = reference_sweep(stencil, want);
    for (const int threads : {1, 3}) {
      Field<T> got = poisoned(in);
      StencilPass pass{whole, sweeps, threads};
      std::vector<std::byte> scratch(static_cast<std::size_t>(
          stencil_scratch_bytes(stencil, dtype_of_field(in), in.shape, pass)));
      pass.scratch = scratch.data();
      const Tile source = tile_of(in, whole);
      apply_stencil(host, stencil, {&source, 1}, tile_of(got, whole), pass);
      expect_same_bits(got, want, what + ", " + std::to_string(sweeps) + " sweeps");
    }
  }
}

template <class T>
void check_plain(const Stencil& stencil, Field<T> in, const std::string& what) {
  start_runtime();
  const Box whole = Box::whole(in.shape);
  Field<T> got = poisoned(in);
  const Tile source = tile_of(in, whole);
  apply_stencil_plainly(host, stencil, {&source, 1}, tile_of(got, whole), whole);
  expect_same_bits(got, reference_sweep(stencil, in), what + ", plain");
}

template <class T>
void check_all(const std::vector<int>& axes, const Shape& shape, const Extents& radius, int parts) {
  for (const Boundary boundary : all_boundaries) {
    for (const bool add : {false, true}) {
      const Stencil stencil = make_stencil(axes, radius, boundary, add);
      const Field<T> in = random_field<T>(shape, parts, 3);
      const std::string what = "shape " + to_string(shape) + " radius " + to_string(radius) +
                               " boundary " + std::to_string(static_cast<int>(boundary)) +
                               (add ? " added" : "");
      check_plain(stencil, in, what);
      check_sweeps(stencil, in, 4, what);
    }
  }
}

TEST(Stencil, LinesOfAllSizes) {
  for (const std::int64_t n : {1, 2, 3, 7, 8, 33, 100, 1031}) {
    for (const std::int64_t r : {0, 1, 2, 4}) {
      check_all<double>({0}, {n}, {r}, 1);
      check_all<float>({0}, {n}, {r}, 1);
    }
  }
}

TEST(Stencil, PlanesOfAllSizes) {
  for (const Shape& shape :
       {Shape{1, 1}, Shape{1, 9}, Shape{2, 3}, Shape{9, 1}, Shape{13, 37}, Shape{40, 70}}) {
    check_all<double>({0, 1}, shape, {1, 1}, 1);
    check_all<float>({0, 1}, shape, {2, 1}, 1);
    check_all<double>({0, 1}, shape, {0, 3}, 1);
    check_all<double>({0, 1}, shape, {4, 4}, 1);
  }
}

TEST(Stencil, CubesOfAllSizes) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{3, 2, 5}, Shape{7, 9, 21}}) {
    check_all<double>({0, 1, 2}, shape, {1, 1, 1}, 1);
    check_all<float>({0, 1, 2}, shape, {1, 2, 1}, 1);
  }
  check_all<double>({0, 1, 2}, {6, 5, 9}, {3, 3, 3}, 1);
}

TEST(Stencil, ComplexNumbersAndBatches) {
  check_all<double>({0}, {19}, {2}, 2);
  check_all<float>({0, 1}, {9, 11}, {1, 1}, 2);
  check_all<double>({1, 2}, {3, 8, 9}, {1, 1}, 1);   // batch before
  check_all<double>({0, 1}, {8, 9, 3}, {1, 1}, 1);   // narrow batch behind
  check_all<double>({0, 1}, {8, 9, 70}, {1, 1}, 1);  // wide batch behind
  check_all<float>({0}, {8, 5, 3}, {2}, 2);
  check_all<double>({0, 2}, {6, 2, 9}, {1, 1}, 1);  // batch between
  check_all<double>({1, 3}, {2, 6, 2, 9, 2}, {1, 2}, 2);
}

TEST(Stencil, RegionsLargerThanTheCaches) {
  Stencil star;
  star.axes = {0, 1};
  star.radius = {1, 1};
  star.boundary = {Boundary::fixed, Boundary::periodic};
  star.add_input = true;
  star.taps = {{{-1, 0}, 0.1}, {{0, -1}, 0.1}, {{0, 0}, -0.4}, {{0, 1}, 0.1}, {{1, 0}, 0.1}};
  check_sweeps(star, random_field<double>({300, 5003}, 1, 5), 3, "plane");
  check_sweeps(star, random_field<double>({3, 200001}, 1, 5), 3, "long rows");
  check_sweeps(make_stencil({0}, {2}, Boundary::reflect, false),
               random_field<float>({300007}, 1, 5), 3, "long line");
  check_sweeps(make_stencil({0, 1, 2}, {1, 1, 1}, Boundary::reflect, true),
               random_field<double>({20, 150, 301}, 1, 5), 2, "cube");
}

TEST(Stencil, MoreTapsThanOneLaunchTakes) {
  check_all<float>({0, 1}, {9, 12}, {4, 4}, 1);
  check_all<double>({0, 1, 2}, {4, 5, 6}, {2, 2, 2}, 2);
}

TEST(Stencil, NoTaps) {
  Stencil none;
  none.axes = {0};
  none.radius = {1};
  none.boundary = {Boundary::reflect};
  check_sweeps(none, random_field<double>({50}, 1, 1), 2, "no taps");
  none.add_input = true;
  check_plain(none, random_field<double>({50}, 1, 1), "no taps");
  check_sweeps(none, random_field<double>({50}, 1, 1), 2, "no taps, added");
}

TEST(Stencil, SpecialValues) {
  Field<double> in = random_field<double>({6, 40}, 1, 11);
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  in.values[17] = inf;
  in.values[18] = -inf;
  in.values[60] = -nan;
  in.values[100] = -0.0;
  in.values[130] = 5e-324;
  in.values[131] = 1.7e308;
  for (const Boundary boundary : all_boundaries) {
    const Stencil stencil = make_stencil({0, 1}, {1, 1}, boundary, true);
    check_plain(stencil, in, "special values");
    check_sweeps(stencil, in, 3, "special values");
  }
}

/// Cuts a tensor along `axis` as ranks would, gives each part ghost cells in tiles of their own,
/// and compares every part's result with the whole's.
template <class T>
void check_pieces(const Stencil& stencil, Field<T> in, int s, std::int64_t parts, int sweeps) {
  start_runtime();
  Field<T> want = in;
  for (int i = 0; i < sweeps; ++i) want = reference_sweep(stencil, want);
  const int axis = stencil.axes[static_cast<std::size_t>(s)];
  const std::int64_t n = in.shape[axis];
  const Boundary boundary = stencil.boundary[static_cast<std::size_t>(s)];
  Field<T> got = poisoned(in);
  for (std::int64_t part = 0; part < parts; ++part) {
    const Interval own{n * part / parts, n * (part + 1) / parts};
    if (own.begin == own.end) continue;
    const Interval wide = widened(boundary, own, sweeps * stencil.radius[s], n);
    std::vector<Field<T>> fields;
    std::vector<Tile> tiles;
    for (const Interval& cells :
         {own, Interval{wide.begin, own.begin}, Interval{own.end, wide.end}}) {
      Box box = Box::whole(in.shape);
      box.origin[axis] = cells.begin;
      box.extent[axis] = cells.end - cells.begin;
      Field<T> field{in.shape, {}, in.parts};
      Index at = box.origin;
      for (std::int64_t i = 0; i < box.elements(); ++i) {
        Index from = at;
        from[axis] = source_index(boundary, at[axis], n);
        for (int p = 0; p < in.parts; ++p) {
          field.values.push_back(in.values[flat(in.shape, from) * in.parts + p]);
        }
        for (int a = at.size() - 1; a >= 0; --a) {
          if (++at[a] < box.end(a)) break;
          at[a] = box.origin[a];
        }
      }
      fields.push_back(std::move(field));
      tiles.push_back(dense_tile(nullptr, dtype_of_field(in), box, in.shape));
    }
    for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i].data = fields[i].values.data();
    for (const bool plain : {false, true}) {
      if (plain && sweeps > 1) continue;
      Field<T> out = poisoned(fields[0]);
      Tile target = tiles[0];
      target.data = out.values.data();
      StencilPass pass{tiles[0].box, sweeps, 2};
      std::vector<std::byte> scratch(static_cast<std::size_t>(
          stencil_scratch_bytes(stencil, dtype_of_field(in), in.shape, pass)));
      pass.scratch = scratch.data();
      if (plain) {
        apply_stencil_plainly(host, stencil, tiles, target, pass.region);
      } else {
        apply_stencil(host, stencil, tiles, target, pass);
      }
      Index at = pass.region.origin;
      for (std::int64_t i = 0; i < pass.region.elements(); ++i) {
        for (int p = 0; p < in.parts; ++p) {
          const T value = out.values[i * in.parts + p];
          const T expected = want.values[flat(in.shape, at) * in.parts + p];
          ASSERT_EQ(std::memcmp(&value, &expected, sizeof(T)), 0)
              << "part " << part << " of " << parts << " along axis " << axis << ", "
              << to_string(at) << ", boundary " << static_cast<int>(boundary) << ", sweeps "
              << sweeps << (plain ? ", plain" : "");
        }
        for (int a = at.size() - 1; a >= 0; --a) {
          if (++at[a] < pass.region.end(a)) break;
          at[a] = pass.region.origin[a];
        }
      }
    }
  }
}

TEST(Stencil, GhostCellsInTilesOfTheirOwn) {
  for (const Boundary boundary : all_boundaries) {
    for (const int sweeps : {1, 2, 3}) {
      for (const std::int64_t parts : {1, 2, 3, 7}) {
        const Stencil line = make_stencil({0}, {2}, boundary, false);
        check_pieces(line, random_field<double>({23}, 1, 2), 0, parts, sweeps);
        check_pieces(line, random_field<float>({3, 5}, 2, 2), 0, parts, sweeps);
        const Stencil plane = make_stencil({0, 1}, {1, 2}, boundary, true);
        check_pieces(plane, random_field<double>({14, 9}, 1, 2), 0, parts, sweeps);
        check_pieces(plane, random_field<double>({14, 9}, 1, 2), 1, parts, sweeps);
        check_pieces(plane, random_field<float>({5, 14, 3}, 1, 2), 0, parts, sweeps);
      }
    }
  }
}

TEST(SourceIndex, FollowsThePictures) {
  const auto picture = [](Boundary boundary) {
    std::string text;
    for (std::int64_t i = -5; i < 9; ++i) {
      const std::int64_t at = source_index(boundary, i, 4);
      text += at < 0 ? '-' : static_cast<char>('a' + at);
    }
    return text;
  };
  EXPECT_EQ(picture(Boundary::periodic), "dabcdabcdabcda");
  EXPECT_EQ(picture(Boundary::reflect), "ddcbaabcddcbaa");
  EXPECT_EQ(picture(Boundary::mirror), "bcdcbabcdcbabc");
  EXPECT_EQ(picture(Boundary::nearest), "aaaaaabcdddddd");
  EXPECT_EQ(picture(Boundary::constant), "-----abcd-----");
  EXPECT_EQ(source_index(Boundary::mirror, 5, 1), 0);
  EXPECT_EQ(source_index(Boundary::reflect, -3, 1), 0);
}

}  // namespace
}  // namespace tessera::kernels
