// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "example.hpp"

namespace tessera::graph {
namespace {

using example::options;
using example::refusal;
using example::resolved;
using ::testing::ElementsAre;
using ::testing::Pair;

/// A graph of these inputs; its output is the input x.
std::string with_inputs(const std::string& inputs, const std::string& rest = "") {
  return "{\"tessera\": 1, \"outputs\": {\"/x\": \"x\"}, " + rest + "\n\"inputs\": {" + inputs +
         "}}";
}

/// Empty files, for patterns to match.
class Patterns : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tessera [1] " + std::to_string(getpid()));
    for (const char* name : {"b.h5", "a.h5", "c1.h5", "[x].h5", "sub/b.h5"}) {
      std::filesystem::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name) << "";
    }
    options_.folder = folder_.string();
    options_.probe = [](const std::string& file, const std::string&) -> StoredTensor {
      if (file.ends_with("c1.h5")) return {DType::float32, {2, 3}};
      if (file.ends_with("b.h5")) return {DType::float64, {4, 3}};
      return {DType::float64, {2, 3}};
    };
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  ResolveOptions options_;
};

TEST_F(Patterns, MatchFilesInByteOrder) {
  const Graph graph =
      resolved(with_inputs(R"("x": {"file": "?.h5", "dataset": "/d", "each": 0})"), options_);
  const Input& x = graph.inputs[0];
  ASSERT_EQ(x.sources.size(), 2U);
  EXPECT_EQ(x.sources[0].file, (folder_ / "a.h5").string());
  EXPECT_EQ(x.info.shape, (Shape{3}));
  EXPECT_THAT(x.items,
              ElementsAre(Pair(0, 0), Pair(0, 1), Pair(1, 0), Pair(1, 1), Pair(1, 2), Pair(1, 3)));
  EXPECT_EQ(graph.items, 6);
  EXPECT_THAT(graph.item_names, ElementsAre("0", "1", "2", "3", "4", "5"));
}

TEST_F(Patterns, GiveOneItemForEachFile) {
  const Graph graph =
      resolved(with_inputs(R"("x": "*x*.h5:/d", "s": "a.h5:/d", "z": "a*.h5:/d")"), options_);
  EXPECT_TRUE(graph.batched);
  EXPECT_EQ(graph.items, 1);
  EXPECT_THAT(graph.item_names, ElementsAre("0"));
  EXPECT_TRUE(graph.inputs[0].batched);
  EXPECT_FALSE(graph.inputs[1].batched);
  EXPECT_EQ(graph.inputs[0].sources[0].file, (folder_ / "[x].h5").string());
  options_.probe = [](const std::string&, const std::string&) {
    return StoredTensor{DType::int32, {}};
  };
  EXPECT_THAT(resolved(with_inputs(R"("x": "*.h5:/d")", R"("output": "{name}.out.h5",)"), options_)
                  .item_names,
              ElementsAre("[x]", "a", "b", "c1"));
  EXPECT_EQ(resolved(with_inputs(R"("x": "*/?.h5:/d")"), options_).inputs[0].sources.size(), 1U);
}

TEST_F(Patterns, RefuseFilesThatDiffer) {
  const std::string a = (folder_ / "a.h5").string();
  EXPECT_EQ(refusal(with_inputs("\n \"x\": \"?.h5:/d\""), options_),
            "input \"x\": " + (folder_ / "b.h5").string() + " differs from " + a +
                ": expected float64 [2, 3], found float64 [4, 3] (g.json:3:7)");
  EXPECT_EQ(
      refusal(with_inputs(R"("x": {"file": "[ac]*.h5", "dataset": "/d", "each": 0})"), options_),
      "input \"x\": no file matches \"" + (folder_ / "[ac]*.h5").string() + "\" (g.json:2:26)");
}

TEST(Inputs, ShortForm) {
  ResolveOptions with = options();
  with.folder = "in:/put";
  const Graph graph = resolved(with_inputs(R"("x": "a b:/plate.h5:/t")"), with);
  EXPECT_EQ(graph.inputs[0].sources[0].file, "in:/put/a b:/plate.h5");
  EXPECT_EQ(resolved(with_inputs(R"("x": "/data/plate.h5:/t")"), with).inputs[0].sources[0].file,
            "/data/plate.h5");
  EXPECT_EQ(refusal(with_inputs(R"("x": "plate.h5")")),
            "input \"x\": an input names a file and a dataset: expected FILE:/DATASET, found "
            "\"plate.h5\" (g.json:2:17)");
  EXPECT_NE(refusal(with_inputs(R"("x": ":/t")")), "accepted");
  EXPECT_EQ(refusal(with_inputs(R"("x": 3)")),
            "input \"x\": an input names a file and a dataset: expected \"FILE:/DATASET\" or an "
            "object {...}, found 3 "
            "(g.json:2:17)");
  EXPECT_EQ(refusal(with_inputs(R"("x": "plate.h5:/")")),
            "input \"x\": \"/\" can't be a dataset: it names the root group (g.json:2:17)");
  EXPECT_EQ(refusal(with_inputs(R"("x": "plate.h5:/q")")),
            "input \"x\": there is no dataset (plate.h5:/q) (g.json:2:17)");
  EXPECT_EQ(refusal(with_inputs(R"("": "plate.h5:/t")")),
            "input \"\": an input needs a name (g.json:2:12)");
}

TEST(Inputs, LongForm) {
  const Graph graph = resolved(with_inputs(
      R"("x": {"file": "stack.h5", "dataset": "/x", "select": "[1:, ..., -1]", "each": -2})"));
  const Input& x = graph.inputs[0];
  EXPECT_EQ(x.each_axis, 0);
  EXPECT_EQ(x.info, (TensorInfo{DType::float32, {4}}));
  EXPECT_EQ(graph.items, 4);
  EXPECT_EQ(x.selection.text(), "[1:, ..., -1]");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "stack.h5"})")),
            "input \"x\": the key \"dataset\" is missing (g.json:2:17)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "stack.h5", "dataset": "x"})")),
            "input \"x\": \"x\" can't be a dataset: it doesn't begin with / (g.json:2:49)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "", "dataset": "/x"})")),
            "input \"x\": \"file\": expected the name of a file, found \"\" (g.json:2:26)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": 1, "dataset": "/x"})")),
            "input \"x\": \"file\": expected a text in double quotes, found 1 (g.json:2:26)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "stack.h5", "dataset": "/x", "slice": "[1]"})")),
            "input \"x\": unknown key \"slice\": expected one of \"file\", \"dataset\", \"select\" "
            "or \"each\" (g.json:2:55)");
  EXPECT_EQ(
      refusal(with_inputs(R"("x": {"file": "stack.h5", "dataset": "/x", "select": "[9, :]"})")),
      "input \"x\": the selection \"[9, :]\" leaves axis 0 of extent 5: expected an index from -5 "
      "to 4, found 9; "
      "stack.h5:/x has shape [5, 4, 3] (g.json:2:65)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "stack.h5", "dataset": "/x", "select": "1:2"})")),
            "input \"x\": a selection stands in brackets: expected for example \"[0:100, :]\", "
            "found \"1:2\" (g.json:2:65)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "stack.h5", "dataset": "/x", "each": 3})")),
            "input \"x\": \"each\" names an axis that the dataset doesn't have: expected an axis "
            "from -3 to 2, found 3 "
            "(g.json:2:63)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "plate.h5", "dataset": "/s", "each": 0})")),
            "input \"x\": \"each\" names an axis that the dataset doesn't have: expected no "
            "\"each\", for it is a scalar, "
            "found 0 (g.json:2:63)");
  EXPECT_EQ(refusal(with_inputs(R"("x": {"file": "plate.h5", "dataset": "/t", "each": "0"})")),
            "input \"x\": \"each\": expected an integer, found \"0\" (g.json:2:63)");
}

TEST(Inputs, ItemsGoTogether) {
  const std::string five = R"({"file": "stack.h5", "dataset": "/x", "each": 0})";
  const std::string three = R"({"file": "three.h5", "dataset": "/x", "each": 0})";
  const Graph graph =
      resolved(with_inputs("\"x\": " + five + ", \"t\": \"plate.h5:/t\", \"y\": " + five));
  EXPECT_TRUE(graph.batched);
  EXPECT_EQ(graph.items, 5);
  EXPECT_FALSE(graph.inputs[1].batched);
  EXPECT_EQ(graph.inputs[1].items.size(), 1U);
  EXPECT_EQ(refusal(with_inputs("\"x\": " + five + ",\n\"y\": " + three)),
            "inputs \"x\" and \"y\" have different numbers of items: expected 5 as in \"x\", found "
            "3 (g.json:3:1)");
}

TEST(Inputs, NoItemsAreFine) {
  const Graph graph =
      resolved(with_inputs(R"("x": {"file": "none.h5", "dataset": "/x", "each": 0})"));
  EXPECT_TRUE(graph.batched);
  EXPECT_EQ(graph.items, 0);
  EXPECT_EQ(graph.inputs[0].info.shape, (Shape{4}));
}

TEST(Inputs, ItemsOfOneNameNeedTheirNumber) {
  ResolveOptions with = options();
  const std::string each = R"("x": {"file": "stack.h5", "dataset": "/x", "each": 0})";
  EXPECT_EQ(resolved(with_inputs(each, R"("output": "out {index}.h5",)"), with).output_file,
            "out {index}.h5");
  EXPECT_TRUE(one_file_per_item(resolved(with_inputs(each, R"("output": "{name}.h5",)"), with)));
  EXPECT_FALSE(one_file_per_item(resolved(with_inputs(each, R"("output": "all.h5",)"), with)));
}

}  // namespace
}  // namespace tessera::graph
