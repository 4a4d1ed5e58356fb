// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "comm/fingerprint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace tessera::comm {

namespace {

Fingerprint example() { return {"x86_64", "little", 64, 64, "0.1.0 abc123", "ordered"}; }

TEST(Fingerprint, SurvivesTheTripAsBytes) {
  EXPECT_EQ(fingerprint_of(to_bytes(example())), example());
  const Fingerprint empty{};
  EXPECT_EQ(fingerprint_of(to_bytes(empty)), empty);
  EXPECT_EQ(to_bytes(example()).size(), to_bytes(empty).size());
}

TEST(Fingerprint, ALongOrOddBuildTextIsShortenedAlikeEverywhere) {
  const std::string text = "a\nb" + std::string(1000, 'x');
  const Fingerprint mine = Fingerprint::of_process(text, "fast");
  EXPECT_EQ(fingerprint_of(to_bytes(mine)), mine);
  EXPECT_EQ(mine.build.substr(0, 4), "a bx");
}

TEST(Fingerprint, OfThisProcess) {
  const Fingerprint mine = Fingerprint::of_process("build", "fast");
  EXPECT_FALSE(mine.architecture.empty());
  EXPECT_EQ(mine.pointer_bits, static_cast<int>(sizeof(void*)) * 8);
  EXPECT_GE(mine.long_double_bits, 53);
}

TEST(Fingerprint, LikeRanksFit) {
  EXPECT_FALSE(mismatch({}).has_value());
  const std::array<Fingerprint, 3> ranks{example(), example(), example()};
  EXPECT_FALSE(mismatch(ranks).has_value());
}

TEST(Fingerprint, EachDifferenceIsRefusedAndNamed) {
  const std::vector<std::pair<std::function<void(Fingerprint&)>, std::string>> changes = {
      {[](Fingerprint& f) { f.architecture = "aarch64"; },
       "rank 0 has architecture \"x86_64\", rank 2 has \"aarch64\""},
      {[](Fingerprint& f) { f.byte_order = "big"; }, "byte order \"little\", rank 2 has \"big\""},
      {[](Fingerprint& f) { f.pointer_bits = 32; }, "pointer bits \"64\", rank 2 has \"32\""},
      {[](Fingerprint& f) { f.long_double_bits = 113; },
       "long double bits \"64\", rank 2 has \"113\""},
      {[](Fingerprint& f) { f.build = "0.2.0"; }, "build \"0.1.0 abc123\", rank 2 has \"0.2.0\""},
      {[](Fingerprint& f) { f.recipe = "fast"; }, "recipe \"ordered\", rank 2 has \"fast\""}};
  for (const auto& [change, text] : changes) {
    std::array<Fingerprint, 4> ranks{example(), example(), example(), example()};
    change(ranks[2]);
    const std::optional<AgreedError> error = mismatch(ranks);
    ASSERT_TRUE(error.has_value()) << text;
    EXPECT_NE(error->text().find(text), std::string::npos) << error->text();
    EXPECT_EQ(error->kind(), ErrorKind::communicator);
    EXPECT_EQ(error->ranks(), 4);
  }
}

TEST(Fingerprint, OneProcessFitsItself) {
  const auto self = make_self();
  EXPECT_NO_THROW(require_same(*self, example()));
}

}  // namespace

}  // namespace tessera::comm
