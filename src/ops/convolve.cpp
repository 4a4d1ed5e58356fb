// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/conv_common.hpp"
#include "ops/convolve_fft.hpp"

namespace tessera::ops {

namespace {

using graph::InferContext;
using graph::Params;
using graph::TensorInfo;

/// The axes of x that those of the kernel lie along, ascending.
std::vector<int> axes_of(const Params& params, int kernel_axes, int x_axes) {
  if (kernel_axes < 1 || kernel_axes > 3 || x_axes < kernel_axes || x_axes >= max_axes) {
    throw Error(ErrorKind::graph, "a convolution is along one to three axes")
        .expected("a kernel of 1 to 3 axes, and x with at least as many and at most 7")
        .found(std::to_string(kernel_axes) + " and " + std::to_string(x_axes));
  }
  std::vector<int> axes;
  if (!params.has("axes")) {
    for (int s = 0; s < kernel_axes; ++s) axes.push_back(x_axes - kernel_axes + s);
    return axes;
  }
  for (const std::int64_t given : params.integers("axes")) {
    const std::int64_t axis = given < 0 ? given + x_axes : given;
    if (axis < 0 || axis >= x_axes) {
      throw Error(ErrorKind::graph, "no such axis")
          .expected("an axis from " + std::to_string(-x_axes) + " to " + std::to_string(x_axes - 1))
          .found(std::to_string(given))
          .at(params.place("axes"));
    }
    axes.push_back(static_cast<int>(axis));
  }
  const bool ascending =
      std::adjacent_find(axes.begin(), axes.end(), std::greater_equal<>()) == axes.end();
  if (!ascending || std::ssize(axes) != kernel_axes) {
    throw Error(ErrorKind::graph, "the axes don't fit the kernel")
        .expected(std::to_string(kernel_axes) + " different axes of x, in ascending order")
        .found(graph::to_string(params.all().at("axes")))
        .at(params.place("axes"));
  }
  return axes;
}

/// The part of the full result that the mode wants, along one axis.
struct Wanted {
  std::int64_t first = 0;
  std::int64_t cells = 0;
};

Wanted wanted(const std::string& mode, std::int64_t x, std::int64_t kernel) {
  if (mode == "valid") return {kernel - 1, x - kernel + 1};
  if (mode == "same") return {(kernel - 1) / 2, x};
  return {0, x + kernel - 1};
}

FftConvolution convolution_of(const std::vector<TensorInfo>& inputs, const Params& params) {
  FftConvolution c{inputs[0], inputs[1], inputs[0].shape, {}, {}};
  c.axes = axes_of(params, c.kernel.shape.size(), c.x.shape.size());
  const std::string& mode = params.text("mode");
  for (int s = 0; s < c.kernel.shape.size(); ++s) {
    const int axis = c.axes[static_cast<std::size_t>(s)];
    const std::int64_t cells = c.x.shape[axis];
    const std::int64_t taps = c.kernel.shape[s];
    if (cells == 0 || taps == 0) {
      throw Error(ErrorKind::graph, "a convolution along an empty axis")
          .expected("at least one element along axis " + std::to_string(axis))
          .found("x of shape " + to_string(c.x.shape) + ", kernel of shape " +
                 to_string(c.kernel.shape));
    }
    const Wanted part = wanted(mode, cells, taps);
    if (part.cells < 1) {
      throw Error(ErrorKind::graph,
                  "the kernel doesn't fit into x along axis " + std::to_string(axis))
          .expected("at most " + std::to_string(cells) + " elements, as the mode is \"valid\"")
          .found(std::to_string(taps))
          .at(params.place("mode"));
    }
    c.out[axis] = part.cells;
    c.first.push_back(part.first);
  }
  return c;
}

/// The kernel's view of it: batches, one channel, the convolved axes; x's last axis stays last, so
/// that neighbours in memory are computed side by side.
ConvProblem direct_problem(const FftConvolution& c) {
  ConvProblem problem;
  problem.dtype = c.x.dtype;
  problem.in = c.x.shape;
  problem.out = c.out;
  problem.weights = {1, 1};
  problem.form.axes = 0;
  problem.form.reversed = true;
  problem.form.stride = problem.form.dilation = problem.form.padding = {};
  const int last = c.x.shape.size() - 1;
  for (int axis = 0; axis < last; ++axis) {
    if (std::find(c.axes.begin(), c.axes.end(), axis) == c.axes.end()) {
      problem.order.push_back(axis);
    }
  }
  problem.order.push_back(-1);
  const auto add = [&](int axis, std::int64_t taps, std::int64_t padding) {
    problem.order.push_back(axis);
    problem.weights.push_back(taps);
    problem.form.stride.push_back(1);
    problem.form.dilation.push_back(1);
    problem.form.padding.push_back(padding);
    ++problem.form.axes;
  };
  for (int s = 0; s < c.first.size(); ++s) {
    const std::int64_t taps = c.kernel.shape[s];
    add(c.axes[static_cast<std::size_t>(s)], taps, taps - 1 - c.first[s]);
  }
  if (c.axes.back() != last) add(last, 1, 0);
  return problem;
}

/// How much longer an operation of a transform takes than one of the direct sum: measured on one
/// core of a Zen 4, powers of two between 64 and 4096.
constexpr double fft_operation = 10;

bool by_fft(const FftConvolution& c, const Params& params) {
  const std::string& method = params.text("method");
  if (method != "auto") return method == "fft";
  const double direct = 2 * direct_problem(c).chain() * static_cast<double>(element_count(c.out));
  return fft_operation * fft_convolution_flops(c) < direct;
}

std::vector<TensorInfo> infer(const InferContext& context) {
  check_conv_types(context);
  return {{context.inputs[0].dtype, convolution_of(context.inputs, context.params).out}};
}

std::vector<Choice> choices(const graph::Node& node, const ChoiceContext& context) {
  const FftConvolution c = convolution_of(node.input_infos, node.params);
  if (by_fft(c, node.params)) return fft_convolution_choices(c, context);
  std::vector<Choice> result = conv_choices(direct_problem(c), node, context);
  for (Choice& choice : result) choice.algorithm = "direct, " + choice.algorithm;
  return result;
}

void emit(const Step& step, Emitter& emitter) {
  const FftConvolution c = convolution_of(step.node.input_infos, step.node.params);
  if (by_fft(c, step.node.params)) return emit_fft_convolution(c, step, emitter);
  emit_conv(direct_problem(c), step, emitter);
}

std::vector<graph::ParamSpec> param_specs() {
  using graph::ParamType;
  return {{.name = "mode",
           .type = ParamType::text,
           .doc = "full: all sums that have a term; same: the middle of them, as many as x has, as "
                  "scipy centres them; valid: those with all terms",
           .fallback = std::string("full"),
           .choices = {"full", "same", "valid"}},
          {.name = "method",
           .type = ParamType::text,
           .doc = "direct: the sums themselves; fft: through spectra; auto: the one with fewer "
                  "operations, those of transforms counted tenfold, which the shapes alone decide",
           .fallback = std::string("auto"),
           .choices = {"auto", "direct", "fft"}},
          {.name = "axes",
           .type = ParamType::integers,
           .doc = "the axes of x that those of the kernel lie along, ascending; negative ones "
                  "count from the end. Default: the last ones. The others are a batch",
           .optional = true}};
}

}  // namespace

Operation convolve_operation() {
  Operation operation;
  operation.signature.name = "convolve";
  operation.signature.inputs = {.names = {"x", "kernel"}, .named = true};
  operation.signature.params = param_specs();
  operation.signature.infer = infer;
  operation.family = "stencil";
  operation.summary =
      "Convolution along one to three axes, out_i = sum_j x_j k_(i-j), as scipy.signal.convolve, "
      "directly or by FFT.";
  operation.shape_rule =
      "along a convolved axis of n elements and k of the kernel: full n + k - 1, "
      "same n, valid n - k + 1; other axes stay";
  operation.types = "float32, float64, complex64, complex128, one for both; stays";
  operation.error_bound =
      "direct: (number of the kernel's elements + 1) ULP of the sum of absolute values of the "
      "terms "
      "(complex: twice); fft: eps log2 N times the norms of x and of the kernel, N the padded "
      "points, for every element alike";
  operation.rounding =
      "direct: per element one chain of fused multiply-adds from +0 over the kernel backwards, so "
      "x ascends in row-major order; cells beyond the ends of x are zeros and count. Complex: as "
      "matmul, the kernel on the left. fft: x and the kernel padded with zeros to lengths 2^a {1, "
      "3, 5, 9, 15}, rfft (complex: fft) of both, products, irfft (ifft), each as its own page "
      "says. A NaN is stored as the positive quiet NaN; by fft it spreads over its batch";
  operation.distributed =
      "direct: as conv2d, the kernel on every rank. fft: the transforms' routes; the kernel's "
      "spectrum goes to where x's lies; padding and cropping are exchanges of parts";
  operation.source = "T. G. Stockham, High-speed convolution and correlation, AFIPS 1966";
  operation.example = R"({"op": "convolve", "in": ["x", "k"], "mode": "same"})";
  operation.choices = choices;
  operation.emit = emit;
  return operation;
}

}  // namespace tessera::ops
