// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "run/executor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "support/rank_test.hpp"

namespace tessera::run {
namespace {

namespace fs = std::filesystem;

/// A graph that reads datasets and writes them again: planner, executor and files without any
/// operation.
graph::Graph copy_graph(const std::string& input, const std::string& output,
                        const std::vector<Shape>& shapes) {
  graph::Graph graph;
  graph.file = "copy.json";
  graph.title = "copy";
  graph.text = "{}";
  graph.output_file = output;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string name = "x" + std::to_string(i);
    const TensorId id{static_cast<std::int32_t>(i)};
    graph::Input in;
    in.name = name;
    in.sources = {{input, "/" + name}};
    in.info = {DType::float64, shapes[i]};
    in.tensor = id;
    in.items = {{0, -1}};
    graph.inputs.push_back(in);
    graph.tensors.push_back({name, in.info, StepId{}, static_cast<int>(i)});
    graph.outputs.push_back({"/y" + std::to_string(i), id, in.info, {}, name});
  }
  return graph;
}

double value(std::size_t dataset, std::int64_t element) {
  return static_cast<double>(dataset) * 1000 + static_cast<double>(element) + 0.5;
}

void make_input(const std::string& path, const std::vector<Shape>& shapes) {
  data::OutputFile file;
  file.target = path;
  file.overwrite = true;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    file.datasets.push_back({"/x" + std::to_string(i), DType::float64, shapes[i]});
  }
  data::Publication publication(file);
  publication.create();
  std::vector<Checksum> sums(shapes.size());
  {
    data::SlabWriter writer(publication.partial(), publication.slabs());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      std::vector<double> values(static_cast<std::size_t>(element_count(shapes[i])));
      for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = value(i, static_cast<std::int64_t>(k));
      if (!values.empty()) {
        writer.write(i, 0, static_cast<std::int64_t>(values.size()), values.data());
        sums[i].append(values.data(), values.size() * sizeof(double));
      }
    }
    writer.sync();
  }
  publication.finish(sums);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Copying : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world().rank() == 0) {
      folder_ = (fs::temp_directory_path() / ("tessera-run-" + std::to_string(getpid()))).string();
      fs::create_directories(folder_);
    }
    std::int64_t size = static_cast<std::int64_t>(folder_.size());
    world().broadcast(&size, sizeof(size), 0);
    folder_.resize(static_cast<std::size_t>(size));
    world().broadcast(folder_.data(), size, 0);
  }
  void TearDown() override {
    world().barrier();
    if (world().rank() == 0) fs::remove_all(folder_);
  }
  comm::Communicator& world() { return test::world(); }

  void copy(const graph::Graph& graph, plan::IoMode io, bool overwrite = false) {
    plan::PlanOptions planning;
    planning.ranks = world().size();
    planning.rank = world().rank();
    planning.ranks_per_node = world().size();
    planning.io = io;
    const plan::Plan plan = plan::make_plan(graph, planning);
    record::Recorder recorder;
    ExecutorOptions options;
    options.output = {overwrite, io, "test"};
    Executor(graph, plan, world(), device::Stream{}, recorder, options).run();
    EXPECT_GE(recorder.spans().size(), plan.actions.size());
  }

  std::string folder_;
};

TEST_F(Copying, GivesTheSameFileInBothModes) {
  const std::vector<Shape> shapes = {{7, 5}, {}, {0, 3}, {1}, {13}, {2, 3, 4}};
  const std::string input = folder_ + "/in.h5";
  if (world().rank() == 0) make_input(input, shapes);
  world().barrier();
  auto graph = copy_graph(input, folder_ + "/parallel.h5", shapes);
  graph.recipe = Recipe::bitexact;
  copy(graph, plan::IoMode::parallel);
  graph.output_file = folder_ + "/funnel.h5";
  copy(graph, plan::IoMode::funnel);
  if (world().rank() != 0) return;
  EXPECT_EQ(bytes_of(folder_ + "/parallel.h5"), bytes_of(folder_ + "/funnel.h5"));
  EXPECT_FALSE(fs::exists(folder_ + "/parallel.h5.partial"));
  const data::InputFile file(folder_ + "/parallel.h5");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const data::Dataset dataset = file.open("/y" + std::to_string(i));
    EXPECT_EQ(dataset.info().shape, shapes[i]);
    std::vector<double> values(static_cast<std::size_t>(element_count(shapes[i])), -1);
    dataset.read(Box::whole(shapes[i]), values.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      ASSERT_EQ(values[k], value(i, static_cast<std::int64_t>(k)));
    }
  }
}

TEST_F(Copying, ReachesAllRanksWhenTheTargetIsThere) {
  const std::string input = folder_ + "/in.h5";
  const std::vector<Shape> shapes = {{4}};
  if (world().rank() == 0) make_input(input, shapes);
  world().barrier();
  const auto graph = copy_graph(input, folder_ + "/out.h5", shapes);
  copy(graph, plan::IoMode::parallel);
  EXPECT_THROW(copy(graph, plan::IoMode::parallel), Error);
  copy(graph, plan::IoMode::parallel, true);
}

TEST_F(Copying, LargeSlabsTravelInPieces) {
  const std::vector<Shape> shapes = {
      {700000, 9}};  // 50 MB: several pieces of the funnel's staging buffer
  const std::string input = folder_ + "/in.h5";
  if (world().rank() == 0) make_input(input, shapes);
  world().barrier();
  const auto graph = copy_graph(input, folder_ + "/out.h5", shapes);
  copy(graph, plan::IoMode::funnel);
  if (world().rank() != 0) return;
  const data::InputFile file(folder_ + "/out.h5");
  std::vector<double> row(9);
  for (const std::int64_t at : {0, 233333, 349999, 350000, 525001, 699999}) {
    file.open("/y0").read({{at, 0}, {1, 9}}, row.data());
    for (int k = 0; k < 9; ++k)
      ASSERT_EQ(row[static_cast<std::size_t>(k)], value(0, at * 9 + k)) << at;
  }
}

}  // namespace
}  // namespace tessera::run
