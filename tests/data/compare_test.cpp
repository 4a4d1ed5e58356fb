// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/compare.hpp"

#include "data/difference.hpp"
#include "data/temp_folder.hpp"

namespace tessera::data {
namespace {

// compare_a.h5 and compare_b.h5: see make_compare in make_files.py.
DatasetComparison compared(const std::string& dataset, CompareOptions options = {}) {
  options.datasets = {dataset};
  return compare(example("compare_a.h5"), example("compare_b.h5"), options).front();
}

TEST(Compare, OneStepOfEachRealType) {
  const DatasetComparison f4 = compared("/next_f4");
  EXPECT_EQ(f4.elements, 24);
  EXPECT_EQ(f4.different, 1);
  EXPECT_EQ(f4.ulp.value, 1);
  EXPECT_EQ(f4.ulp.at, 8);
  EXPECT_EQ(f4.absolute.value, 0x1p-20);
  EXPECT_EQ(f4.relative.value, 0x1p-23);
  EXPECT_EQ(to_string(f4),
            "/next_f4: 1 of 24 elements differ; largest absolute difference 9.53674e-07 at [1, 2], "
            "relative 1.19209e-07 at [1, 2], ULP 1 at [1, 2]");
  const DatasetComparison f8 = compared("/next_f8");
  EXPECT_EQ(f8.ulp.value, 3);
  EXPECT_EQ(f8.relative.value, 3 * 0x1p-52);
}

TEST(Compare, StepsAcrossZeroAndSubnormals) {
  EXPECT_EQ(ordinal(0.0), ordinal(-0.0));
  EXPECT_EQ(ordinal(0x1p-149F) - ordinal(-0x1p-149F), 2);
  const DatasetComparison steps = compared("/zero");
  EXPECT_EQ(steps.different, 1);  // the smallest subnormals of both signs; 0.0 and -0.0 are equal
  EXPECT_EQ(steps.ulp.value, 2);
  CompareOptions bits;
  bits.bits = true;
  EXPECT_EQ(compared("/zero", bits).different, 2);
}

TEST(Compare, Tolerances) {
  CompareOptions options;
  options.rtol = 0x1p-23;
  EXPECT_TRUE(compared("/next_f4", options).same());
  options.rtol = 0x1p-24;
  EXPECT_FALSE(compared("/next_f4", options).same());
  options.atol = 0x1p-20;
  EXPECT_TRUE(compared("/next_f4", options).same());
  options.atol = 1e300;
  EXPECT_EQ(compared("/infinite", options).different,
            2);  // inf and -inf, inf and 1; not inf and inf
  EXPECT_EQ(compared("/nan", options).different, 3);
}

TEST(Compare, NanEqualsNanOnlyOnRequest) {
  const DatasetComparison plain = compared("/nan");  // (nan, nan), (nan, 1), (1, nan), (2, 2)
  EXPECT_EQ(plain.different, 3);
  EXPECT_EQ(plain.both_nan, 1);
  EXPECT_TRUE(std::isinf(plain.absolute.value));
  EXPECT_NE(to_string(plain).find("--nan-equal"), std::string::npos);
  CompareOptions options;
  options.nan_equal = true;
  EXPECT_EQ(compared("/nan", options).different, 2);
  options = {};
  options.bits = true;
  EXPECT_EQ(compared("/nan", options).different, 2);
  EXPECT_EQ(compared("/nan_payload", options).different, 1);
  options.nan_equal = true;
  EXPECT_EQ(compared("/nan_payload", options).different, 0);
}

TEST(Compare, IntegersAndComplexNumbers) {
  const DatasetComparison whole = compared("/whole");  // int64 minimum and maximum
  EXPECT_EQ(whole.different, 1);
  EXPECT_EQ(whole.absolute.value, 0x1p64);
  const DatasetComparison pairs = compared("/complex");
  EXPECT_EQ(pairs.different, 1);
  EXPECT_EQ(pairs.absolute.value, 5);  // 3 + 4i
  EXPECT_EQ(pairs.absolute.at, 1);
}

TEST(Compare, MissingOtherShapeOtherType) {
  EXPECT_NE(compared("/only_a").problem.find("compare_b.h5:/only_a"), std::string::npos);
  EXPECT_NE(compared("/only_b").problem.find("compare_a.h5:/only_b"), std::string::npos);
  EXPECT_EQ(compared("/shape").problem, "shapes differ: [2, 3] and [3, 2]");
  EXPECT_EQ(compared("/type").problem, "types differ: float32 and float64");
  EXPECT_NE(compared("/text").problem.find("strings"), std::string::npos);
  EXPECT_TRUE(compared("/half").same());  // float16 and float32 come into memory as one type
  EXPECT_TRUE(compared("/empty").same());
  EXPECT_TRUE(compared("/scalar").same());
}

TEST(Compare, AllDatasetsOfBothFiles) {
  const Comparison all = compare(example("compare_a.h5"), example("compare_b.h5"), {});
  EXPECT_EQ(all.size(), 17u);
  EXPECT_FALSE(same(all));
  const Comparison self = compare(example("types.h5"), example("cases.h5"), {});
  EXPECT_FALSE(same(self));
  CompareOptions options;
  options.datasets = {"/f8", "/f8_be", "/u1"};
  EXPECT_TRUE(same(compare(example("types.h5"), example("types.h5"), options)));
  expect_error(ErrorKind::io, "there is no file",
               [] { (void)compare(example("types.h5"), example("no.h5"), {}); });
}

TEST(Compare, ManyBlocks) {
  const DatasetComparison c = compared("/long");
  EXPECT_EQ(c.elements, 3000000);
  EXPECT_EQ(c.different, 2);
  EXPECT_EQ(c.absolute.at, 2999999);
  EXPECT_EQ(c.absolute.value, 2);
}

}  // namespace
}  // namespace tessera::data
