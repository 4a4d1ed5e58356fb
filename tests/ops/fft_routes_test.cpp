// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/fft_common.hpp"

namespace tessera::ops {
namespace {

using layout::Layout;

/// A checked node of the family with all axes transformed.
graph::Node node_of(FftVariant variant, const Shape& shape, std::vector<double> axes) {
  graph::Node node;
  Shape halved = shape;
  const int last = static_cast<int>(axes.back());
  halved[last] = shape[last] / 2 + 1;
  const bool real = variant == FftVariant::rfft || variant == FftVariant::irfft;
  const graph::TensorInfo spectrum{DType::complex128, real ? halved : shape};
  const graph::TensorInfo values{real ? DType::float64 : DType::complex128, shape};
  node.input_infos = {is_inverse(variant) ? spectrum : values};
  node.output_infos = {is_inverse(variant) ? values : spectrum};
  graph::NumberArray list;
  list.shape = {static_cast<std::int64_t>(axes.size())};
  list.values = std::move(axes);
  node.params.set("axes", list);
  node.params.set("norm", std::string("backward"));
  if (variant == FftVariant::irfft) node.params.set("n", shape[last]);
  return node;
}

std::vector<int> order_of(const FftProblem& problem) {
  std::vector<int> order;
  for (const FftAxis& axis : problem.axes) order.push_back(axis.axis);
  return order;
}

TEST(FftRoutes, CanonicalOrders) {
  EXPECT_EQ(order_of(fft_problem(FftVariant::fft, node_of(FftVariant::fft, {4, 5, 6}, {1, 0, 2}))),
            (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(
      order_of(fft_problem(FftVariant::ifft, node_of(FftVariant::ifft, {4, 5, 6}, {1, 0, 2}))),
      (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(
      order_of(fft_problem(FftVariant::rfft, node_of(FftVariant::rfft, {4, 5, 6}, {0, 2, 1}))),
      (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(
      order_of(fft_problem(FftVariant::irfft, node_of(FftVariant::irfft, {4, 5, 6}, {0, 2, 1}))),
      (std::vector<int>{0, 2, 1}));
}

/// What every route must keep: each axis once, none while it is cut, the halved one first or last,
/// and in bitexact the canonical order.
void check_route(const FftProblem& problem, const Choice& choice, Recipe recipe, int ranks) {
  const int axes = problem.in_shape.size();
  const FftRoute route = decode_fft_route(choice.details, axes);
  ASSERT_FALSE(route.empty());
  EXPECT_EQ(encode(route), choice.details);
  std::vector<int> done;
  for (const FftStage& stage : route) {
    EXPECT_FALSE(stage.axes.empty());
    for (const int axis : stage.axes) {
      EXPECT_EQ(stage.splits[axis].parts, 1);
      done.push_back(axis);
    }
  }
  const std::vector<int> order = order_of(problem);
  if (recipe == Recipe::bitexact) {
    EXPECT_EQ(done, order);
  }
  if (problem.variant == FftVariant::rfft) {
    EXPECT_EQ(done.front(), order.front());
  }
  if (problem.variant == FftVariant::irfft) {
    EXPECT_EQ(done.back(), order.back());
  }
  std::vector<int> sorted_done = done;
  std::vector<int> sorted_order = order;
  std::sort(sorted_done.begin(), sorted_done.end());
  std::sort(sorted_order.begin(), sorted_order.end());
  EXPECT_EQ(sorted_done, sorted_order);
  EXPECT_EQ(choice.inputs.at(0).shape(), problem.in_shape);
  EXPECT_EQ(choice.outputs.at(0).shape(), problem.out_shape);
  EXPECT_EQ(choice.inputs[0].ranks(), ranks);
  EXPECT_TRUE(choice.inputs[0].is_block());
}

TEST(FftRoutes, KeepTheirPromises) {
  const Machine machine;
  for (const FftVariant variant :
       {FftVariant::fft, FftVariant::ifft, FftVariant::rfft, FftVariant::irfft}) {
    for (const Shape& shape : {Shape{2, 2, 3}, Shape{16, 12, 10}, Shape{1, 9, 4}}) {
      for (const std::vector<double>& axes :
           {std::vector<double>{0, 1, 2}, {2, 1, 0}, {1, 0}, {2}, {0}, {0, 2}}) {
        const graph::Node node = node_of(variant, shape, axes);
        const FftProblem problem = fft_problem(variant, node);
        for (int ranks = 1; ranks <= 13; ++ranks) {
          for (int cut = 0; cut < 3; ++cut) {
            const std::vector<Layout> current = {Layout::along(problem.in_shape, cut, ranks)};
            for (const Recipe recipe : {Recipe::ordered, Recipe::bitexact}) {
              const ChoiceContext context{ranks, recipe, machine, device::Backend::host, current};
              const std::vector<Choice> choices = fft_choices(problem, context);
              ASSERT_FALSE(choices.empty());
              for (const Choice& choice : choices) check_route(problem, choice, recipe, ranks);
            }
          }
        }
      }
    }
  }
}

TEST(FftRoutes, OfferWhatFits) {
  const Machine machine;
  const auto names = [&](const Shape& shape, std::vector<double> axes, int ranks) {
    const FftProblem problem =
        fft_problem(FftVariant::fft, node_of(FftVariant::fft, shape, std::move(axes)));
    const std::vector<Layout> current = {Layout::rows(shape, ranks)};
    std::vector<std::string> result;
    for (const Choice& choice :
         fft_choices(problem, {ranks, Recipe::bitexact, machine, device::Backend::host, current})) {
      result.push_back(choice.algorithm);
    }
    return result;
  };
  const auto has = [](const std::vector<std::string>& list, const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  EXPECT_TRUE(has(names({8, 8}, {1}, 4), "local"));
  EXPECT_TRUE(has(names({8, 8}, {0, 1}, 4), "slab"));
  EXPECT_TRUE(has(names({4, 4, 4}, {0, 1, 2}, 8), "pencil"));
  EXPECT_FALSE(has(names({4, 4, 4}, {0, 1, 2}, 3), "pencil"));
  EXPECT_EQ(names({64}, {0}, 4), (std::vector<std::string>{"single"}));
}

}  // namespace
}  // namespace tessera::ops
