// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tessera {

namespace {

TEST(Error, TextHasWhatExpectedFoundAdviceAndPlace) {
  const Error error = Error(ErrorKind::graph, "wrong number of axes")
                          .expected("2")
                          .found("3")
                          .advice("transpose it first")
                          .at({"graph.json", 7, 14, "u", "/x"});
  EXPECT_EQ(error.text(),
            "step \"u\": wrong number of axes: expected 2, found 3; transpose it first "
            "(graph.json:7:14:/x)");
  EXPECT_STREQ(error.what(), error.text().c_str());
  EXPECT_EQ(error.kind(), ErrorKind::graph);
  EXPECT_EQ(error.place().line, 7);
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(Error(ErrorKind::io, "failed").text(), "failed");
  EXPECT_EQ(Error(ErrorKind::io, "failed").found("3").text(), "failed: found 3");
  EXPECT_EQ(Error(ErrorKind::io, "failed").expected("2").text(), "failed: expected 2");
  EXPECT_EQ(Error(ErrorKind::io, "failed").advice("retry").text(), "failed; retry");
  const auto at = [](Place place) {
    return Error(ErrorKind::io, "failed").at(std::move(place)).text();
  };
  EXPECT_EQ(at({"x.h5", 0, 0, "", ""}), "failed (x.h5)");
  EXPECT_EQ(at({"x.h5", 0, 0, "", "/a"}), "failed (x.h5:/a)");
  EXPECT_EQ(at({"g.json", 3, 0, "", ""}), "failed (g.json:3)");
  EXPECT_EQ(at({"", 3, 1, "", "/a"}), "failed (/a)");
  EXPECT_EQ(at({"", 0, 0, "s", ""}), "step \"s\": failed");
}

TEST(Error, PartsMayBeSetInAnyOrderAndAgain) {
  Error error(ErrorKind::io, "failed");
  error.at({"x.h5", 0, 0, "", ""}).found("3").expected("2").found("4");
  EXPECT_EQ(error.text(), "failed: expected 2, found 4 (x.h5)");
}

TEST(Error, EachKindHasItsExitCode) {
  EXPECT_EQ(exit_code(ErrorKind::usage), 2);
  EXPECT_EQ(exit_code(ErrorKind::graph), 3);
  EXPECT_EQ(exit_code(ErrorKind::does_not_fit), 4);
  EXPECT_EQ(exit_code(ErrorKind::io), 5);
  EXPECT_EQ(exit_code(ErrorKind::numerical), 6);
  EXPECT_EQ(exit_code(ErrorKind::communicator), 7);
  EXPECT_EQ(exit_code(ErrorKind::internal), 70);
  EXPECT_EQ(exit_code(ErrorKind::stopped), 75);
}

TEST(Error, RequireNamesTheBrokenPromise) {
  EXPECT_NO_THROW(require(true, "x"));
  try {
    require(false, "sizes match");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_EQ(error.text(), "internal error: sizes match");
  }
}

}  // namespace

}  // namespace tessera
