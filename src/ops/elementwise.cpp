// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ops/formula.hpp"

namespace tessera::ops {

namespace {

using kernels::ElementOp;
using kernels::Program;
using layout::Layout;

Program program_of(const std::string& text, const std::vector<std::string>& names,
                   const std::vector<graph::TensorInfo>& inputs) {
  std::vector<DType> types;
  for (const graph::TensorInfo& input : inputs) types.push_back(input.dtype);
  return compile_formula(parse_formula(text, names), types);
}

using StepFormula = std::function<Formula(const graph::Node&)>;

Program program_of(const StepFormula& formula, const graph::Node& node) {
  std::vector<DType> types;
  for (const graph::TensorInfo& input : node.input_infos) types.push_back(input.dtype);
  return compile_formula(formula(node), types);
}

std::vector<graph::TensorInfo> infer(const FormulaText& formula,
                                     const graph::InferContext& context) {
  const Shape shape = broadcast_shape(context.inputs, context.input_names);
  const std::string text = formula(context.params, context.input_names);
  try {
    return {{program_of(text, context.input_names, context.inputs).output(), shape}};
  } catch (Error& error) {
    if (error.kind() == ErrorKind::graph) error.at(context.params.place("formula"));
    throw;
  }
}

Choice choice_for(const graph::Node& node, const Layout& output, double flops) {
  Choice choice;
  choice.algorithm = "local";
  choice.outputs = {output};
  const double elements = static_cast<double>(output.max_local_elements());
  choice.flops = flops * elements;
  choice.memory_bytes = elements * static_cast<double>(size_of(node.output_infos[0].dtype));
  for (const graph::TensorInfo& input : node.input_infos) {
    choice.inputs.push_back(broadcast_layout(input.shape, output));
    choice.memory_bytes += static_cast<double>(choice.inputs.back().max_local_elements()) *
                           static_cast<double>(size_of(input.dtype));
  }
  return choice;
}

/// Whether an input that is replicated beside this output still follows one of the output's cuts:
/// a column beside a matrix that is cut both ways.
bool follows_a_cut(const Shape& shape, const Layout& output) {
  const int missing = output.shape().size() - shape.size();
  for (int axis = missing; axis < output.shape().size(); ++axis) {
    const bool cut = output.splits()[static_cast<std::size_t>(axis)].parts > 1;
    if (cut && shape[axis - missing] == output.shape()[axis]) return true;
  }
  return false;
}

/// Whether no input has to be redistributed for an output in this layout.
bool all_lie_beside(const Layout& output, const graph::Node& node, const ChoiceContext& context) {
  for (std::size_t k = 0; k < node.input_infos.size(); ++k) {
    const Shape& shape = node.input_infos[k].shape;
    const Layout beside = broadcast_layout(shape, output);
    if (context.current[k] != beside) return false;
    const bool needs_part = beside.is_replicated() && follows_a_cut(shape, output);
    if (needs_part && !output.is_block()) return false;
  }
  return true;
}

std::vector<Choice> choices(const StepFormula& formula, const graph::Node& node,
                            const ChoiceContext& context) {
  const Shape& shape = node.output_infos[0].shape;
  std::vector<Layout> candidates;
  for (std::size_t k = 0; k < node.input_infos.size(); ++k) {
    if (node.input_infos[k].shape != shape) continue;
    if (context.current[k].is_block() || all_lie_beside(context.current[k], node, context)) {
      candidates.push_back(context.current[k]);
    }
  }
  candidates.push_back(Layout::rows(shape, context.ranks));
  const double flops = kernels::flops_per_element(program_of(formula, node));
  std::vector<Choice> result;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(candidates.begin(), end, candidates[k]) != end) continue;
    result.push_back(choice_for(node, candidates[k], flops));
  }
  return result;
}

/// This rank's part with local indices, which broadcast like the global ones whatever the layout.
Tile local_tile(RunContext& context, const Placed& placed) {
  const Shape extent = placed.layout.local_extent(context.communicator().rank());
  return dense_tile(context.data(placed.buffer), placed.dtype, Box::whole(extent), extent);
}

/// As above for an input that is whole on every rank, beside an output that is cut along several
/// axes: along those that the input has too, what lies beside the output's part.
Tile tile_beside(RunContext& context, const Placed& input, const Layout& output) {
  Tile tile = local_tile(context, input);
  if (!input.layout.is_replicated() || output.is_replicated() || !output.is_block()) return tile;
  const Box part = output.box(context.communicator().rank());
  Box beside = tile.box;
  const int missing = part.axes() - beside.axes();
  for (int axis = 0; axis < beside.axes(); ++axis) {
    if (beside.extent[axis] != output.shape()[axis + missing]) continue;
    beside.origin[axis] = part.origin[axis + missing];
    beside.extent[axis] = part.extent[axis + missing];
  }
  return tile.sub(beside);
}

/// The global index of a row-major local index, as text.
std::string global_index(const Layout& layout, Rank rank, std::int64_t local) {
  if (!layout.is_block()) return "on rank " + std::to_string(rank);
  const Box box = layout.box(rank);
  Index index = box.origin;
  for (int axis = box.axes() - 1; axis >= 0; --axis) {
    index[axis] += local % box.extent[axis];
    local /= box.extent[axis];
  }
  return "at " + to_string(index);
}

/// All ranks learn whether one found a NaN that can't become an integer.
void emit_agreement(const Step& step, BufferId flag, Emitter& emitter) {
  const Placed output = step.outputs[0];
  const std::string name = step.node.name;
  Collective agree;
  agree.label = "agree on NaN";
  agree.reads = {flag};
  agree.run = [output, flag, name](RunContext& context) {
    std::int64_t found = kernels::no_nan;
    device::copy(context.stream(), &found, context.data(flag), sizeof found);
    device::fence(context.stream());
    std::optional<Error> error;
    if (found != kernels::no_nan) {
      const Rank rank = context.communicator().rank();
      error = Error(ErrorKind::numerical, "NaN can't become an integer");
      error->found("NaN " + global_index(output.layout, rank, found))
          .advice("replace it first: where(isnan(x), 0, x)")
          .at({{}, 0, 0, name, {}});
    }
    context.communicator().agree(error);
  };
  emitter.collective(std::move(agree));
}

void emit(const StepFormula& formula, const Step& step, Emitter& emitter) {
  const Program program = program_of(formula, step.node);
  const bool refuses = std::any_of(program.code.begin(), program.code.end(),
                                   [](const auto& i) { return i.op == ElementOp::refuse_nan; });
  const BufferId flag = refuses ? emitter.scratch("lowest NaN", sizeof(std::int64_t)) : BufferId();
  emit_program(step.node.op, program, step.inputs, step.outputs[0], flag, emitter);
  if (refuses) emit_agreement(step, flag, emitter);
}

void run_as(Operation& operation, const StepFormula& formula) {
  operation.formula = formula;
  operation.choices = [formula](const graph::Node& node, const ChoiceContext& context) {
    return choices(formula, node, context);
  };
  operation.emit = [formula](const Step& step, Emitter& emitter) { emit(formula, step, emitter); };
  operation.in_place = true;
}

}  // namespace

Shape broadcast_shape(const std::vector<graph::TensorInfo>& inputs,
                      const std::vector<std::string>& names) {
  Shape result;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Shape& shape = inputs[k].shape;
    while (result.size() < shape.size()) result.insert(0, 1);
    const int missing = result.size() - shape.size();
    for (int axis = 0; axis < shape.size(); ++axis) {
      std::int64_t& extent = result[axis + missing];
      if (shape[axis] == extent || shape[axis] == 1) continue;
      if (extent != 1) {
        throw Error(ErrorKind::graph, "the shapes of the inputs don't broadcast")
            .expected("\"" + names[k] + "\" with extent 1 or " + std::to_string(extent) +
                      " along axis " + std::to_string(axis))
            .found("shape " + to_string(shape));
      }
      extent = shape[axis];
    }
  }
  return result;
}

Layout broadcast_layout(const Shape& shape, const Layout& output) {
  if (shape == output.shape()) return output;
  const int missing = output.shape().size() - shape.size();
  if (output.is_replicated() || shape.empty()) {
    return Layout::replicated(shape, output.ranks());
  }
  std::vector<layout::AxisSplit> splits;
  for (int axis = 0; axis < output.shape().size(); ++axis) {
    const layout::AxisSplit& split = output.splits()[static_cast<std::size_t>(axis)];
    const bool repeats =
        axis < missing || (shape[axis - missing] == 1 && output.shape()[axis] != 1);
    if (repeats && split.parts > 1) return Layout::replicated(shape, output.ranks());
    if (axis >= missing) splits.push_back(repeats ? layout::AxisSplit() : split);
  }
  return Layout(shape, std::move(splits), output.ranks());
}

void emit_program(const std::string& label, const Program& program,
                  const std::vector<Placed>& inputs, const Placed& output, BufferId first_nan,
                  Emitter& emitter) {
  const std::int64_t elements = output.layout.local_elements(emitter.rank());
  Launch launch;
  launch.label = label;
  launch.writes = {output.buffer};
  if (first_nan.valid()) launch.writes.push_back(first_nan);
  launch.flops = kernels::flops_per_element(program) * static_cast<double>(elements);
  launch.bytes = static_cast<double>(elements * size_of(output.dtype));
  for (const Placed& input : inputs) {
    launch.reads.push_back(input.buffer);
    launch.bytes +=
        static_cast<double>(input.layout.local_elements(emitter.rank()) * size_of(input.dtype));
  }
  launch.run = [program, output, first_nan, inputs](RunContext& context) {
    std::vector<Tile> tiles;
    for (const Placed& input : inputs) {
      tiles.push_back(tile_beside(context, input, output.layout));
    }
    std::byte* flag = first_nan.valid() ? context.data(first_nan) : nullptr;
    kernels::evaluate(context.stream(), context.recipe(), program, tiles,
                      local_tile(context, output), reinterpret_cast<std::int64_t*>(flag));
  };
  emitter.launch(std::move(launch));
}

std::string formula_number(const graph::Params& params, const std::string& name) {
  const double value = params.real(name);
  const bool whole = value == std::floor(value) && std::fabs(value) < 0x1p53 &&
                     !(value == 0 && std::signbit(value));
  if (whole) return "(" + std::to_string(static_cast<std::int64_t>(value)) + ")";
  std::string text = graph::number_text(value);
  // A large whole number is printed without a point; it mustn't be read as an integer.
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return "(" + text + ")";
}

Operation elementwise_operation(std::string name, graph::InputsSpec inputs,
                                std::vector<graph::ParamSpec> params, FormulaText formula) {
  Operation operation;
  operation.signature.name = std::move(name);
  operation.signature.inputs = std::move(inputs);
  operation.signature.params = std::move(params);
  operation.signature.infer = [formula](const graph::InferContext& context) {
    return infer(formula, context);
  };
  operation.family = "element-wise";
  operation.shape_rule = "the shape to which the inputs broadcast, as in numpy";
  operation.distributed =
      "every rank computes its own part; inputs that repeat along a cut axis are replicated";
  run_as(operation, [formula](const graph::Node& node) {
    return parse_formula(formula(node.params, node.input_names), node.input_names);
  });
  return operation;
}

Operation formula_operation(Formula formula) {
  Operation operation;
  operation.signature.name = "map";
  run_as(operation, [formula = std::move(formula)](const graph::Node&) { return formula; });
  return operation;
}

}  // namespace tessera::ops
