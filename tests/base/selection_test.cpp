// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using ::testing::ElementsAre;

std::string refusal_of(const char* text, const Shape& shape) {
  try {
    (void)Selection::parse(text).resolve(shape);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::graph);
    return error.text();
  }
  return "accepted";
}

TEST(Selection, EverythingByDefault) {
  const Selection all;
  EXPECT_TRUE(all.everything());
  const auto resolved = all.resolve({3, 0, 5});
  EXPECT_EQ(resolved.shape, (Shape{3, 0, 5}));
  EXPECT_EQ(resolved.start, (Index{0, 0, 0}));
  EXPECT_THAT(resolved.kept, ElementsAre(0, 1, 2));
  EXPECT_EQ(all.resolve({}).shape, Shape{});
}

TEST(Selection, RangesStepsAndIndicesFollowNumpy) {
  const auto resolved = Selection::parse("[0:4096, :, ::2, 3]").resolve({5000, 7, 9, 4});
  EXPECT_EQ(resolved.start, (Index{0, 0, 0, 3}));
  EXPECT_EQ(resolved.step, (Extents{1, 1, 2, 1}));
  EXPECT_EQ(resolved.count, (Extents{4096, 7, 5, 1}));
  EXPECT_THAT(resolved.kept, ElementsAre(0, 1, 2));
  EXPECT_EQ(resolved.shape, (Shape{4096, 7, 5}));
}

TEST(Selection, AxesOfExtentOneStay) {
  EXPECT_EQ(Selection::parse("[:, 0:1]").resolve({1, 10}).shape, (Shape{1, 1}));
  EXPECT_EQ(Selection::parse("[::3, 1:5]").resolve({10, 10}).shape, (Shape{4, 4}));
}

TEST(Selection, NegativeIndicesCountFromTheEnd) {
  const auto resolved = Selection::parse("[-3:, :-1, -1]").resolve({10, 4, 6});
  EXPECT_EQ(resolved.start, (Index{7, 0, 5}));
  EXPECT_EQ(resolved.shape, (Shape{3, 3}));
}

TEST(Selection, EllipsisStandsForTheAxesLeftOut) {
  const auto middle = Selection::parse("[1, ..., 2]").resolve({3, 4, 5, 6});
  EXPECT_THAT(middle.kept, ElementsAre(1, 2));
  EXPECT_EQ(middle.shape, (Shape{4, 5}));
  EXPECT_EQ(middle.start, (Index{1, 0, 0, 2}));
  EXPECT_EQ(Selection::parse("[...]").resolve({}).shape, Shape{});
  EXPECT_EQ(Selection::parse("[..., 0:2]").resolve({9}).shape, (Shape{2}));
  EXPECT_EQ(Selection::parse("[2]").resolve({3, 4}).shape, (Shape{4}));  // the rest is kept
}

TEST(Selection, EmptyRangesAreFine) {
  EXPECT_EQ(Selection::parse("[4:4]").resolve({4}).shape, (Shape{0}));
  EXPECT_EQ(Selection::parse("[:]").resolve({0}).shape, (Shape{0}));
  EXPECT_EQ(Selection::parse("[::1000]").resolve({7}).shape, (Shape{1}));
}

TEST(Selection, KeepsItsText) { EXPECT_EQ(Selection::parse(" [ 1 : 2 ] ").text(), " [ 1 : 2 ] "); }

TEST(Selection, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal_of("0:3", {4}),
            "a selection stands in brackets: expected for example \"[0:100, :]\", found \"0:3\"");
  EXPECT_EQ(
      refusal_of("[0:b]", {4}),
      "the selection \"[0:b]\" can't be read: expected integers, ranges like 0:10 or ::2, and one "
      "..., found \"0:b\"");
  for (const char* text : {"", "[", "]", "[]", "[,]", "[1,]", "[1:2:3:4]", "[1.5]", "[--1]",
                           "[1 2]", "[+]", "[99999999999999999999]", "[ .. ]"}) {
    EXPECT_NE(refusal_of(text, {4, 4}), "accepted") << text;
  }
  EXPECT_EQ(refusal_of("[::0]", {4}),
            "the selection \"[::0]\" has a step that isn't positive: expected a step of at least "
            "1, found 0");
  EXPECT_EQ(refusal_of("[::-1]", {4}),
            "the selection \"[::-1]\" has a step that isn't positive: expected a step of at least "
            "1, found -1");
  EXPECT_EQ(refusal_of("[..., ...]", {4}),
            "the selection \"[..., ...]\" has two ellipses: expected at most one ...");
}

TEST(Selection, RefusesWhatLeavesTheDataset) {
  EXPECT_EQ(refusal_of("[:, 4]", {4, 4}),
            "the selection \"[:, 4]\" leaves axis 1 of extent 4: expected an index from -4 to 3, "
            "found 4");
  EXPECT_EQ(
      refusal_of("[0]", {0}),
      "the selection \"[0]\" leaves axis 0 of extent 0: expected no index, for the axis is empty, "
      "found 0");
  EXPECT_EQ(
      refusal_of("[0:5]", {4}),
      "the selection \"[0:5]\" leaves axis 0 of extent 4: expected a range inside 0:4, found 0:5");
  EXPECT_EQ(
      refusal_of("[-9:]", {4}),
      "the selection \"[-9:]\" leaves axis 0 of extent 4: expected a range inside 0:4, found -5:4");
  EXPECT_EQ(
      refusal_of("[3:1]", {4}),
      "the selection \"[3:1]\" leaves axis 0 of extent 4: expected a range inside 0:4, found 3:1");
  EXPECT_EQ(
      refusal_of("[0, 0]", {4}),
      "the selection \"[0, 0]\" names more axes than the dataset has: expected at most 1, found 2");
}

}  // namespace
}  // namespace tessera
