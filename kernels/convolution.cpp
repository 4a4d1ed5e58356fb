// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "convolution.hpp"

#include "convolution_device.hpp"
#include "convolution_host.hpp"
#include "convolution_problem.hpp"

namespace tessera::kernels {

using namespace convolution_detail;

std::int64_t convolution_scratch_bytes(device::Backend backend, const Convolution& convolution,
                                       const ConvolutionTiles& tiles, int threads) {
  if (backend != device::Backend::host || tiles.output.box.empty()) return 0;
  return visit_floating(tiles.output.dtype, [&]<class T>(std::type_identity<T>) {
    return host_scratch_bytes(problem_of<T>(convolution, tiles), threads);
  });
}

void convolve(const device::Stream& stream, const Convolution& convolution,
              const ConvolutionTiles& tiles, int threads, void* scratch) {
  if (stream.backend != device::Backend::host) {
    return convolve_portably(stream, convolution, tiles);
  }
  if (tiles.output.box.empty()) return;
  visit_floating(tiles.output.dtype, [&]<class T>(std::type_identity<T>) {
    convolve_on_host(problem_of<T>(convolution, tiles), threads, scratch);
  });
}

void convolve_portably(const device::Stream& stream, const Convolution& convolution,
                       const ConvolutionTiles& tiles) {
  if (tiles.output.box.empty()) return;
  visit_floating(tiles.output.dtype, [&]<class T>(std::type_identity<T>) {
    const Problem<T> problem = problem_of<T>(convolution, tiles);
    on_space(stream, [&](const auto& space) { convolve_on_device(space, problem); });
  });
}

}  // namespace tessera::kernels
