// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera {

namespace {

constexpr DType u1 = DType::uint8, i4 = DType::int32, i8 = DType::int64, f4 = DType::float32,
                f8 = DType::float64, c8 = DType::complex64, c16 = DType::complex128;

TEST(DType, PromotesAsNumpysResultType) {
  // numpy.result_type(row, column), numpy 1.24 and 2.
  constexpr DType table[7][7] = {
      {u1, i4, i8, f4, f8, c8, c16},      {i4, i4, i8, f8, f8, c16, c16},
      {i8, i8, i8, f8, f8, c16, c16},     {f4, f8, f8, f4, f8, c8, c16},
      {f8, f8, f8, f8, f8, c16, c16},     {c8, c16, c16, c8, c16, c8, c16},
      {c16, c16, c16, c16, c16, c16, c16}};
  for (std::size_t a = 0; a < 7; ++a) {
    for (std::size_t b = 0; b < 7; ++b) {
      EXPECT_EQ(promote(all_dtypes[a], all_dtypes[b]), table[a][b])
          << name_of(all_dtypes[a]) << " and " << name_of(all_dtypes[b]);
    }
  }
}

TEST(DType, NamesGoBothWays) {
  for (const DType dtype : all_dtypes) EXPECT_EQ(dtype_named(name_of(dtype)), dtype);
  EXPECT_EQ(dtype_named("float16"), std::nullopt);
  EXPECT_EQ(dtype_named(""), std::nullopt);
  EXPECT_EQ(dtype_named("Float32"), std::nullopt);
}

TEST(DType, VisitGivesTheTypeOfThatSize) {
  for (const DType dtype : all_dtypes) {
    visit(dtype, [&]<class T>(std::type_identity<T>) {
      EXPECT_EQ(dtype_of<T>, dtype);
      EXPECT_EQ(dtype_of<const T>, dtype);
      EXPECT_EQ(static_cast<std::int64_t>(sizeof(T)), size_of(dtype));
    });
  }
  EXPECT_THROW(visit(static_cast<DType>(99), [](auto) {}), Error);
}

TEST(DType, VisitFloatingRefusesIntegers) {
  for (const DType dtype : all_dtypes) {
    if (is_integer(dtype)) {
      EXPECT_THROW(visit_floating(dtype, [](auto) {}), Error);
    } else {
      EXPECT_NO_THROW(visit_floating(dtype, [](auto) {}));
    }
  }
}

TEST(DType, KindsAndPartners) {
  for (const DType dtype : all_dtypes) {
    EXPECT_EQ(is_integer(dtype) + is_real_floating(dtype) + is_complex(dtype), 1) << name_of(dtype);
    EXPECT_FALSE(is_complex(real_of(dtype)));
    EXPECT_TRUE(is_complex(complex_of(dtype)));
    if (is_complex(dtype)) {
      EXPECT_EQ(size_of(dtype), 2 * size_of(real_of(dtype)));
    }
    if (!is_integer(dtype)) {
      EXPECT_EQ(complex_of(real_of(dtype)), is_complex(dtype) ? dtype : complex_of(dtype));
    }
  }
  EXPECT_EQ(complex_of(f4), c8);
  EXPECT_EQ(complex_of(i4), c16);
}

}  // namespace

}  // namespace tessera
