// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "elementwise_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "device/kokkos.hpp"
#include "elementwise_block.hpp"
#include "elementwise_device.hpp"

namespace tessera::kernels {

namespace {

/// Bytes of traffic from which on the output goes past the caches: it wouldn't stay in them.
std::int64_t streaming_threshold() {
  static const std::int64_t bytes = [] {
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return std::max<std::int64_t>(2 * std::max<long>(cache, 0), std::int64_t{16} << 20);
  }();
  return bytes;
}

bool worth_streaming(const std::vector<Tile>& inputs, const Tile& output) {
  std::int64_t bytes = output.elements() * size_of(output.dtype);
  for (const Tile& input : inputs) {
    if (input.data == output.data) return false;  // the lines are read anyway
    bytes += input.elements() * size_of(input.dtype);
  }
  return bytes >= streaming_threshold();
}

/// Scratch of one thread, from the stack's neighbourhood: reused by all pieces that it runs.
struct alignas(64) Line {
  std::byte bytes[64];
};

/// Elements that a thread takes at a time: many blocks, so that constants are laid out rarely.
std::int64_t piece_length(std::int64_t elements, std::int64_t block, int threads) {
  const std::int64_t wanted = std::clamp<std::int64_t>(elements / (8 * threads), block, 65536);
  return (wanted + block - 1) / block * block;
}

std::int64_t run_on_host(const BlockPlan& plan, std::int64_t elements, void* output) {
  constexpr std::int64_t small = 8192;  // cheaper than waking threads
  const auto run_piece = [&plan, output](std::int64_t first, std::int64_t count) {
    const auto lines = static_cast<std::size_t>((plan.scratch_bytes() + 63) / 64);
    const auto scratch = std::make_unique_for_overwrite<Line[]>(lines);
    return plan.run(first, count, output, scratch.get()->bytes);
  };
  if (elements <= small) return run_piece(0, elements);
  const std::int64_t piece = piece_length(elements, plan.block(), HostSpace().concurrency());
  const std::int64_t pieces = (elements + piece - 1) / piece;
  std::int64_t nan = no_nan;
  Kokkos::parallel_reduce(
      "tessera::evaluate", range(HostSpace(), pieces),
      [&run_piece, piece, elements](std::int64_t i, std::int64_t& lowest) {
        const std::int64_t first = i * piece;
        lowest = std::min(lowest, run_piece(first, std::min(piece, elements - first)));
      },
      Kokkos::Min<std::int64_t>(nan));
  return nan;
}

}  // namespace

void evaluate(const device::Stream& stream, Recipe recipe, const Program& program,
              const std::vector<Tile>& inputs, const Tile& output, std::int64_t* first_nan) {
  require(output.contiguous() || output.elements() == 0, "an element-wise output is dense");
  require(program.output() == output.dtype, "an element-wise output has the program's type");
  const std::int64_t elements = output.elements();
  std::vector<InputView> views;
  if (elements > 0) {
    for (const Tile& input : inputs) views.push_back(make_view(input, output.extent()));
  }
  if (stream.backend != device::Backend::host) {
    evaluate_by_element(stream, recipe, program, views, output, first_nan);
    return;
  }
  std::int64_t nan = no_nan;
  if (elements > 0) {
    const BlockPlan plan(program, std::move(views), recipe == Recipe::bitexact,
                         worth_streaming(inputs, output));
    nan = run_on_host(plan, elements, output.data);
  }
  if (first_nan != nullptr) *first_nan = nan;
}

Constant evaluate_constant(const Program& program) {
  const BlockPlan plan(program, {}, true, false);
  std::vector<Line> scratch(static_cast<std::size_t>((plan.scratch_bytes() + 63) / 64));
  alignas(16) std::byte result[16] = {};
  plan.run(0, 1, result, scratch.data()->bytes);
  Constant constant;
  constant.type = program.output();
  visit(constant.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value = *reinterpret_cast<const T*>(result);
    if constexpr (std::is_integral_v<T>) {
      constant.integer = static_cast<std::int64_t>(value);
      constant.re = static_cast<double>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      constant.re = static_cast<double>(value);
    } else {
      constant.re = static_cast<double>(value.real());
      constant.im = static_cast<double>(value.imag());
    }
  });
  return constant;
}

double flops_per_element(const Program& program) {
  double flops = 0;
  for (const Instruction& instruction : program.code) {
    const bool complex = is_complex(instruction.type);
    switch (instruction.op) {
      case ElementOp::negate:
      case ElementOp::add:
      case ElementOp::subtract:
      case ElementOp::scale:
      case ElementOp::unscale:
        flops += complex ? 2 : 1;
        break;
      case ElementOp::multiply:
      case ElementOp::square:
        flops += complex ? 6 : 1;
        break;
      case ElementOp::divide:
        flops += complex ? 11 : 1;
        break;
      case ElementOp::fma:
        flops += complex ? 4 : 2;
        break;
      case ElementOp::norm:
        flops += 3;
        break;
      case ElementOp::abs:
        flops += complex ? 4 : 0;
        break;
      case ElementOp::sqrt:
        flops += 1;
        break;
      case ElementOp::power_integer:
        flops += 10;
        break;
      case ElementOp::exp:
      case ElementOp::log:
      case ElementOp::tanh:
        flops += 40;
        break;
      case ElementOp::sin:
      case ElementOp::cos:
        flops += 50;
        break;
      case ElementOp::power:
        flops += 120;
        break;
      default:
        break;
    }
  }
  return flops;
}

}  // namespace tessera::kernels
