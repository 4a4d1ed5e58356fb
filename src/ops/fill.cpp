// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/formula.hpp"
#include "ops/generator.hpp"

namespace tessera::ops {

namespace {

struct Value {
  double re = 0;
  double im = 0;
};

/// `value`: a number, or [re, im] for a complex type.
Value value_param(const graph::Params& params) {
  const graph::NumberArray& numbers = params.numbers("value");
  if (numbers.shape.size() > 1 || numbers.values.empty() || numbers.values.size() > 2) {
    throw Error(ErrorKind::graph, "the value isn't one number")
        .expected("a number, or [real part, imaginary part]")
        .found(graph::to_string(numbers))
        .at(params.place("value"));
  }
  return {numbers.values[0], numbers.values.size() == 2 ? numbers.values[1] : 0};
}

bool holds(DType dtype, double value) {
  switch (dtype) {
    case DType::uint8:
      return value == std::floor(value) && value >= 0 && value <= 255;
    case DType::int32:
      return value == std::floor(value) && value >= INT32_MIN && value <= INT32_MAX;
    case DType::int64:
      return value == std::floor(value) && value >= -0x1p63 && value < 0x1p63;
    case DType::float32:
    case DType::complex64:
      return !std::isfinite(value) || std::isfinite(static_cast<float>(value));
    default:
      return true;
  }
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const DType dtype = *dtype_named(context.params.text("dtype"));
  const Value value = value_param(context.params);
  if (!holds(dtype, value.re) || !holds(dtype, value.im) || (!is_complex(dtype) && value.im != 0)) {
    throw Error(ErrorKind::graph, "the value isn't one of type " + std::string(name_of(dtype)))
        .found(graph::to_string(context.params.numbers("value")))
        .advice("choose a \"dtype\" that holds it")
        .at(context.params.place("value"));
  }
  return {{dtype, shape_param(context.params)}};
}

/// A program without inputs: one conversion of a constant.
kernels::Program program_of(DType dtype, Value value) {
  kernels::Program program;
  kernels::Constant constant;
  constant.type = is_integer(dtype) ? DType::int64 : complex_of(dtype);
  if (is_integer(dtype)) constant.integer = static_cast<std::int64_t>(value.re);
  constant.re = value.re;
  constant.im = value.im;
  if (is_real_floating(dtype)) constant.type = dtype;
  program.constants = {constant};
  kernels::Instruction convert;
  convert.op = kernels::ElementOp::convert;
  convert.type = constant.type;
  convert.to = dtype;
  convert.a = {kernels::Operand::Kind::constant, 0};
  program.code = {convert};
  program.registers = 1;
  return program;
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  return generator_choices(node, context, 0);
}

void emit(const Step& step, Emitter& emitter) {
  const Placed out = step.outputs[0];
  const kernels::Program program = program_of(out.dtype, value_param(step.node.params));
  const auto bytes =
      static_cast<double>(out.layout.local_elements(emitter.rank()) * size_of(out.dtype));
  emitter.launch({"fill", {}, {out.buffer}, bytes, 0, [out, program](RunContext& context) {
                    kernels::evaluate(context.stream(), context.recipe(), program, {},
                                      context.tile(out), nullptr);
                  }});
}

}  // namespace

Operation fill_operation() {
  Operation operation;
  operation.signature.name = "fill";
  operation.signature.params = {
      shape_spec(),
      {.name = "value",
       .type = graph::ParamType::numbers,
       .doc = "every element; [re, im] for a complex number",
       .fallback = graph::NumberArray{{}, {0.0}, true}},
      {.name = "dtype",
       .type = graph::ParamType::text,
       .doc = "the element type of the result",
       .fallback = std::string("float64"),
       .choices = {"uint8", "int32", "int64", "float32", "float64", "complex64", "complex128"}}};
  operation.signature.infer = infer;
  operation.family = "data";
  operation.summary = "A tensor whose elements all have one value.";
  operation.shape_rule = "as given";
  operation.types = "as given; a value that the type can't hold is refused";
  operation.error_bound = "half an ULP: the value is rounded to the type";
  operation.rounding = "the value rounded to the type, to nearest, ties to even";
  operation.distributed = "every rank fills its rows";
  operation.example = R"({"op": "fill", "shape": [3, 4], "value": 1.5})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
