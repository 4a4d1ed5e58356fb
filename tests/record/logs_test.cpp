// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "record/logs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"

namespace tessera::record {
namespace {

std::vector<RankLog> two_ranks() {
  std::vector<RankLog> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    ranks[rank].rank = rank;
    ranks[rank].origin = 1000 + rank;
    ranks[rank].wall = 2.0;
    ranks[rank].planned_bytes = 100;
    ranks[rank].measured_bytes = 99;
    ranks[rank].spans = {{Phase::startup, "", "start", "", 0, 0.5, 0, 0, 0, 1, 0.5},
                         {Phase::compute, "u", "sweep", "star", 0.5, 1.5, 8e9, 1e9, 0.9, 1, 1.0},
                         {Phase::write, "", "write /u", "", 1.5, 1.99, 1e9, 0, 0.4, 1, 0.49}};
  }
  return ranks;
}

TEST(Logs, JsonLinesComeBackAsTheyWere) {
  const auto ranks = two_ranks();
  const Limits limits{20e9};
  const std::string text = to_json_lines(ranks[0], limits) + to_json_lines(ranks[1], limits);
  Limits read;
  const auto back = from_json_lines(text, &read);
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(read.copy_bytes_per_second, 20e9);
  ASSERT_EQ(back[1].spans.size(), 3U);
  EXPECT_EQ(back[1].origin, 1001);
  EXPECT_EQ(back[1].spans[1].step, "u");
  EXPECT_EQ(back[1].spans[1].bytes, 8e9);
  EXPECT_EQ(back[1].spans[1].predicted, 0.9);
  EXPECT_EQ(back[0].spans[2].phase, Phase::write);
}

TEST(Logs, DamagedLinesAreNamed) {
  try {
    (void)from_json_lines("{\"rank\": 0, \"origin\": 0, \"wall\": 1}\n{oops\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.text().find("timing.jsonl:2"), std::string::npos) << error.text();
  }
}

TEST(Logs, NonFiniteNumbersStayValidJson) {
  RankLog log;
  log.wall = 1;
  Span span;
  span.flops = std::numeric_limits<double>::infinity();
  span.busy = 1;
  log.spans = {span};
  std::istringstream lines(to_json_lines(log, {}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  }
}

TEST(Summary, AddsUpToTheWallClock) {
  const auto ranks = two_ranks();
  EXPECT_NEAR(coverage(ranks), 0.995, 1e-12);
  const std::string text = summary(ranks, {20e9});
  EXPECT_NE(text.find("sum of the rows"), std::string::npos);
  EXPECT_NE(text.find("99.5"), std::string::npos) << text;
  EXPECT_NE(text.find("8.00 GB/s"), std::string::npos) << text;
  EXPECT_NE(text.find("40 %"), std::string::npos) << "8 of 20 GB/s:\n" << text;
}

TEST(Trace, IsJsonWithOneEventPerSpanLinedUpInTime) {
  const auto trace = nlohmann::json::parse(trace_json(two_ranks()));
  int spans = 0;
  double start_of_rank_1 = -1;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++spans;
    if (event["pid"] == 1 && event["name"] == "start") start_of_rank_1 = event["ts"];
  }
  EXPECT_EQ(spans, 6);
  EXPECT_EQ(start_of_rank_1, 1e6) << "rank 1 began a second after rank 0";
}

TEST(WriteLogs, MakesTheFourFiles) {
  const auto folder = std::filesystem::temp_directory_path() / "tessera-logs-test";
  std::filesystem::remove_all(folder);
  write_logs(folder.string(), two_ranks(), {20e9},
             {{"outcome", "done"}, {"machine", "{\"a\": 1}"}});
  for (const char* name : {"timing.jsonl", "trace.json", "summary.txt", "run.json"}) {
    EXPECT_GT(std::filesystem::file_size(folder / name), 0U) << name;
  }
  std::ifstream file(folder / "run.json");
  const auto run = nlohmann::json::parse(file);
  EXPECT_EQ(run["machine"]["a"], 1);
  EXPECT_EQ(run["ranks"].size(), 2U);
  std::filesystem::remove_all(folder);
  std::ofstream(folder) << "a file where the folder should be";
  EXPECT_THROW(write_logs((folder / "x").string(), two_ranks(), {}, {}), Error);
  std::filesystem::remove(folder);
}

}  // namespace
}  // namespace tessera::record
