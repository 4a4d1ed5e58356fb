// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/session.hpp"

#include <gtest/gtest.h>

#include <map>

namespace tessera::comm {

namespace {

bool launched(const std::map<std::string, std::string>& variables) {
  return started_by_launcher([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Session, KnowsLaunchersByTheirVariables) {
  EXPECT_FALSE(launched({}));
  EXPECT_FALSE(launched({{"PATH", "/bin"}}));
  EXPECT_TRUE(launched({{"OMPI_COMM_WORLD_SIZE", "1"}}));
  EXPECT_TRUE(launched({{"PMIX_RANK", "0"}}));
  EXPECT_TRUE(launched({{"PMI_RANK", "3"}}));
}

TEST(Session, AStepOfSeveralTasksIsAJobAndABatchScriptIsNot) {
  EXPECT_TRUE(launched({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}}));
  EXPECT_FALSE(launched({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}));
  EXPECT_FALSE(launched({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));
}

TEST(Session, AloneItStartsNoMpi) {
  Session session;
  EXPECT_FALSE(session.uses_mpi());
  EXPECT_EQ(session.world().size(), 1);
  session.finish();
}

}  // namespace

}  // namespace tessera::comm
