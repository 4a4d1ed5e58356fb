// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/document.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace tessera::graph {
namespace {

using Kind = Value::Kind;

std::string refusal(std::string text) {
  try {
    (void)parse(std::move(text), "g.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::graph);
    return error.text();
  }
  return "accepted";
}

void expect_at(Position position, int line, int column) {
  EXPECT_EQ(position.line, line);
  EXPECT_EQ(position.column, column);
}

TEST(Document, KeepsOrderKindsAndPositions) {
  const Document document = parse(
      "// a comment, with \"quotes\" : ,\n"
      "{ \"b\": [1, -2.5, true,null] /* x */ ,\n"
      "\t\"a\" : { \"k\":\"v\" } }  // the end",
      "g.json");
  const Value& root = document.root;
  ASSERT_TRUE(root.is(Kind::object));
  expect_at(root.position, 2, 1);
  ASSERT_EQ(root.members.size(), 2U);
  EXPECT_EQ(root.members[0].key, "b");
  expect_at(root.members[0].position, 2, 3);
  const Value& list = root.members[0].value;
  expect_at(list.position, 2, 8);
  ASSERT_EQ(list.items.size(), 4U);
  EXPECT_EQ(list.items[0].integer, 1);
  expect_at(list.items[0].position, 2, 9);
  EXPECT_EQ(list.items[1].real, -2.5);
  expect_at(list.items[1].position, 2, 12);
  EXPECT_TRUE(list.items[2].boolean);
  expect_at(list.items[2].position, 2, 18);
  EXPECT_TRUE(list.items[3].is(Kind::null));
  expect_at(list.items[3].position, 2, 23);
  const Value& inner = root.find("a")->value;
  expect_at(root.find("a")->position, 3, 2);
  expect_at(inner.position, 3, 8);
  expect_at(inner.find("k")->value.position, 3, 14);
  EXPECT_EQ(inner.find("k")->value.text, "v");
  EXPECT_EQ(inner.find("none"), nullptr);
  EXPECT_EQ(document.place(inner.position).file, "g.json");
}

TEST(Document, CommentsRightBehindNumbersDontMoveWhatFollows) {
  const Document document = parse("[1/*c*/,2// d\n,3]", "g.json");
  expect_at(document.root.items[1].position, 1, 9);
  expect_at(document.root.items[2].position, 2, 2);
}

TEST(Document, ColumnsCountCharactersAndNamesStayUtf8) {
  const Document document = parse("{\"größe µ/x(1).é\": \"\\u00e9\\\"\\\\\", \"b\": 1}", "g.json");
  EXPECT_EQ(document.root.members[0].key, "größe µ/x(1).é");
  EXPECT_EQ(document.root.members[0].value.text, "é\"\\");
  expect_at(document.root.members[0].value.position, 1, 20);
  expect_at(document.root.members[1].position, 1, 34);
}

TEST(Document, SkipsAByteOrderMark) {
  const Document document = parse("\xEF\xBB\xBF{\"a\": 1}", "g.json");
  expect_at(document.root.position, 1, 1);
  expect_at(document.root.members[0].value.position, 1, 7);
}

TEST(Document, NumbersKeepEveryDigit) {
  const Document document = parse(
      "[0.1, 5e-324, 1.7976931348623157e308, 9007199254740993, 9223372036854775807, "
      "18446744073709551615, "
      "-9223372036854775808, 2.2250738585072011e-308, 3.0]",
      "g.json");
  const auto& items = document.root.items;
  EXPECT_EQ(items[0].real, 0.1);
  EXPECT_EQ(items[1].real, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(items[2].real, std::numeric_limits<double>::max());
  EXPECT_EQ(items[3].integer, 9007199254740993);
  EXPECT_EQ(items[4].integer, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(items[5].is(Kind::real));
  EXPECT_EQ(items[6].integer, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(items[7].real, 2.2250738585072011e-308);
  EXPECT_TRUE(items[8].is(Kind::real));
}

TEST(Document, ExplainsCommas) {
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n}"),
            "the comma before } is one too many; remove it (g.json:2:9)");
  EXPECT_EQ(refusal("[1, 2, ]"), "the comma before ] is one too many; remove it (g.json:1:6)");
  EXPECT_EQ(refusal("{\"a\": 1\n \"b\": 2}"),
            "the graph isn't valid JSON: expected a comma or }, found \"b\" (g.json:2:2)");
  EXPECT_EQ(refusal("[1 2]"),
            "the graph isn't valid JSON: expected a comma or ], found 2 (g.json:1:4)");
  EXPECT_EQ(refusal("[1,,2]"),
            "the graph isn't valid JSON: expected a value, found , (g.json:1:4)");
  EXPECT_EQ(refusal("[,1]"), "the graph isn't valid JSON: expected a value, found , (g.json:1:2)");
  EXPECT_EQ(
      refusal("{,\"a\": 1}"),
      "the graph isn't valid JSON: expected a key in double quotes or }, found , (g.json:1:2)");
  EXPECT_EQ(refusal("[1}"),
            "the graph isn't valid JSON: expected a comma or ], found } (g.json:1:3)");
}

TEST(Document, ExplainsKeys) {
  EXPECT_EQ(refusal("{a: 1}"),
            "the graph isn't valid JSON: expected a key in double quotes, found a (g.json:1:2)");
  EXPECT_EQ(refusal("{'a': 1}"),
            "the graph isn't valid JSON: expected a key in double quotes, found 'a' (g.json:1:2)");
  EXPECT_EQ(refusal("{\"a\" 1}"),
            "the graph isn't valid JSON: expected a colon after the key, found 1 (g.json:1:6)");
  EXPECT_EQ(refusal("{\"a\": }"),
            "the graph isn't valid JSON: expected a value, found } (g.json:1:7)");
  EXPECT_EQ(refusal("{\"a\": 1,\n \"b\": 2, \"a\": 3}"),
            "the key \"a\" comes twice in one object: found the first at line 1 (g.json:2:10)");
}

TEST(Document, ExplainsValues) {
  EXPECT_EQ(refusal("[True]"),
            "the graph isn't valid JSON: expected true, found True (g.json:1:2)");
  EXPECT_EQ(refusal("[NaN]"),
            "the graph isn't valid JSON: expected \"nan\", found NaN (g.json:1:2)");
  EXPECT_EQ(refusal("['x']"),
            "the graph isn't valid JSON: expected texts in double quotes, found 'x' (g.json:1:2)");
  EXPECT_EQ(refusal("[sum]"),
            "the graph isn't valid JSON: expected a value; texts stand in double quotes, found sum "
            "(g.json:1:2)");
  for (const char* number : {"01", "+1", ".5", "1.", "1e", "--1", "0x10"}) {
    EXPECT_EQ(refusal("[" + std::string(number) + "]"),
              "the graph isn't valid JSON: expected a number like 3, -0.5 or 1e-3, found " +
                  std::string(number) + " (g.json:1:2)");
  }
  EXPECT_EQ(refusal("[0, 1e999]"),
            "the number 1e999 is too large for float64: expected at most 1.7976931348623157e308 "
            "(g.json:1:5)");
}

TEST(Document, ExplainsTexts) {
  EXPECT_EQ(refusal("{\"a\": \"b\n}"),
            "the text isn't closed on its line: expected a double quote at its end, found \"b "
            "(g.json:1:7)");
  EXPECT_EQ(refusal("[\"a\tb\"]"),
            "the text holds a control character; write it as an escape like \\t (g.json:1:4)");
  EXPECT_EQ(refusal("[\"C:\\data\"]"),
            "the text holds a broken escape: expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and "
            "four hexadecimal "
            "digits of a character, found \\d; a backslash itself is written \\\\ (g.json:1:5)");
  EXPECT_NE(refusal("[\"\\u00e9 \\u12x4\"]").find("found \\u12x4"), std::string::npos);
  EXPECT_NE(refusal("[\"\\ud800\"]").find("(g.json:1:3)"), std::string::npos);
  EXPECT_EQ(refusal("[\"\\u00e9\nx\"]").find("the text isn't closed"), 0U);
  EXPECT_EQ(refusal("[\"a\xFF\"]"),
            "the text holds bytes that aren't UTF-8; save the graph file as UTF-8 (g.json:1:4)");
  EXPECT_EQ(refusal("[\"a\xC3\"]").find("the text holds bytes that aren't UTF-8"), 0U);
  EXPECT_EQ(refusal(std::string("{}\0{}", 5)),
            "the graph isn't a text file: it holds a zero byte; save it as UTF-8 (g.json:1:3)");
}

TEST(Document, RefusesControlCharacters) {
  EXPECT_EQ(refusal("{\"a\\u0000b\": 1}"), "the key holds a control character (g.json:1:2)");
  EXPECT_EQ(refusal("{\"a\\n\": 1}"), "the key holds a control character (g.json:1:2)");
  EXPECT_EQ(refusal("{\"a\": \"/x\\u0000y\"}"), "the text holds a control character (g.json:1:7)");
  EXPECT_EQ(refusal("[\"a\\n\\tb\"]"), "accepted");
  EXPECT_EQ(described(parse("\"a\\nb\"", "g.json").root), "\"a\\nb\"");
  EXPECT_EQ(described(parse("\"" + std::string(200, 'x') + "\"", "g.json").root),
            "\"" + std::string(80, 'x') + "...\"");
}

TEST(Document, ExplainsEnds) {
  EXPECT_EQ(refusal(""), "the graph file is empty (g.json:1:1)");
  EXPECT_EQ(refusal(" \n"), "the graph file is empty (g.json:2:1)");
  EXPECT_EQ(
      refusal("// only a comment"),
      "the graph isn't valid JSON: expected a value, found the end of the file (g.json:1:18)");
  EXPECT_EQ(refusal("{\n \"steps\": {\"a\": [1"),
            "the file ends inside a list that begins at 2:17; close it with ] (g.json:2:19)");
  EXPECT_EQ(refusal("{ \"a\": 1 "),
            "the file ends inside an object that begins at 1:1; close it with } (g.json:1:10)");
  EXPECT_EQ(refusal("{ \"a\": "),
            "the file ends inside an object that begins at 1:1; close it with } (g.json:1:8)");
  EXPECT_EQ(refusal("{} {}"),
            "the graph isn't valid JSON: expected nothing after the graph's last }, found { "
            "(g.json:1:4)");
}

TEST(Document, ExplainsComments) {
  EXPECT_EQ(refusal("{ /* a\n \"a\": 1}"),
            "a comment that begins with /* isn't closed with */ (g.json:1:3)");
  EXPECT_EQ(
      refusal("{ # a\n }"),
      "the graph isn't valid JSON: expected a key in double quotes or }, found # (g.json:1:3)");
  EXPECT_EQ(refusal("[1 / 2]"),
            "the graph isn't valid JSON: expected a comment, // or /*, found / (g.json:1:4)");
}

TEST(Document, RefusesDeepNesting) {
  EXPECT_EQ(refusal(std::string(65, '[') + std::string(65, ']')),
            "the graph nests too deeply: expected at most 64 levels (g.json:1:65)");
  EXPECT_EQ(refusal(std::string(64, '[') + std::string(64, ']')), "accepted");
}

}  // namespace
}  // namespace tessera::graph
