// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/product.hpp"

namespace tessera::ops {

namespace {

using graph::ParamType;

graph::ParamSpec flag(const char* name, const char* doc) {
  return {.name = name, .type = ParamType::boolean, .doc = doc, .fallback = false};
}

/// The batch axes of the product: equal extents, or 1 or missing in one operand.
Shape broadcast(const Shape& a, const Shape& b) {
  Shape result;
  const int axes = std::max(a.size(), b.size()) - 2;
  for (int axis = 0; axis < axes; ++axis) {
    const int in_a = axis - (axes - (a.size() - 2));
    const int in_b = axis - (axes - (b.size() - 2));
    const std::int64_t from_a = in_a < 0 ? 1 : a[in_a];
    const std::int64_t from_b = in_b < 0 ? 1 : b[in_b];
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      throw Error(ErrorKind::graph, "the batch axes of a and b don't match")
          .expected("equal extents, or 1 in one of them")
          .found("shapes " + to_string(a) + " and " + to_string(b));
    }
    result.push_back(from_a == 1 ? from_b : from_a);
  }
  return result;
}

ProductShape shape_of(const std::vector<graph::TensorInfo>& inputs, const graph::Params& params) {
  ProductShape shape;
  shape.dtype = inputs[0].dtype;
  shape.a = inputs[0].shape;
  shape.b = inputs[1].shape;
  shape.form.transpose_a = params.flag("transpose_a");
  shape.form.transpose_b = params.flag("transpose_b");
  shape.form.conjugate_a = params.flag("conjugate_a");
  shape.form.conjugate_b = params.flag("conjugate_b");
  if (shape.a.size() < 2 || shape.b.size() < 2) {
    throw Error(ErrorKind::graph, "matmul takes two matrices, or stacks of them")
        .expected("at least two axes each")
        .found("shapes " + to_string(shape.a) + " and " + to_string(shape.b))
        .advice("use matvec for a matrix times a vector");
  }
  if (shape.a[shape.a_k()] != shape.b[shape.b_k()]) {
    throw Error(ErrorKind::graph, "the inner extents of a and b differ")
        .expected("b with " + std::to_string(shape.a[shape.a_k()]) + " along axis " +
                  std::to_string(shape.b_k()))
        .found("shapes " + to_string(shape.a) + " and " + to_string(shape.b))
        .advice("see transpose_a and transpose_b");
  }
  shape.c = broadcast(shape.a, shape.b);
  shape.c.push_back(shape.a[shape.a_m()]);
  shape.c.push_back(shape.b[shape.b_n()]);
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

Operation matmul_operation() {
  Operation operation = product_operation();
  operation.signature.name = "matmul";
  operation.signature.inputs.names = {"a", "b"};
  operation.signature.params = {flag("transpose_a", "a's last two axes are [k, m]"),
                                flag("transpose_b", "b's last two axes are [n, k]"),
                                flag("conjugate_a", "the complex conjugate of a"),
                                flag("conjugate_b", "the complex conjugate of b")};
  operation.signature.infer = infer;
  operation.summary = "The product of two matrices, or of stacks of matrices.";
  operation.shape_rule =
      "[..., m, k] x [..., k, n] -> [..., m, n]; leading axes broadcast: equal extents, 1, or "
      "missing";
  operation.distributed += "; stacks may also be cut along a batch axis, which needs no messages";
  operation.example = R"({"op": "matmul", "in": ["a", "b"]})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
