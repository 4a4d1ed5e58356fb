// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/fft_common.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::ops {

namespace {

using graph::InferContext;
using graph::Params;
using graph::ParamSpec;
using graph::ParamType;
using graph::TensorInfo;

/// The axes as written, counted from 0; all of them, or the last of more than three, when left out.
std::vector<int> listed_axes(const Params& params, const Shape& shape) {
  const int axes = shape.size();
  std::vector<int> result;
  if (!params.has("axes")) {
    if (axes > 3) return {axes - 1};
    for (int axis = 0; axis < axes; ++axis) result.push_back(axis);
    return result;
  }
  for (const std::int64_t written : params.integers("axes")) {
    const std::int64_t axis = written < 0 ? written + axes : written;
    if (axis < 0 || axis >= axes) {
      throw Error(ErrorKind::graph, "axes names an axis that the input doesn't have")
          .expected(std::to_string(-axes) + " to " + std::to_string(axes - 1))
          .found(std::to_string(written))
          .at(params.place("axes"));
    }
    if (std::find(result.begin(), result.end(), axis) != result.end()) {
      throw Error(ErrorKind::graph, "axes names axis " + std::to_string(axis) + " twice")
          .at(params.place("axes"));
    }
    result.push_back(static_cast<int>(axis));
  }
  return result;
}

void check_type(FftVariant variant, DType type) {
  const bool accepted = variant == FftVariant::rfft    ? is_real_floating(type)
                        : variant == FftVariant::irfft ? is_complex(type)
                                                       : !is_integer(type);
  if (accepted) return;
  Error error(ErrorKind::graph, "the input has a type that this transform doesn't take");
  error.expected(variant == FftVariant::rfft    ? "float32 or float64"
                 : variant == FftVariant::irfft ? "complex64 or complex128"
                                                : "a real or complex floating-point type");
  error.found(std::string(name_of(type)));
  error.advice(is_integer(type)              ? "cast the input to float64 first"
               : variant == FftVariant::rfft ? "use fft for complex input"
                                             : "use ifft, or transform with rfft first");
  throw error;
}

/// irfft's length, which the input's shape leaves open: m coefficients come from 2 m - 2 or 2 m - 1
/// values.
std::int64_t inverse_length(const Params& params, std::int64_t coefficients) {
  const std::string two =
      std::to_string(2 * coefficients - 2) + " or " + std::to_string(2 * coefficients - 1);
  if (!params.has("n")) {
    throw Error(ErrorKind::graph,
                "irfft needs n, the length of the real result along the last of axes")
        .expected(two)
        .advice("n isn't guessed, because an odd length would silently lose a value");
  }
  const std::int64_t n = params.integer("n");
  if (n < 1 || n / 2 + 1 != coefficients) {
    throw Error(ErrorKind::graph, "n doesn't go with " + std::to_string(coefficients) +
                                      " coefficients along the last of axes")
        .expected(two)
        .found(std::to_string(n))
        .at(params.place("n"));
  }
  return n;
}

std::vector<TensorInfo> infer(FftVariant variant, const InferContext& context) {
  const TensorInfo& in = context.inputs.at(0);
  check_type(variant, in.dtype);
  const std::vector<int> axes = listed_axes(context.params, in.shape);
  if (axes.empty() || axes.size() > 3) {
    throw Error(ErrorKind::graph, "a transform takes one to three axes")
        .found(in.shape.empty() ? "a scalar" : std::to_string(axes.size()) + " axes")
        .at(context.params.place("axes"));
  }
  for (const int axis : axes) {
    if (in.shape[axis] == 0) {
      throw Error(ErrorKind::graph, "axis " + std::to_string(axis) + " of the input is empty")
          .expected("at least one element along every transformed axis");
    }
  }
  TensorInfo out{promote(in.dtype, DType::complex64), in.shape};
  if (variant == FftVariant::rfft) out.shape[axes.back()] = in.shape[axes.back()] / 2 + 1;
  if (variant == FftVariant::irfft) {
    out.dtype = real_of(in.dtype);
    out.shape[axes.back()] = inverse_length(context.params, in.shape[axes.back()]);
  }
  return {out};
}

double scale_of(FftVariant variant, const std::string& norm, double elements) {
  if (norm == "ortho") return 1 / std::sqrt(elements);
  const bool divided = is_inverse(variant) == (norm == "backward");
  return divided ? 1 / elements : 1;
}

std::vector<ParamSpec> params_of(FftVariant variant) {
  ParamSpec axes{
      "axes", ParamType::integers,
      "one to three axes to transform; negative ones count from the end. Default: all axes of "
      "an input with up to three, otherwise the last"};
  axes.optional = true;
  if (variant == FftVariant::rfft || variant == FftVariant::irfft) {
    axes.doc += ". The last one listed is the halved one";
  }
  ParamSpec norm{
      "norm", ParamType::text,
      "backward: only inverse transforms are divided by the number N of points; forward: only "
      "forward ones; ortho: both by sqrt(N). N counts the transformed axes only"};
  norm.fallback = std::string("backward");
  norm.choices = {"backward", "ortho", "forward"};
  std::vector<ParamSpec> params{axes, norm};
  if (variant == FftVariant::irfft) {
    ParamSpec n{
        "n", ParamType::integer,
        "length of the real result along the last of axes: 2 m - 2 or 2 m - 1 for m coefficients"};
    n.optional = true;
    params.push_back(n);
  }
  return params;
}

}  // namespace

FftProblem fft_problem(FftVariant variant, const graph::Node& node) {
  return fft_problem(variant, node.input_infos.at(0), node.output_infos.at(0),
                     listed_axes(node.params, node.input_infos[0].shape), node.params.text("norm"));
}

FftProblem fft_problem(FftVariant variant, const TensorInfo& in, const TensorInfo& out,
                       std::vector<int> axes, const std::string& norm) {
  FftProblem problem;
  problem.variant = variant;
  problem.in_shape = in.shape;
  problem.out_shape = out.shape;
  problem.in_type = in.dtype;
  problem.out_type = out.dtype;
  const int halved = variant == FftVariant::rfft || variant == FftVariant::irfft ? axes.back() : -1;
  std::sort(axes.begin(), axes.end());
  if (!is_inverse(variant)) std::reverse(axes.begin(), axes.end());
  // The halved axis is the first of a forward transform and the last of a backward one.
  std::stable_partition(axes.begin(), axes.end(), [&](int axis) {
    return (axis == halved) == (variant == FftVariant::rfft);
  });
  double elements = 1;
  for (const int axis : axes) {
    FftAxis entry{axis, std::max(problem.in_shape[axis], problem.out_shape[axis])};
    if (axis == halved) {
      entry.kind = variant == FftVariant::rfft ? kernels::FftKind::real_to_complex
                                               : kernels::FftKind::complex_to_real;
    }
    if (axis == halved && variant == FftVariant::irfft) entry.length = problem.out_shape[axis];
    if (axis == halved && variant == FftVariant::rfft) entry.length = problem.in_shape[axis];
    elements *= static_cast<double>(entry.length);
    problem.axes.push_back(entry);
  }
  problem.scale = scale_of(variant, norm, elements);
  return problem;
}

Operation fft_family_operation(FftVariant variant, const std::string& name) {
  Operation operation;
  operation.signature.name = name;
  operation.signature.inputs.names = {"x"};
  operation.signature.params = params_of(variant);
  operation.signature.infer = [variant](const InferContext& context) {
    return infer(variant, context);
  };
  operation.family = "FFT";
  operation.error_bound =
      "relative L2 error at most 0.5 eps log2 N against a longer precision; eps log2 N where a "
      "length has a "
      "prime factor above 61. There and back: twice that";
  operation.rounding =
      "Each line is transformed as its length n alone decides. n up to 4096 with prime factors up "
      "to 61: "
      "Stockham passes, odd primes ascending, then radices 2, 4, 8, 16, the smaller first. Other "
      "composite n: "
      "n1 n2 with n1 the largest divisor not above sqrt(n), columns, twiddles, rows. Other primes: "
      "Bluestein's "
      "convolution of the least length 2^a {1, 3, 5, 9, 15} >= 2 n - 1. Even real lines: a complex "
      "transform of "
      "n / 2. Butterflies are fixed sequences of additions and fused multiply-adds, twiddle "
      "factors are "
      "correctly rounded, a complex product is fma(-ai, bi, ar br) and fma(ai, br, ar bi). Several "
      "axes: " +
      std::string(is_inverse(variant) ? "first to last" : "last to first") +
      (name == "rfft"    ? ", the halved axis before all others"
       : name == "irfft" ? ", the halved axis after all others"
                         : "") +
      ". A normalisation multiplies the final values by the rounded factor, once";
  operation.distributed =
      "An axis that isn't cut is transformed where it lies. Slabs: the other axes first, in chunks "
      "of which one "
      "travels while the next is transformed, then the axis that was cut. Pencils: three axes on a "
      "grid of ranks, "
      "two exchanges. A cut vector: gathered to rank 0. The result stays in the layout of the last "
      "stage";
  operation.source =
      "T. G. Stockham 1966 and W. T. Cochran et al. 1967 (self-sorting passes); D. H. Bailey 1990 "
      "(split into n1 "
      "n2); L. I. Bluestein 1970 (primes)";
  operation.choices = [variant](const graph::Node& node, const ChoiceContext& context) {
    return fft_choices(fft_problem(variant, node), context);
  };
  operation.emit = [variant](const Step& step, Emitter& emitter) {
    emit_fft(fft_problem(variant, step.node), step, emitter);
  };
  operation.in_place = variant == FftVariant::fft || variant == FftVariant::ifft;
  return operation;
}

}  // namespace tessera::ops
