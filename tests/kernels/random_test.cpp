// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "philox.hpp"

namespace tessera::kernels {
namespace {

// The known answers that the authors of Philox publish with their library, Random123.
TEST(Philox, GivesThePublishedAnswers) {
  Philox<3> philox = {{{0, 0xffffffff, 0x243f6a88},
                       {0, 0xffffffff, 0x85a308d3},
                       {0, 0xffffffff, 0x13198a2e},
                       {0, 0xffffffff, 0x03707344}}};
  const std::uint64_t keys[] = {0, 0xffffffffffffffff, 0x299f31d0a4093822};
  const std::uint32_t answers[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (int lane = 0; lane < 3; ++lane) {
    Philox<3> run = philox;
    run.run(keys[lane]);
    for (int word = 0; word < 4; ++word) EXPECT_EQ(run.word[word][lane], answers[lane][word]);
  }
}

}  // namespace
}  // namespace tessera::kernels
