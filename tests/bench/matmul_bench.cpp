// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Compares the product with OpenBLAS on one core: the two take turns, medians of the thread's CPU
// time (other work on the machine counts little). Arguments: [f32|f64 [size [repeats]]]. Prints
// JSON.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "matmul.hpp"

extern "C" {
void openblas_set_num_threads(int);
char* openblas_get_config(void);
char* openblas_get_corename(void);
}

namespace {

using namespace tessera;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void reference(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void reference(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

struct Times {
  std::vector<double> ours, theirs;
};

/// Interleaved repetitions; short products are repeated to about 10 ms.
template <class T>
Times compare(int n, int repeats, double& difference) {
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<T> a(count), b(count), c(count), d(count);
  std::mt19937 random(1);
  std::uniform_real_distribution<T> real(-1, 1);
  for (auto* matrix : {&a, &b}) {
    for (T& x : *matrix) x = real(random);
  }
  const Shape shape{n, n};
  const auto tile = [&](std::vector<T>& data) {
    return dense_tile(data.data(), dtype_of<T>, Box::whole(shape), shape);
  };
  const device::Memory scratch(
      device::Space::host,
      kernels::matmul_scratch_bytes(device::Backend::host, dtype_of<T>, shape, n, 1));
  const device::Stream stream;
  const double flops = 2.0 * n * n * n;
  const int turns = std::max(1, static_cast<int>(5e8 / flops));
  Times times;
  for (int i = 0; i <= repeats; ++i) {
    const double begin = cpu_seconds();
    for (int turn = 0; turn < turns; ++turn) {
      kernels::matmul(stream, tile(a), tile(b), tile(c), {}, scratch.data());
    }
    const double middle = cpu_seconds();
    for (int turn = 0; turn < turns; ++turn) reference(n, a.data(), b.data(), d.data());
    const double end = cpu_seconds();
    if (i == 0) continue;  // touches the pages
    times.ours.push_back((middle - begin) / turns);
    times.theirs.push_back((end - middle) / turns);
  }
  difference = 0;
  for (std::size_t i = 0; i < count; ++i) {
    difference =
        std::max(difference, std::abs(static_cast<double>(c[i]) - static_cast<double>(d[i])));
  }
  return times;
}

void report(const std::string& type, int n, int repeats) {
  double difference = 0;
  const Times times = type == "f32" ? compare<float>(n, repeats, difference)
                                    : compare<double>(n, repeats, difference);
  const double gigaflops = 2e-9 * n * n * n;
  const auto [best, worst] = std::minmax_element(times.ours.begin(), times.ours.end());
  std::printf(
      "{\"type\": \"%s\", \"n\": %d, \"gflops\": %.2f, \"gflops_best\": %.2f, "
      "\"gflops_worst\": %.2f, \"openblas_gflops\": %.2f, \"ratio\": %.3f, "
      "\"max_difference\": %.3g}",
      type.c_str(), n, gigaflops / median(times.ours), gigaflops / *best, gigaflops / *worst,
      gigaflops / median(times.theirs), median(times.theirs) / median(times.ours), difference);
}

}  // namespace

int main(int argc, char** argv) {
  const device::Runtime runtime(1);
  openblas_set_num_threads(1);
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 7;
  std::printf(
      "{\"openblas\": \"%s\", \"core\": \"%s\", \"threads\": 1, \"repeats\": %d, "
      "\"results\": [\n  ",
      openblas_get_config(), openblas_get_corename(), repeats);
  if (argc > 2) {
    report(argv[1], std::atoi(argv[2]), repeats);
  } else {
    bool first = true;
    for (const std::string type : {"f64", "f32"}) {
      if (argc > 1 && type != argv[1]) continue;
      for (const int n : {16, 32, 64, 128, 256, 512, 1000, 2048}) {
        if (!first) std::printf(",\n  ");
        first = false;
        report(type, n, repeats);
      }
    }
  }
  std::printf("\n]}\n");
  return 0;
}
