// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Tests that fail on purpose; failure_test.py runs them to see that such failures are shown.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/rank_test.hpp"

namespace tessera::test {

namespace {

bool last() { return world().rank() == world().size() - 1; }

TEST(SelfCheck, DISABLED_FailsOnTheLastRank) { EXPECT_FALSE(last()) << "on purpose"; }

TEST(SelfCheck, DISABLED_ReachesLessOnTheLastRank) {
  reached();
  if (!last()) reached();
}

TEST(SelfCheck, DISABLED_IsStuckOnTheLastRank) {
  reached();
  if (last()) std::this_thread::sleep_for(std::chrono::seconds(30));
  world().barrier();
}

}  // namespace

}  // namespace tessera::test
