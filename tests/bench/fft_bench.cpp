// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
//
// Times transforms on request, so that a script can interleave them with a peer's. Arguments: kind
// (c2c, r2c), type (f32, f64), extents (2048x2048), axes (0,1 in the order in which they are done).
// Every line on standard input, "ours" or "fftw", runs one transform of that kind over all lines
// and axes and prints its seconds. Plans and tables are made before.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "fft.hpp"
#ifdef TESSERA_BENCH_FFTW
#include <fftw3.h>
#endif

namespace {

using namespace tessera;
using kernels::FftKind;

std::vector<std::int64_t> numbers(std::string text) {
  for (char& c : text) {
    if (c == 'x' || c == ',') c = ' ';
  }
  std::istringstream stream(text);
  std::vector<std::int64_t> result;
  for (std::int64_t value = 0; stream >> value;) result.push_back(value);
  return result;
}

struct Setting {
  bool real = false;
  DType type = DType::float64;
  Shape shape;
  std::vector<std::int64_t> axes;
};

/// A transform ready to run: plan, table and scratch of each axis.
class Ours {
 public:
  explicit Ours(const Setting& setting) : setting_(setting), out_shape_(setting.shape) {
    if (setting.real) out_shape_[axis(0)] = setting.shape[axis(0)] / 2 + 1;
    const DType complex = setting.type == DType::float32 ? DType::complex64 : DType::complex128;
    in_type_ = setting.real ? setting.type : complex;
    out_type_ = complex;
    in_ = device::Memory(device::Space::host, element_count(setting.shape) * size_of(in_type_));
    out_ = device::Memory(device::Space::host, element_count(out_shape_) * size_of(out_type_));
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::int64_t i = 0; i < in_.bytes() / size_of(setting.type); ++i) {
      if (setting.type == DType::float32)
        reinterpret_cast<float*>(in_.data())[i] = static_cast<float>(uniform(generator));
      else
        reinterpret_cast<double*>(in_.data())[i] = uniform(generator);
    }
    for (std::size_t i = 0; i < setting.axes.size(); ++i) {
      const FftKind kind = setting.real && i == 0 ? FftKind::real_to_complex : FftKind::complex;
      Stage stage{kernels::make_fft_plan(setting.shape[axis(i)], kind), {}, {}};
      const std::int64_t lines = element_count(out_shape_) / out_shape_[axis(i)];
      stage.table =
          device::Memory(device::Space::host, kernels::fft_table_bytes(stage.plan, setting.type));
      stage.scratch = device::Memory(
          device::Space::host,
          kernels::fft_scratch_bytes(stage.plan, setting.type, lines, device::Backend::host, 1));
      kernels::fill_fft_table({}, stage.plan, setting.type, stage.table.data());
      stages_.push_back(std::move(stage));
    }
  }

  void run() {
    const Tile in = dense_tile(in_.data(), in_type_, Box::whole(setting_.shape), setting_.shape);
    const Tile out = dense_tile(out_.data(), out_type_, Box::whole(out_shape_), out_shape_);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      kernels::FftJob job;
      job.axis = axis(i);
      job.table = stages_[i].table.data();
      job.scratch = stages_[i].scratch.data();
      kernels::fft({}, stages_[i].plan, job, i == 0 ? in : out, out);
    }
  }

  std::byte* input() { return in_.data(); }
  std::byte* output() { return out_.data(); }

 private:
  struct Stage {
    kernels::FftPlan plan;
    device::Memory table, scratch;
  };
  [[nodiscard]] int axis(std::size_t i) const { return static_cast<int>(setting_.axes[i]); }

  Setting setting_;
  Shape out_shape_;
  DType in_type_ = DType::float64;
  DType out_type_ = DType::complex128;
  device::Memory in_, out_;
  std::vector<Stage> stages_;
};

#ifdef TESSERA_BENCH_FFTW
/// FFTW with measured plans, float64 only, on the same arrays.
class Theirs {
 public:
  Theirs(const Setting& setting, Ours& ours) {
    std::vector<fftw_iodim64> dims, loops;
    const int axes = setting.shape.size();
    Shape out_shape = setting.shape;
    if (setting.real)
      out_shape[static_cast<int>(setting.axes[0])] =
          setting.shape[static_cast<int>(setting.axes[0])] / 2 + 1;
    const Strides in = row_major_strides(setting.shape);
    const Strides out = row_major_strides(out_shape);
    for (auto a = setting.axes.rbegin(); a != setting.axes.rend(); ++a) {
      const int axis = static_cast<int>(*a);
      dims.push_back({setting.shape[axis], in[axis], out[axis]});
    }
    for (int axis = 0; axis < axes; ++axis) {
      bool transformed = false;
      for (const std::int64_t a : setting.axes) transformed = transformed || a == axis;
      if (!transformed) loops.push_back({setting.shape[axis], in[axis], out[axis]});
    }
    auto* target = reinterpret_cast<fftw_complex*>(ours.output());
    const std::vector<double> kept =
        copy_of(ours.input(), element_count(setting.shape) * (setting.real ? 1 : 2));
    if (setting.real) {
      plan_ = fftw_plan_guru64_dft_r2c(
          static_cast<int>(dims.size()), dims.data(), static_cast<int>(loops.size()), loops.data(),
          reinterpret_cast<double*>(ours.input()), target, FFTW_MEASURE);
    } else {
      plan_ = fftw_plan_guru64_dft(
          static_cast<int>(dims.size()), dims.data(), static_cast<int>(loops.size()), loops.data(),
          reinterpret_cast<fftw_complex*>(ours.input()), target, FFTW_FORWARD, FFTW_MEASURE);
    }
    std::memcpy(ours.input(), kept.data(), kept.size() * sizeof(double));
  }
  ~Theirs() { fftw_destroy_plan(plan_); }
  Theirs(const Theirs&) = delete;
  Theirs& operator=(const Theirs&) = delete;
  void run() { fftw_execute(plan_); }

 private:
  static std::vector<double> copy_of(const std::byte* data, std::int64_t count) {
    const auto* begin = reinterpret_cast<const double*>(data);
    return {begin, begin + count};
  }
  fftw_plan plan_ = nullptr;
};
#endif

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: fft_bench c2c|r2c f32|f64 EXTENTS AXES\n");
    return 2;
  }
  const device::Runtime runtime(1);
  Setting setting;
  setting.real = std::string(arguments[1]) == "r2c";
  setting.type = std::string(arguments[2]) == "f32" ? DType::float32 : DType::float64;
  for (const std::int64_t extent : numbers(arguments[3])) setting.shape.push_back(extent);
  setting.axes = numbers(arguments[4]);
  Ours ours(setting);
  std::map<std::string, std::function<void()>> runs{{"ours", [&] { ours.run(); }}};
#ifdef TESSERA_BENCH_FFTW
  std::unique_ptr<Theirs> theirs;
  if (setting.type == DType::float64) {
    theirs = std::make_unique<Theirs>(setting, ours);
    runs["fftw"] = [&] { theirs->run(); };
  }
#endif
  for (std::string line; std::getline(std::cin, line);) {
    const auto run = runs.find(line);
    if (run == runs.end()) {
      std::printf("none\n");
    } else {
      const auto start = std::chrono::steady_clock::now();
      run->second();
      std::printf("%.9e\n",
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::fflush(stdout);
  }
}
