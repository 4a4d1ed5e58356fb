// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/convolve_fft.hpp"

#include <algorithm>
#include <cmath>

#include "ops/compose.hpp"
#include "ops/fft_common.hpp"
#include "ops/view.hpp"
#include "pack.hpp"

namespace tessera::ops {

namespace {

using layout::Layout;

/// The three transforms, their shapes, and the routes that they take.
struct Spectra {
  Shape padded;         ///< of x
  Shape padded_kernel;  ///< 1 along the axes that aren't convolved
  FftProblem forward;
  FftProblem kernel;
  FftProblem backward;
  Choice forward_choice;
  Choice kernel_choice;
  Choice backward_choice;
};

/// Seconds as the planner predicts them.
double seconds_of(const Choice& choice, DType dtype, const Machine& machine) {
  const double peak = real_of(dtype) == DType::float32 ? machine.flops_float32_per_second
                                                       : machine.flops_float64_per_second;
  return std::max(choice.flops / peak, choice.memory_bytes / machine.copy_bytes_per_second) +
         choice.messages * machine.message_seconds +
         choice.message_bytes / machine.message_bytes_per_second;
}

Shape padded_shape(const FftConvolution& c) {
  Shape shape = c.x.shape;
  for (int s = 0; s < c.first.size(); ++s) {
    const int axis = c.axes[static_cast<std::size_t>(s)];
    shape[axis] = padded_length(shape[axis], c.kernel.shape[s], c.first[s]);
  }
  return shape;
}

bool convolved(const FftConvolution& c, int axis) {
  return std::find(c.axes.begin(), c.axes.end(), axis) != c.axes.end();
}

void set_problems(const FftConvolution& c, Spectra& spectra) {
  spectra.padded = padded_shape(c);
  spectra.padded_kernel = spectra.padded;
  for (int axis = 0; axis < spectra.padded.size(); ++axis) {
    if (!convolved(c, axis)) spectra.padded_kernel[axis] = 1;
  }
  const bool real = !is_complex(c.x.dtype);
  const DType complex = complex_of(c.x.dtype);
  const auto spectrum = [&](Shape shape) {
    if (real) shape[c.axes.back()] = shape[c.axes.back()] / 2 + 1;
    return graph::TensorInfo{complex, shape};
  };
  const FftVariant to = real ? FftVariant::rfft : FftVariant::fft;
  const FftVariant back = real ? FftVariant::irfft : FftVariant::ifft;
  const auto signal = [&](const Shape& shape) { return graph::TensorInfo{c.x.dtype, shape}; };
  spectra.forward =
      fft_problem(to, signal(spectra.padded), spectrum(spectra.padded), c.axes, "backward");
  spectra.kernel = fft_problem(to, signal(spectra.padded_kernel), spectrum(spectra.padded_kernel),
                               c.axes, "backward");
  spectra.backward =
      fft_problem(back, spectrum(spectra.padded), signal(spectra.padded), c.axes, "backward");
}

/// The fastest of the choices; of those that take `from` as it lies, where there are such.
Choice fastest(const std::vector<Choice>& choices, const Layout& from, DType dtype,
               const Machine& machine) {
  const auto better = [&](const Choice& a, const Choice& b) {
    const bool a_lies = a.inputs[0] == from;
    const bool b_lies = b.inputs[0] == from;
    return a_lies != b_lies ? a_lies
                            : seconds_of(a, dtype, machine) < seconds_of(b, dtype, machine);
  };
  return *std::min_element(choices.begin(), choices.end(), better);
}

/// Cut as the input lies, so that padding moves little.
Layout padded_layout(const Layout& in, const Shape& padded) {
  if (in.is_replicated() || !in.is_block()) return Layout::rows(padded, in.ranks());
  return {padded, in.splits(), in.ranks()};
}

std::vector<Choice> choices_of(const FftProblem& problem, const Layout& current,
                               const ChoiceContext& context) {
  const std::vector<Layout> layouts = {current};
  return fft_choices(problem,
                     {context.ranks, context.recipe, context.machine, context.backend, layouts});
}

/// All ways in a fixed order: one per route of the forward transform.
std::vector<Spectra> all_ways(const FftConvolution& c, const Layout& in,
                              const ChoiceContext& context) {
  Spectra spectra;
  set_problems(c, spectra);
  const DType dtype = spectra.forward.out_type;
  const Layout kernel = Layout::rows(spectra.padded_kernel, context.ranks);
  spectra.kernel_choice =
      fastest(choices_of(spectra.kernel, kernel, context), kernel, dtype, context.machine);
  std::vector<Spectra> ways;
  for (const Choice& forward :
       choices_of(spectra.forward, padded_layout(in, spectra.padded), context)) {
    spectra.forward_choice = forward;
    const Layout& spectrum = forward.outputs[0];
    spectra.backward_choice =
        fastest(choices_of(spectra.backward, spectrum, context), spectrum, dtype, context.machine);
    ways.push_back(spectra);
  }
  return ways;
}

Layout cropped_layout(const Layout& padded, const Shape& out) {
  if (padded.split_axis() == -1) return Layout::rows(out, padded.ranks());
  return {out, padded.splits(), padded.ranks()};
}

Layout as_it_lies(const Layout& current, const graph::TensorInfo& info, int ranks) {
  return current.is_block() ? current : Layout::rows(info.shape, ranks);
}

/// The kernel's parts in the index space of x: axes of extent 1 are put in between.
View spread_view(const FftConvolution& c, const Layout& layout, Rank self) {
  const View given = own_view(layout, self);
  View view;
  view.replicated = given.replicated;
  const auto spread = [&](const Extents& extents, std::int64_t value) {
    Extents result = Extents::filled(c.x.shape.size(), value);
    for (int s = 0; s < extents.size(); ++s) {
      result[c.axes[static_cast<std::size_t>(s)]] = extents[s];
    }
    return result;
  };
  for (const Box& box : given.boxes) {
    view.boxes.push_back({spread(box.origin, 0), spread(box.extent, 1)});
  }
  view.strides = spread(given.strides, 1);
  return view;
}

/// The padded result's parts as they lie in the wanted one.
View cropped_view(const FftConvolution& c, const Layout& layout, Rank self) {
  Index origin = Extents::filled(c.out.size(), 0);
  for (int s = 0; s < c.first.size(); ++s) {
    origin[c.axes[static_cast<std::size_t>(s)]] = -c.first[s];
  }
  return shifted_view(layout, origin, self);
}

void add(Choice& total, const Choice& part) {
  total.flops += part.flops;
  total.memory_bytes += part.memory_bytes;
  total.message_bytes += part.message_bytes;
  total.messages += part.messages;
}

void add(Choice& total, const MoveCost& cost) {
  total.message_bytes += cost.bytes;
  total.messages += cost.messages;
  total.memory_bytes += 4 * cost.bytes;
}

/// Emits the steps of one way.
class FftConvolutionEmission {
 public:
  FftConvolutionEmission(const FftConvolution& c, const Spectra& way, const Step& step,
                         Emitter& emitter)
      : c_(c), way_(way), step_(step), emitter_(emitter) {}

  void emit() {
    const Rank self = emitter_.rank();
    const Placed x = step_.inputs[0];
    const Placed kernel = step_.inputs[1];
    const Placed kernel_spectrum =
        transform("kernel", way_.kernel, way_.kernel_choice,
                  padded("padded kernel", kernel, spread_view(c_, kernel.layout, self),
                         way_.kernel_choice.inputs[0]));
    Placed spectrum =
        transform("x", way_.forward, way_.forward_choice,
                  padded("padded x", x, own_view(x.layout, self), way_.forward_choice.inputs[0]));
    Composition(step_, emitter_)
        .evaluate("multiply", "x * k", {{"x", spectrum}, {"k", kernel_spectrum}}, spectrum);
    const Layout& wanted = way_.backward_choice.inputs[0];
    if (spectrum.layout != wanted) {
      const Placed moved = emitter_.scratch("spectrum", spectrum.dtype, wanted);
      emitter_.redistribute(spectrum, moved, "spectrum");
      spectrum = moved;
    }
    const Placed full = transform("result", way_.backward, way_.backward_choice, spectrum);
    const Placed out = step_.outputs[0];
    move(emitter_, full, cropped_view(c_, full.layout, self), out, own_view(out.layout, self),
         "crop");
  }

 private:
  /// A tensor of zeros with another one in its first corner.
  Placed padded(const std::string& label, const Placed& from, const View& view,
                const Layout& layout) {
    Placed to = emitter_.scratch(label, from.dtype, layout);
    const std::int64_t bytes = layout.local_elements(emitter_.rank()) * size_of(from.dtype);
    emitter_.launch({label + " zeros",
                     {},
                     {to.buffer},
                     static_cast<double>(bytes),
                     0,
                     [to, bytes](RunContext& context) {
                       kernels::fill_bytes(context.stream(), context.data(to.buffer), bytes, 0);
                     }});
    move(emitter_, from, view, to, own_view(layout, emitter_.rank()), label);
    return to;
  }

  Placed transform(const std::string& label, const FftProblem& problem, const Choice& choice,
                   const Placed& from) {
    Placed to = emitter_.scratch("transform of " + label, problem.out_type, choice.outputs[0]);
    emit_fft(problem, {step_.node, choice, {from}, {to}}, emitter_);
    return to;
  }

  const FftConvolution& c_;
  const Spectra& way_;
  const Step& step_;
  Emitter& emitter_;
};

}  // namespace

std::int64_t padded_length(std::int64_t x, std::int64_t kernel, std::int64_t first) {
  // What lies beyond the length comes round to the cells from 0 on, which may be cut away.
  const std::int64_t least = std::max({x + kernel - 1 - first, x, kernel});
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5, 9, 15}) {
    std::int64_t length = odd;
    while (length < least) length *= 2;
    if (best == 0 || length < best) best = length;
  }
  return best;
}

double fft_convolution_flops(const FftConvolution& c) {
  const Shape padded = padded_shape(c);
  double points = 1;
  double batches = 1;
  for (int axis = 0; axis < padded.size(); ++axis) {
    (convolved(c, axis) ? points : batches) *= static_cast<double>(padded[axis]);
  }
  const double one = (is_complex(c.x.dtype) ? 5 : 2.5) * points * std::log2(points);
  return (2 * batches + 1) * one + (is_complex(c.x.dtype) ? 6 : 3) * points * batches;
}

std::vector<Choice> fft_convolution_choices(const FftConvolution& c, const ChoiceContext& context) {
  const Layout in = as_it_lies(context.current[0], c.x, context.ranks);
  const Layout kernel = as_it_lies(context.current[1], c.kernel, context.ranks);
  std::vector<Choice> result;
  for (const Spectra& way : all_ways(c, in, context)) {
    const Layout& full = way.backward_choice.outputs[0];
    const Layout out = cropped_layout(full, c.out);
    Choice choice;
    choice.algorithm = "FFT " + way.forward_choice.algorithm;
    choice.inputs = {in, kernel};
    choice.outputs = {out};
    for (const Choice* part : {&way.forward_choice, &way.kernel_choice, &way.backward_choice}) {
      add(choice, *part);
    }
    add(choice, move_cost(own_view(in, 0), own_view(way.forward_choice.inputs[0], 0), c.x.dtype));
    add(choice, move_cost(cropped_view(c, full, 0), own_view(out, 0), c.x.dtype));
    const std::int64_t bytes = full.max_local_elements() * size_of(c.x.dtype);
    choice.memory_bytes += 6 * static_cast<double>(bytes);  // padding, product, cropping
    choice.scratch_bytes = 4 * bytes;
    choice.details = {static_cast<std::int64_t>(result.size())};
    result.push_back(std::move(choice));
  }
  return result;
}

void emit_fft_convolution(const FftConvolution& c, const Step& step, Emitter& emitter) {
  const std::vector<Layout> current = {step.inputs[0].layout, step.inputs[1].layout};
  const std::vector<Spectra> ways =
      all_ways(c, current[0],
               {emitter.ranks(), emitter.recipe(), emitter.machine(), emitter.backend(), current});
  const auto index = static_cast<std::size_t>(step.choice.details.at(0));
  FftConvolutionEmission(c, ways.at(index), step, emitter).emit();
}

}  // namespace tessera::ops
