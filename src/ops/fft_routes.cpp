// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "ops/fft_common.hpp"

namespace tessera::ops {

namespace {

using layout::AxisSplit;
using layout::Layout;

std::vector<AxisSplit> cut(int axes, int axis, std::int64_t parts) {
  std::vector<AxisSplit> splits(axes);
  splits[axis].parts = parts;
  return splits;
}

class Routes {
 public:
  Routes(const FftProblem& problem, const ChoiceContext& context)
      : problem_(problem), context_(context), axes_(problem.in_shape.size()) {
    for (const FftAxis& axis : problem.axes) order_.push_back(axis.axis);
  }

  std::vector<Choice> all() {
    local_as_it_lies();
    for (int axis = 0; axis < axes_; ++axis) {
      if (!transformed(axis)) add("local", {{cut(axes_, axis, context_.ranks), order_}});
    }
    if (context_.ranks > 1) {
      const int current = context_.current.at(0).split_axis();
      if (current >= 0 && transformed(current)) slabs(current);
      slabs(order_.back());
      if (problem_.variant == FftVariant::irfft && order_.size() > 1)
        slabs(order_[order_.size() - 2]);
      pencils();
    }
    FftStage single{std::vector<AxisSplit>(axes_), order_};
    single.single = true;
    add("single", {single});
    return choices_;
  }

 private:
  [[nodiscard]] bool transformed(int axis) const {
    return std::find(order_.begin(), order_.end(), axis) != order_.end();
  }

  /// Nothing moves when no transformed axis is cut.
  void local_as_it_lies() {
    const Layout& current = context_.current.at(0);
    if (current.is_replicated() || !current.is_block()) return;
    for (const int axis : order_) {
      if (current.splits()[axis].parts > 1) return;
    }
    if (current.split_axis() == -1 && context_.ranks > 1) return;  // that is "single"
    add("local", {{current.splits(), order_}});
  }

  /// Cut along `axis` at first; after an exchange along an axis that is done or not transformed at
  /// all.
  void slabs(int axis) {
    std::vector<int> order = order_;
    if (context_.recipe != Recipe::bitexact) order = with_last(axis);
    const auto place = std::find(order.begin(), order.end(), axis);
    const std::vector<int> before(order.begin(), place);
    const std::vector<int> after(place, order.end());
    if (before.empty()) return;  // the same as one stage, cut along an axis that isn't transformed
    int target = -1;
    for (int candidate = 0; candidate < axes_; ++candidate) {
      const bool done = std::find(before.begin(), before.end(), candidate) != before.end();
      if (transformed(candidate) && !done) continue;
      const auto wide = [&](int a) {
        return std::min<std::int64_t>(problem_.inner_shape()[a], context_.ranks);
      };
      if (target < 0 || wide(candidate) > wide(target)) target = candidate;
    }
    add("slab",
        {{cut(axes_, axis, context_.ranks), before}, {cut(axes_, target, context_.ranks), after}});
  }

  /// The order with `axis` as late as the kinds of the transforms allow: outside bitexact the axes
  /// may be done in any order, but for the halved one.
  [[nodiscard]] std::vector<int> with_last(int axis) const {
    std::vector<int> order = order_;
    const bool last_is_halved = problem_.variant == FftVariant::irfft;
    if (problem_.variant == FftVariant::rfft && axis == order.front()) return order;
    if (last_is_halved && axis == order.back()) return order;
    order.erase(std::find(order.begin(), order.end(), axis));
    order.insert(last_is_halved ? order.end() - 1 : order.end(), axis);
    return order;
  }

  /// Three axes o1, o2, o3 on a p x q grid: (o2, o3) cut, then (o1, o3), then (o1, o2).
  void pencils() {
    if (order_.size() != 3) return;
    const Shape& shape = problem_.inner_shape();
    const auto used = [&](std::int64_t p, std::int64_t q) {
      return std::min({p, shape[order_[1]], shape[order_[0]]}) *
             std::min({q, shape[order_[2]], shape[order_[1]]});
    };
    std::int64_t best_p = 1;
    std::int64_t best = 0;
    for (std::int64_t p = 2; 2 * p <= context_.ranks; ++p) {
      if (used(p, context_.ranks / p) > best) {
        best = used(p, context_.ranks / p);
        best_p = p;
      }
    }
    const std::int64_t q = context_.ranks / best_p;
    if (best_p < 2 || q < 2) return;
    FftRoute route(3);
    for (int i = 0; i < 3; ++i) {
      route[i].splits.resize(axes_);
      route[i].axes = {order_[i]};
      route[i].splits[order_[i == 0 ? 1 : 0]].parts = best_p;
      route[i].splits[order_[i == 2 ? 1 : 2]].parts = q;
    }
    add("pencil", route);
  }

  void add(const std::string& algorithm, const FftRoute& route) {
    Choice choice;
    choice.algorithm = algorithm;
    choice.details = encode(route);
    if (!seen_.insert(choice.details).second) return;
    choice.inputs = {layout_of(route.front(), problem_.in_shape)};
    choice.outputs = {layout_of(route.back(), problem_.out_shape)};
    const auto element = static_cast<double>(size_of(problem_.inner_type()));
    for (const FftStage& stage : route) {
      const Layout layout = layout_of(stage, problem_.inner_shape());
      const std::int64_t local = layout.max_local_elements();
      for (const FftAxis& axis : problem_.axes) {
        if (std::find(stage.axes.begin(), stage.axes.end(), axis.axis) == stage.axes.end())
          continue;
        const kernels::FftPlan plan = kernels::make_fft_plan(axis.length, axis.kind);
        choice.flops += kernels::fft_flops(
            plan, local / std::max<std::int64_t>(1, problem_.inner_shape()[axis.axis]));
        choice.memory_bytes += 2 * element * static_cast<double>(local);
      }
      if (&stage == &route.back()) continue;
      const double peers = context_.ranks - 1;
      choice.messages += peers;
      choice.message_bytes += element * static_cast<double>(local) * peers / context_.ranks;
      choice.memory_bytes += 4 * element * static_cast<double>(local);  // pack and unpack
    }
    choices_.push_back(std::move(choice));
  }

  [[nodiscard]] Layout layout_of(const FftStage& stage, const Shape& shape) const {
    if (stage.single) return Layout::single(shape, context_.ranks);
    return {shape, stage.splits, context_.ranks};
  }

  const FftProblem& problem_;
  const ChoiceContext& context_;
  int axes_;
  std::vector<int> order_;
  std::vector<Choice> choices_;
  std::set<std::vector<std::int64_t>> seen_;
};

}  // namespace

std::vector<std::int64_t> encode(const FftRoute& route) {
  std::vector<std::int64_t> numbers;
  for (const FftStage& stage : route) {
    numbers.push_back(stage.single ? 1 : 0);
    numbers.push_back(static_cast<std::int64_t>(stage.axes.size()));
    numbers.insert(numbers.end(), stage.axes.begin(), stage.axes.end());
    for (const AxisSplit& split : stage.splits) {
      numbers.push_back(split.parts);
      numbers.push_back(split.block);
    }
  }
  return numbers;
}

FftRoute decode_fft_route(const std::vector<std::int64_t>& details, int axes) {
  FftRoute route;
  std::size_t at = 0;
  while (at < details.size()) {
    FftStage stage;
    stage.single = details[at++] != 0;
    const std::int64_t count = details[at++];
    for (std::int64_t i = 0; i < count; ++i) stage.axes.push_back(static_cast<int>(details[at++]));
    for (int axis = 0; axis < axes; ++axis, at += 2)
      stage.splits.push_back({details[at], details[at + 1]});
    route.push_back(std::move(stage));
  }
  return route;
}

std::vector<Choice> fft_choices(const FftProblem& problem, const ChoiceContext& context) {
  return Routes(problem, context).all();
}

}  // namespace tessera::ops
