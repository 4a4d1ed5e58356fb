// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/product.hpp"

namespace tessera::ops {

namespace {

using graph::ParamType;

ProductShape shape_of(const std::vector<graph::TensorInfo>& inputs, const graph::Params& params) {
  ProductShape shape;
  shape.dtype = inputs[0].dtype;
  shape.vector = true;
  shape.a = inputs[0].shape;
  shape.b = inputs[1].shape;
  shape.form.transpose_a = params.flag("transpose_a");
  shape.form.conjugate_a = params.flag("conjugate_a");
  if (shape.a.size() != 2 || shape.b.size() != 1) {
    throw Error(ErrorKind::graph, "matvec takes a matrix and a vector")
        .expected("two axes and one axis")
        .found("shapes " + to_string(shape.a) + " and " + to_string(shape.b))
        .advice("use matmul for other products");
  }
  const int k_axis = shape.form.transpose_a ? 0 : 1;
  if (shape.a[k_axis] != shape.b[0]) {
    throw Error(ErrorKind::graph, "the matrix and the vector don't match")
        .expected("a vector of " + std::to_string(shape.a[k_axis]))
        .found("shapes " + to_string(shape.a) + " and " + to_string(shape.b))
        .advice("see transpose_a");
  }
  shape.c = {shape.a[1 - k_axis]};
  return shape;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  refuse_unlike_types(context.inputs);
  return {{context.inputs[0].dtype, shape_of(context.inputs, context.params).c}};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  return product_choices(shape_of(node.input_infos, node.params), context);
}

void emit(const Step& step, Emitter& emitter) {
  emit_product(shape_of(step.node.input_infos, step.node.params), step, emitter);
}

}  // namespace

Operation matvec_operation() {
  Operation operation = product_operation();
  operation.signature.name = "matvec";
  operation.signature.inputs.names = {"a", "x"};
  operation.signature.params = {
      {.name = "transpose_a", .type = ParamType::boolean, .doc = "a is [k, m]", .fallback = false},
      {.name = "conjugate_a",
       .type = ParamType::boolean,
       .doc = "the complex conjugate of a",
       .fallback = false}};
  operation.signature.infer = infer;
  operation.summary = "The product of a matrix and a vector.";
  operation.shape_rule = "[m, k] x [k] -> [m]";
  operation.example = R"({"op": "matvec", "in": ["a", "x"]})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
