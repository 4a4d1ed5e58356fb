// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "window.hpp"

#include <algorithm>

#include "ops/axis.hpp"
#include "ops/formula.hpp"
#include "ops/operation.hpp"

namespace tessera::ops {

namespace {

using kernels::WindowTask;
using layout::Layout;

struct Named {
  const char* name;
  std::vector<double> coefficients;
};

/// F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
/// Proc. IEEE 66 (1978); nuttall: A. H. Nuttall (1981); flattop: G. D'Antona, A. Ferrero (2006).
const std::vector<Named>& cosine_windows() {
  static const std::vector<Named> windows = {
      {"boxcar", {1}},
      {"hann", {0.5, 0.5}},
      {"hamming", {0.54, 0.46}},
      {"blackman", {0.42, 0.5, 0.08}},
      {"blackmanharris", {0.35875, 0.48829, 0.14128, 0.01168}},
      {"nuttall", {0.3635819, 0.4891775, 0.1365995, 0.0106411}},
      {"flattop", {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}}};
  return windows;
}

std::vector<std::string> window_names() {
  std::vector<std::string> names;
  for (const Named& window : cosine_windows()) names.emplace_back(window.name);
  names.insert(names.end(), {"bartlett", "kaiser"});
  return names;
}

WindowTask task_of(const graph::Params& params, std::int64_t length) {
  WindowTask task;
  task.length = length;
  task.symmetric = params.flag("symmetric");
  const std::string& name = params.text("window");
  if (name == "bartlett") task.kind = WindowTask::Kind::bartlett;
  if (name == "kaiser") {
    task.kind = WindowTask::Kind::kaiser;
    task.beta = params.real("beta");
  }
  for (const Named& window : cosine_windows()) {
    if (window.name != name) continue;
    task.terms = static_cast<int>(window.coefficients.size());
    std::copy(window.coefficients.begin(), window.coefficients.end(), task.coefficient);
  }
  return task;
}

std::vector<graph::TensorInfo> infer(const graph::InferContext& context) {
  const graph::TensorInfo& x = context.inputs[0];
  if (is_integer(x.dtype)) {
    throw Error(ErrorKind::graph, "a window has fractions")
        .expected("a floating-point or complex type")
        .found(std::string(name_of(x.dtype)))
        .advice("use \"cast\" first");
  }
  axis_param(context.params, "axis", x.shape.size());
  const bool kaiser = context.params.text("window") == "kaiser";
  if (kaiser != context.params.has("beta")) {
    throw Error(ErrorKind::graph, kaiser ? "the window \"kaiser\" needs \"beta\""
                                         : "\"beta\" is for the window \"kaiser\" alone")
        .at(context.params.place(kaiser ? "window" : "beta"));
  }
  return {x};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const graph::TensorInfo& x = node.input_infos[0];
  const Layout layout =
      context.current[0].is_block() ? context.current[0] : Layout::rows(x.shape, context.ranks);
  const auto elements = static_cast<double>(layout.max_local_elements());
  Choice choice;
  choice.algorithm = "local";
  choice.inputs = {layout};
  choice.outputs = {layout};
  choice.memory_bytes = 2.0 * elements * static_cast<double>(size_of(x.dtype));
  choice.flops = elements * (is_complex(x.dtype) ? 2 : 1);
  return {choice};
}

void emit(const Step& step, Emitter& emitter) {
  const Placed in = step.inputs[0];
  const Placed out = step.outputs[0];
  const Shape& shape = in.layout.shape();
  const int axis = axis_param(step.node.params, "axis", shape.size());
  const WindowTask task = task_of(step.node.params, shape[axis]);
  const Box part = in.layout.box(emitter.rank());
  const DType real = real_of(in.dtype);
  const std::int64_t samples = part.extent[axis];
  const BufferId table = emitter.scratch("window", samples * size_of(real));
  const std::int64_t first = part.origin[axis];
  emitter.launch({"window samples",
                  {},
                  {table},
                  static_cast<double>(samples * size_of(real)),
                  0,
                  [=](RunContext& context) {
                    kernels::fill_window(context.stream(), task, first, samples, real,
                                         context.data(table));
                  }});
  // The samples broadcast against the axes in front, and against those behind by extents of 1.
  Shape table_shape = Extents::filled(shape.size() - axis, 1);
  table_shape[0] = samples;
  const kernels::Program product =
      compile_formula(parse_formula("x * w", {"x", "w"}), {in.dtype, real});
  emitter.launch({"window",
                  {in.buffer, table},
                  {out.buffer},
                  2.0 * static_cast<double>(part.elements() * size_of(in.dtype)),
                  step.choice.flops,
                  [=](RunContext& context) {
                    const Box whole = Box::whole(part.extent);
                    const auto tile = [&](const Placed& placed) {
                      return dense_tile(context.data(placed.buffer), placed.dtype, whole,
                                        part.extent);
                    };
                    const Tile samples_tile =
                        dense_tile(context.data(table), real, Box::whole(table_shape), table_shape);
                    kernels::evaluate(context.stream(), context.recipe(), product,
                                      {tile(in), samples_tile}, tile(out), nullptr);
                  }});
}

}  // namespace

Operation window_operation() {
  Operation operation;
  operation.signature.name = "window";
  operation.signature.inputs.names = {"x"};
  operation.signature.params = {
      {.name = "window",
       .type = graph::ParamType::text,
       .doc = "which window",
       .fallback = std::string("hann"),
       .choices = window_names()},
      {.name = "axis",
       .type = graph::ParamType::integer,
       .doc = "the axis that the window lies along; a negative one counts from the end",
       .fallback = std::int64_t{-1}},
      {.name = "symmetric",
       .type = graph::ParamType::boolean,
       .doc = "symmetric, for filter design, instead of periodic, for spectra",
       .fallback = false},
      {.name = "beta",
       .doc = "the shape of the window \"kaiser\"",
       .optional = true,
       .minimum = 0,
       .maximum = 700}};
  operation.signature.infer = infer;
  operation.family = "data";
  operation.summary = "A tensor times a window along an axis, as before a spectrum.";
  operation.shape_rule = "the input's";
  operation.types = "floating-point and complex; the result has the input's type";
  operation.error_bound = "8 ULP of the window's peak (kaiser: 20), then half an ULP";
  operation.rounding =
      "samples in float64, the same on both sides of the middle: cosines in the order of their "
      "coefficients, Bessel's function by its power series; rounded to the input's real type, then "
      "x * sample, rounded once";
  operation.distributed = "every rank computes the samples that it needs; nothing is sent";
  operation.source = "F. J. Harris, Proc. IEEE 66 (1978)";
  operation.example = R"({"op": "window", "in": "x", "window": "hann", "axis": 0})";
  operation.choices = choices;
  operation.emit = emit;
  operation.in_place = true;
  return operation;
}

}  // namespace tessera::ops
