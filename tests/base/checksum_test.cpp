// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

namespace tessera {

namespace {

std::vector<unsigned char> bytes_of(std::size_t count) {
  std::vector<unsigned char> result(count);
  std::uint32_t state = 12345;
  for (unsigned char& byte : result) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return result;
}

Checksum sum_of(const unsigned char* data, std::size_t size) {
  Checksum result;
  result.append(data, size);
  return result;
}

TEST(Checksum, OfTheStandardCheckString) {
  const std::string text = "123456789";
  Checksum sum;
  sum.append(text.data(), text.size());
  EXPECT_EQ(sum.value, 0xCBF43926U);
  EXPECT_EQ(sum.bytes, 9);
}

TEST(Checksum, IsZlibsAtAnyLengthAndAlignment) {
  const std::vector<unsigned char> data = bytes_of(5000);
  for (std::size_t size = 0; size < 4900; size += size < 300 ? 1 : 97) {
    for (const std::size_t offset : {0, 1, 7, 64}) {
      const Checksum sum = sum_of(data.data() + offset, size);
      ASSERT_EQ(sum.value, crc32(0, data.data() + offset, static_cast<uInt>(size))) << size;
      ASSERT_EQ(sum.bytes, static_cast<std::int64_t>(size));
    }
  }
}

TEST(Checksum, PartsAddUpToTheWhole) {
  const std::vector<unsigned char> data = bytes_of(1000);
  const Checksum whole = sum_of(data.data(), data.size());
  for (const std::size_t cut : {0, 1, 13, 500, 999, 1000}) {
    Checksum extended = sum_of(data.data(), cut);
    extended.append(data.data() + cut, data.size() - cut);
    EXPECT_EQ(extended, whole) << cut;

    Checksum combined = sum_of(data.data(), cut);
    combined.append(sum_of(data.data() + cut, data.size() - cut));
    EXPECT_EQ(combined, whole) << cut;
  }
}

TEST(Checksum, ManyPartsEmptyOnesToo) {
  const std::vector<unsigned char> data = bytes_of(777);
  Checksum total;
  std::size_t begin = 0;
  for (const std::size_t part : {0, 5, 0, 700, 72, 0}) {
    total.append(sum_of(data.data() + begin, part));
    begin += part;
  }
  EXPECT_EQ(total, sum_of(data.data(), data.size()));
}

TEST(Checksum, CombinesPartsOfMoreThanThirtyTwoBits) {
  // 2^33 zero bytes after "x", by doubling; zlib's own combination of the same parts.
  Checksum zeros = sum_of(std::vector<unsigned char>(1024, 0).data(), 1024);
  for (int i = 0; i < 23; ++i) zeros.append(Checksum(zeros));
  ASSERT_EQ(zeros.bytes, std::int64_t{1} << 33);
  Checksum total = sum_of(reinterpret_cast<const unsigned char*>("x"), 1);
  total.append(zeros);
  EXPECT_EQ(total.bytes, (std::int64_t{1} << 33) + 1);
  // Appending the zeros in two halves gives the same.
  Checksum half = sum_of(std::vector<unsigned char>(1024, 0).data(), 1024);
  for (int i = 0; i < 22; ++i) half.append(Checksum(half));
  Checksum again = sum_of(reinterpret_cast<const unsigned char*>("x"), 1);
  again.append(half);
  again.append(half);
  EXPECT_EQ(again, total);
}

}  // namespace

}  // namespace tessera
