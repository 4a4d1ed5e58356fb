// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0

// Sweeps of common stencils against a plain copy of the same bytes, measured in turns so that both
// see the same machine. Usage: stencil_bench [THREADS] [TURNS] [WORD OF THE CASES]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "pack.hpp"
#include "stencil.hpp"

namespace {

using namespace tessera;

struct Case {
  std::string name;
  Shape shape;
  DType dtype;
  int radius;
  bool star;
  int sweeps;  ///< per pass over the memory
};

kernels::Stencil make_stencil(const Case& which) {
  kernels::Stencil stencil;
  const int axes = which.shape.size();
  for (int a = 0; a < axes; ++a) stencil.axes.push_back(a);
  stencil.radius = Extents::filled(axes, which.radius);
  stencil.boundary.assign(stencil.axes.size(), kernels::Boundary::fixed);
  stencil.add_input = true;
  Index offset = Extents::filled(axes, -which.radius);
  for (int a = axes - 1; a >= 0;) {
    const auto moved = std::count_if(offset.begin(), offset.end(), [](auto i) { return i != 0; });
    if (!which.star || moved <= 1) stencil.taps.push_back({offset, moved == 0 ? -1e-3 : 1e-4});
    for (a = axes - 1; a >= 0; --a) {
      if (++offset[a] <= which.radius) break;
      offset[a] = -which.radius;
    }
  }
  return stencil;
}

/// Seconds on the wall's clock; with one thread those that the process ran, so that other work on
/// the machine disturbs less.
double seconds_of(int threads, const std::function<void()>& work) {
  const auto now = [threads] {
    timespec time{};
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

void measure(const Case& which, int threads, int turns) {
  const device::Stream host;
  const kernels::Stencil stencil = make_stencil(which);
  const Box box = Box::whole(which.shape);
  const std::int64_t bytes = box.elements() * size_of(which.dtype);
  const device::Memory from(device::Space::host, bytes);
  const device::Memory to(device::Space::host, bytes);
  kernels::fill_bytes(host, from.data(), bytes, 0);
  kernels::fill_bytes(host, to.data(), bytes, 0);
  const Tile source = dense_tile(from.data(), which.dtype, box, which.shape);
  const Tile target = dense_tile(to.data(), which.dtype, box, which.shape);
  kernels::StencilPass pass{box, which.sweeps, threads};
  const device::Memory scratch(
      device::Space::host, kernels::stencil_scratch_bytes(stencil, which.dtype, which.shape, pass));
  pass.scratch = scratch.data();
  double sweep = 1e30;
  double copy = 1e30;
  for (int turn = 0; turn < turns; ++turn) {
    copy =
        std::min(copy, seconds_of(threads, [&] { kernels::copy_box(host, source, target, box); }));
    sweep = std::min(sweep, seconds_of(threads, [&] {
                       kernels::apply_stencil(host, stencil, {&source, 1}, target, pass);
                     }));
  }
  const double moved = 2.0 * static_cast<double>(bytes);
  std::printf(
      "  {\"case\": \"%s\", \"sweeps\": %d, \"copy_GB_per_s\": %.2f, \"pass_GB_per_s\": %.2f, "
      "\"sweeps_GB_per_s\": %.2f, \"ratio\": %.3f, \"GFLOP_per_s\": %.2f}",
      which.name.c_str(), which.sweeps, 1e-9 * moved / copy, 1e-9 * moved / sweep,
      1e-9 * moved * which.sweeps / sweep, copy * which.sweeps / sweep,
      2e-9 * static_cast<double>(stencil.taps.size()) * static_cast<double>(box.elements()) *
          which.sweeps / sweep);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const int turns = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::string word = argc > 3 ? argv[3] : "";
  const device::Runtime runtime(threads);
  const Case cases[] = {
      {"heat 2-D 5-point", {4096, 4096}, DType::float64, 1, true, 1},
      {"heat 2-D 5-point", {4096, 4096}, DType::float64, 1, true, 2},
      {"heat 2-D 5-point", {4096, 4096}, DType::float64, 1, true, 4},
      {"heat 2-D 5-point", {4096, 4096}, DType::float64, 1, true, 8},
      {"heat 2-D 5-point float32", {4096, 4096}, DType::float32, 1, true, 1},
      {"heat 2-D 5-point float32", {4096, 4096}, DType::float32, 1, true, 8},
      {"box 2-D 9-point", {4096, 4096}, DType::float64, 1, false, 1},
      {"heat 3-D 7-point", {256, 256, 256}, DType::float64, 1, true, 1},
      {"heat 3-D 7-point", {256, 256, 256}, DType::float64, 1, true, 4},
      {"wave 3-D 25-point", {256, 256, 256}, DType::float64, 4, true, 1},
      {"box 3-D 27-point", {256, 256, 256}, DType::float64, 1, false, 1},
      {"line 3-point", {16777216}, DType::float64, 1, true, 1},
      {"line 3-point", {16777216}, DType::float64, 1, true, 8},
      {"box 2-D 81-point", {2048, 2048}, DType::float64, 4, false, 1},
  };
  std::printf("[\n");
  bool first = true;
  for (const Case& which : cases) {
    if (which.name.find(word) == std::string::npos) continue;
    if (!first) std::printf(",\n");
    first = false;
    measure(which, threads, turns);
  }
  std::printf("\n]\n");
}
