// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/chunks.hpp"

#include <gtest/gtest.h>

#include <climits>

namespace tessera::comm {

namespace {

TEST(Chunks, CoverEverythingOnceInOrder) {
  for (const std::int64_t total : {0, 1, 6, 7, 8, 14, 15, 1000}) {
    for (const std::int64_t limit : {1, 7, 1000}) {
      std::int64_t next = 0;
      for (const Chunk& chunk : chunks(total, limit)) {
        EXPECT_EQ(chunk.begin, next);
        EXPECT_GT(chunk.size, 0);
        EXPECT_LE(chunk.size, limit);
        next = chunk.begin + chunk.size;
      }
      EXPECT_EQ(next, total);
    }
  }
}

TEST(Chunks, OfMoreThanTwoToTheThirtyOneElements) {
  const std::int64_t bytes = ((std::int64_t{1} << 31) + 5) * 8;
  const std::vector<Chunk> pieces = chunks(bytes, default_chunk_bytes);
  ASSERT_EQ(pieces.size(), 17U);
  EXPECT_EQ(pieces[16], (Chunk{std::int64_t{1} << 34, 40}));
  for (const Chunk& piece : pieces) EXPECT_LE(piece.size, INT_MAX);

  const std::int64_t elements = (std::int64_t{1} << 31) + 5;
  const std::vector<Chunk> of_int64 = chunks(elements, chunk_elements(default_chunk_bytes, 8));
  ASSERT_EQ(of_int64.size(), 17U);
  EXPECT_EQ(of_int64.back(), (Chunk{std::int64_t{1} << 31, 5}));
}

TEST(Chunks, AtTheEndOfSixtyThreeBits) {
  const std::vector<Chunk> pieces = chunks(INT64_MAX, std::int64_t{1} << 62);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[1], (Chunk{std::int64_t{1} << 62, INT64_MAX - (std::int64_t{1} << 62)}));
}

TEST(Chunks, HoldAtLeastOneElement) {
  EXPECT_EQ(chunk_elements(7, 16), 1);
  EXPECT_EQ(chunk_elements(1000, 16), 62);
  EXPECT_THROW((void)chunks(-1, 10), Error);
  EXPECT_THROW((void)chunks(1, 0), Error);
}

}  // namespace

}  // namespace tessera::comm
