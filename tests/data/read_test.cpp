// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <cstring>
#include <numeric>

#include "data/dataset.hpp"
#include "data/temp_folder.hpp"

namespace tessera::data {
namespace {

template <class T>
std::vector<T> values(const std::string& file, const std::string& dataset) {
  const Dataset opened = InputFile(example(file)).open(dataset);
  EXPECT_EQ(opened.info().dtype, dtype_of<T>) << dataset;
  std::vector<T> result(static_cast<std::size_t>(element_count(opened.info().shape)));
  opened.read(Box::whole(opened.info().shape), result.data());
  return result;
}

template <class T>
std::vector<T> counted(std::size_t count) {
  std::vector<T> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<T>(i);
  return result;
}

TEST(Read, IntegersOfEveryWidthAndByteOrder) {
  for (const std::string order : {"", "_be"}) {
    for (const std::string name : {"i1", "i2", "u2", "i4"}) {
      EXPECT_EQ(values<std::int32_t>("types.h5", name + order), counted<std::int32_t>(24)) << name;
    }
    for (const std::string name : {"u4", "i8", "u8"}) {
      EXPECT_EQ(values<std::int64_t>("types.h5", name + order), counted<std::int64_t>(24)) << name;
    }
    EXPECT_EQ(values<std::uint8_t>("types.h5", "u1" + order), counted<std::uint8_t>(24));
  }
  const auto negative = values<std::int32_t>("types.h5", "i1_negative");
  EXPECT_EQ(negative.front(), -128);
  EXPECT_EQ(negative.back(), 127);
  EXPECT_EQ(values<std::int32_t>("types.h5", "u2_top").back(), 65535);
  EXPECT_EQ(values<std::int64_t>("types.h5", "u4_top").back(), 4294967295);
  EXPECT_EQ(values<std::int64_t>("types.h5", "u8_top").back(), 9223372036854775807);
}

TEST(Read, RealNumbersOfEveryWidthAndByteOrder) {
  for (const std::string order : {"", "_be"}) {
    EXPECT_EQ(values<float>("types.h5", "f4" + order), counted<float>(24));
    EXPECT_EQ(values<double>("types.h5", "f8" + order), counted<double>(24));
  }
}

void expect_same_numbers(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else {
      EXPECT_EQ(std::memcmp(&found[i], &expected[i], sizeof(float)), 0) << i;
    }
  }
}

TEST(Read, EveryFloat16AndBfloat16) {
  const auto expected = values<float>("types.h5", "f2_as_f4");
  expect_same_numbers(values<float>("types.h5", "f2"), expected);
  expect_same_numbers(values<float>("types.h5", "f2_be"), expected);
  expect_same_numbers(values<float>("types.h5", "bf2"), values<float>("types.h5", "bf2_as_f4"));
}

template <class Real>
void expect_pairs(const std::string& name) {
  const auto found = values<std::complex<Real>>("types.h5", name);
  ASSERT_EQ(found.size(), 6u);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i], std::complex<Real>(static_cast<Real>(2 * i), static_cast<Real>(2 * i + 1)))
        << name;
  }
}

TEST(Read, ComplexPairs) {
  for (const std::string name : {"c4", "c8", "c8_be"}) expect_pairs<float>(name);
  for (const std::string name : {"c16", "c16_be", "c16_named"}) expect_pairs<double>(name);
}

TEST(Read, BooleansEnumerationsAndBits) {
  EXPECT_EQ(values<std::uint8_t>("types.h5", "bool"), (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(values<std::int32_t>("types.h5", "enum"), (std::vector<std::int32_t>{3, 7, 3}));
  EXPECT_EQ(values<std::uint8_t>("types.h5", "bits"), (std::vector<std::uint8_t>{0, 128, 255}));
}

TEST(Read, ScalarsAndEmptyDatasets) {
  EXPECT_EQ(values<double>("types.h5", "scalar"), std::vector<double>{3.5});
  EXPECT_EQ(probe(example("types.h5"), "/scalar").shape, Shape{});
  EXPECT_TRUE(values<double>("types.h5", "empty").empty());
  EXPECT_EQ(probe(example("types.h5"), "/empty").shape, (Shape{0, 5}));
}

TEST(Read, CompressedFilesInPieces) {
  for (const std::string name : {"gz", "sz"}) {
    const Dataset dataset = InputFile(example("cases.h5")).open(name);
    for (std::int64_t begin = 0; begin < 1000; begin += 333) {  // pieces cross chunk borders
      const Box box{{begin, 2}, {std::min<std::int64_t>(333, 1000 - begin), 7}};
      std::vector<std::int32_t> found(static_cast<std::size_t>(box.elements()));
      dataset.read(box, found.data());
      for (std::int64_t i = 0; i < box.elements(); ++i) {
        ASSERT_EQ(found[static_cast<std::size_t>(i)], (begin + i / 7) * 10 + 2 + i % 7);
      }
    }
  }
  EXPECT_EQ(values<float>("cases.h5", "unwritten"), std::vector<float>(20, 7.0F));
}

TEST(Read, BigEndianSumsOfCaseA01) {
  const auto x = values<std::int32_t>("cases.h5", "a01_x");
  EXPECT_EQ(std::accumulate(x.begin(), x.end(), 0), 190);
  const auto y = values<float>("cases.h5", "a01_y");
  EXPECT_NEAR(std::accumulate(y.begin(), y.end(), 0.0), 499.9994999996298, 5e-10);
}

std::vector<double> selected(const std::string& name, const std::string& selection,
                             const Box& box) {
  const Dataset dataset = InputFile(example("cases.h5")).open(name);
  std::vector<double> found(static_cast<std::size_t>(box.elements()));
  dataset.read(box, Selection::parse(selection).resolve(dataset.info().shape), found.data());
  return found;
}

TEST(Read, SelectionsOfCaseB03) {
  EXPECT_EQ(selected("b03_x", "[:, 0:1]", {{0, 0}, {1, 1}}), std::vector<double>{1});
  const auto y = selected("b03_y", "[::3, 1:5]", {{0, 0}, {4, 4}});
  EXPECT_EQ(std::accumulate(y.begin(), y.end(), 0.0), 760);
  EXPECT_EQ(selected("b03_y", "[::3, 1:5]", {{2, 1}, {2, 2}}),
            (std::vector<double>{62, 63, 92, 93}));
}

TEST(Read, SelectionsThatDropAxes) {
  const Dataset cube = InputFile(example("cases.h5")).open("cube");
  const auto selection = Selection::parse("[1, :, ::3, 2]").resolve(cube.info().shape);
  ASSERT_EQ(selection.shape, (Shape{3, 2}));
  std::vector<std::int64_t> found(4);
  cube.read({{1, 0}, {2, 2}}, selection, found.data());
  EXPECT_EQ(found, (std::vector<std::int64_t>{82, 97, 102, 117}));
  std::int64_t one = 0;
  cube.read(Box::whole({}), Selection::parse("[1, 2, 3, 4]").resolve(cube.info().shape), &one);
  EXPECT_EQ(one, 119);
}

TEST(Read, FollowsLinksFromAnyFolder) {
  for (const std::string name : {"/e", "s", "/group/inside", "/hard", "/again"}) {
    EXPECT_FALSE(probe(example("links.h5"), name).shape.empty()) << name;
  }
  EXPECT_EQ(values<double>("links.h5", "/s"), counted<double>(5));
  EXPECT_EQ(InputFile(example("links.h5")).datasets(),
            (std::vector<std::string>{"/again", "/group/inside"}));
}

TEST(Read, VirtualDatasetsWhoseSourcesAreThere) {
  EXPECT_EQ(values<double>("virtual.h5", "whole"),
            (std::vector<double>{0, 1, 2, 3, 10, 11, 12, 13}));
  EXPECT_EQ(values<double>("virtual.h5", "self"), (std::vector<double>{5, 5, 5, 5, 0, 1, 2, 3}));
}

TEST(Read, DescribesWhatIsStored) {
  const DatasetInfo info = probe(example("cases.h5"), "gz");
  EXPECT_EQ(info.stored, "int32");
  EXPECT_EQ(info.storage, "chunked [100, 7], shuffle, deflate, fletcher32");
  EXPECT_EQ(probe(example("types.h5"), "c8_be").stored, "complex pair of float32, big-endian");
  EXPECT_EQ(probe(example("types.h5"), "bf2").stored, "bfloat16");
}

// B01 and B02: more than 2^31 bytes, more than 2^31 elements, in one read.
TEST(Large, MoreThanTwoGiBInOneCall) {
  const std::int64_t count = (std::int64_t{1} << 29) + 3;
  std::vector<float> found(static_cast<std::size_t>(count));
  InputFile(example("large.h5")).open("b01").read({{0}, {count}}, found.data());
  for (std::int64_t i = 0; i < count; ++i) {
    if (found[static_cast<std::size_t>(i)] != (i == count - 1 ? 2.0F : 1.0F)) FAIL() << i;
  }
}

TEST(Large, ElementsBeyondTwoToThe31) {
  const std::int64_t count = (std::int64_t{1} << 31) + 5;
  const std::int64_t part = std::int64_t{1} << 24;
  const Dataset dataset = InputFile(example("large.h5")).open("b02");
  ASSERT_EQ(dataset.info().shape, Shape{count});
  std::vector<std::int32_t> found(static_cast<std::size_t>(part));
  dataset.read({{count - part}, {part}}, found.data());
  EXPECT_EQ(found.back(), 2);
  EXPECT_EQ(std::accumulate(found.begin(), found.end(), std::int64_t{0}), part + 1);
}

}  // namespace
}  // namespace tessera::data
