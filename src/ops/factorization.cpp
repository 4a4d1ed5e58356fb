// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/factorization.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "factor.hpp"
#include "ops/reduction.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

bool matrices_whole(const Layout& layout) {
  const int axes = layout.shape().size();
  if (layout.is_replicated()) return true;
  return layout.is_block() && layout.splits()[static_cast<std::size_t>(axes - 1)].parts == 1 &&
         layout.splits()[static_cast<std::size_t>(axes - 2)].parts == 1;
}

/// The row-major number in `shape` of the element that has number `local` in the box.
std::int64_t global_number(std::int64_t local, const Box& box, const Shape& shape) {
  std::int64_t number = 0;
  std::int64_t stride = 1;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    number += (box.origin[axis] + local % box.extent[axis]) * stride;
    local /= box.extent[axis];
    stride *= shape[axis];
  }
  return number;
}

/// "(2, 1)".
std::string index_text(std::int64_t number, const Shape& shape) {
  std::string text;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    text = std::to_string(number % shape[axis]) + (text.empty() ? "" : ", " + text);
    number /= shape[axis];
  }
  return "(" + text + ")";
}

Box leading_box(const Box& box) {
  Box result = box;
  for (int i = 0; i < 2; ++i) {
    result.origin.erase(result.origin.size() - 1);
    result.extent.erase(result.extent.size() - 1);
  }
  return result;
}

}  // namespace

void refuse_non_matrices(const graph::TensorInfo& a, const std::string& operation, bool square) {
  if (is_integer(a.dtype)) {
    throw Error(ErrorKind::graph, operation + " divides")
        .expected("float32, float64, complex64 or complex128")
        .found(std::string(name_of(a.dtype)))
        .advice("use \"cast\" first");
  }
  if (a.shape.size() < 2) {
    throw Error(ErrorKind::graph, operation + " takes a matrix, or a stack of matrices")
        .expected("at least two axes")
        .found("shape " + to_string(a.shape));
  }
  if (square && a.shape.back() != a.shape[a.shape.size() - 2]) {
    throw Error(ErrorKind::graph, operation + " takes square matrices")
        .expected("equal extents of the last two axes")
        .found("shape " + to_string(a.shape));
  }
}

std::vector<Layout> whole_matrix_layouts(const Shape& stack, const ChoiceContext& context) {
  std::vector<Layout> result;
  const auto add = [&](const Layout& layout) {
    if (std::find(result.begin(), result.end(), layout) == result.end()) result.push_back(layout);
  };
  if (matrices_whole(context.current[0])) add(context.current[0]);
  for (int axis = 0; axis < stack.size() - 2; ++axis) {
    if (stack[axis] > 1) add(Layout::along(stack, axis, context.ranks));
  }
  add(Layout::single(stack, context.ranks));
  return result;
}

Layout beside(const Layout& stack, const Shape& shape) {
  if (stack.is_replicated()) return Layout::replicated(shape, stack.ranks());
  std::vector<layout::AxisSplit> splits(static_cast<std::size_t>(shape.size()));
  const auto axes = static_cast<std::ptrdiff_t>(stack.shape().size() - 2);
  std::copy_n(stack.splits().begin(), axes, splits.begin());
  return {shape, splits, stack.ranks()};
}

Shape leading(const Shape& stack, const Shape& last) {
  Shape result;
  for (int axis = 0; axis < stack.size() - 2; ++axis) result.push_back(stack[axis]);
  for (const std::int64_t extent : last) result.push_back(extent);
  return result;
}

std::int64_t matrices_of(const Layout& layout, Rank rank) {
  const bool idle = layout.coordinates(rank).size() != layout.shape().size();
  return idle ? 0 : element_count(leading(layout.local_extent(rank), {}));
}

std::string whole_matrix_algorithm(const Layout& layout) {
  if (layout.ranks() == 1) return "local";
  if (layout.is_replicated()) return "on every rank";
  return layout.split_axis() == -1 ? "on rank 0" : "whole matrices, " + layout.describe();
}

std::string whole_matrix_distribution() {
  return "A stack is cut along one of its leading axes, whole matrices to a rank, without further "
         "messages. A single matrix is gathered on rank 0, which needs the memory for it, and "
         "handed out again.";
}

double products_of(DType dtype) { return is_complex(dtype) ? 4 : 1; }

FaultBoard::FaultBoard(const Step& step, const Layout& layout, std::int64_t most, Describe describe,
                       Emitter& emitter)
    : name_(step.node.name),
      input_names_(step.node.input_names),
      inputs_(step.inputs),
      layout_(layout),
      ranks_(emitter.ranks()),
      matrices_(matrices_of(layout, emitter.rank())),
      most_(most + 1),
      describe_(std::move(describe)),
      failures_(emitter.scratch(name_ + " failures", 8 * matrices_)),
      faults_(emitter.scratch(name_ + " faults", sizeof(Faults))) {}

void FaultBoard::clear(RunContext& context, const device::Stream& stream) const {
  const Faults faults{{none, none}, none, 0};
  device::copy(stream, context.data(faults_), &faults, sizeof faults);
  device::fence(stream);
}

bool FaultBoard::finite(RunContext& context, const device::Stream& stream, int input,
                        bool lower) const {
  const Placed& placed = inputs_.at(static_cast<std::size_t>(input));
  Tile tile = context.tile(placed);
  if (tile.box.axes() == 1) {  // a vector is a matrix of one row
    tile =
        dense_tile(tile.data, tile.dtype, Box::whole({1, tile.extent()[0]}), {1, tile.global[0]});
  }
  const std::int64_t local = kernels::first_not_finite(stream, tile, lower);
  if (local < 0) return true;
  const Box box = placed.layout.box(context.communicator().rank());
  const std::int64_t number = global_number(local, box, placed.layout.shape());
  device::copy(stream, context.data(faults_) + input * 8, &number, sizeof number);
  device::fence(stream);
  return false;
}

void FaultBoard::collect(RunContext& context, const device::Stream& stream,
                         const double* values) const {
  std::vector<std::int64_t> failures(static_cast<std::size_t>(matrices_));
  device::copy(stream, failures.data(), context.data(failures_), 8 * matrices_);
  device::fence(stream);
  const auto found = std::find_if(failures.begin(), failures.end(),
                                  [](std::int64_t failure) { return failure >= 0; });
  if (found == failures.end()) return;
  const Box box = leading_box(layout_.box(context.communicator().rank()));
  const std::int64_t local = found - failures.begin();
  Faults faults{{none, none}, none, 0};
  faults.failed = global_number(local, box, leading(layout_.shape(), {})) * most_ + *found;
  if (values != nullptr) faults.value = values[local];
  device::copy(stream, context.data(faults_), &faults, sizeof faults);
  device::fence(stream);
}

std::optional<Error> FaultBoard::error_of(const Faults& faults) const {
  for (std::size_t input = 0; input < inputs_.size(); ++input) {
    const std::int64_t number = faults.not_finite[input];
    if (number == none) continue;
    Error error(ErrorKind::numerical, "an element of " + input_names_[input] + " isn't finite");
    error.expected("numbers").found("infinity or NaN at " +
                                    index_text(number, inputs_[input].layout.shape()));
    return error;
  }
  if (faults.failed == none) return std::nullopt;
  const Shape stack = leading(layout_.shape(), {});
  const std::string which =
      stack.empty() ? "the matrix" : "matrix " + index_text(faults.failed / most_, stack);
  return describe_(which, faults.failed % most_, faults.value);
}

void FaultBoard::emit_check(Emitter& emitter) const {
  const FaultBoard board = *this;
  emitter.collective(
      {name_ + ": check",
       {faults_},
       {},
       static_cast<double>(sizeof(Faults)),
       2,
       [board](RunContext& context) {
         Faults mine;
         device::copy(context.stream(), &mine, context.data(board.faults_), sizeof mine);
         device::fence(context.stream());
         std::int64_t lowest[3] = {mine.not_finite[0], mine.not_finite[1], mine.failed};
         if (board.ranks_ > 1) {
           context.communicator().all_reduce(lowest, 3, DType::int64, comm::ReduceOp::min);
         }
         // The rank whose fault it is tells it.
         const int worst = lowest[0] != none ? 0 : lowest[1] != none ? 1 : 2;
         const std::int64_t own[3] = {mine.not_finite[0], mine.not_finite[1], mine.failed};
         std::optional<Error> error;
         if (own[worst] == lowest[worst]) error = board.error_of(mine);
         throw_together(context, board.ranks_, error);
       }});
}

}  // namespace tessera::ops
