// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "convolution_host.hpp"

#include <algorithm>

#include "convolution_blocks.hpp"
#include "convolution_pack.hpp"
#include "device/device.hpp"

namespace tessera::kernels::convolution_detail {

namespace {

/// Output channels that one register tile computes, of one group.
struct Strip {
  std::int64_t first = 0;  ///< in the box
  std::int64_t count = 0;
};

/// Equal shares of a group's channels, so that no tile is thin.
template <class T>
struct Strips {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t count = 0;

  Strips(const Problem<T>& p, const Blocking<T>& b, std::int64_t segment) {
    begin = std::max<std::int64_t>(segment * p.group_outputs - p.first_output, 0);
    end = std::min((segment + 1) * p.group_outputs - p.first_output, p.outputs);
    const std::int64_t most = b.by_rows ? 1 : TileSize<parts<T>>::most_channels;
    count = (end - begin + most - 1) / most;
  }
  [[nodiscard]] Strip operator[](std::int64_t i) const {
    const std::int64_t first = begin + (end - begin) * i / count;
    return {first, begin + (end - begin) * (i + 1) / count - first};
  }
};

/// The copies, and what of them a thread owns.
template <class T>
struct Scratch {
  T* weights = nullptr;
  std::int64_t* offsets = nullptr;
  std::byte* blocks = nullptr;

  Scratch(const Blocking<T>& b, void* scratch) {
    auto* at = static_cast<std::byte*>(scratch);
    weights = reinterpret_cast<T*>(at);
    offsets = reinterpret_cast<std::int64_t*>(at + b.weight_bytes);
    blocks = at + b.weight_bytes + b.offset_bytes;
  }
};

template <class T>
BlockPlace place_of(const Problem<T>& p, const Blocking<T>& b, std::int64_t task) {
  BlockPlace place;
  place.first_x = task % b.x_blocks * b.columns;
  task /= b.x_blocks;
  place.first_y = task % b.y_blocks * b.rows;
  task /= b.y_blocks;
  place.segment = task % b.segments;
  task /= b.segments;
  for (int a = p.outers - 1; a >= 0; --a) {
    place.outer[a] = task % p.outer[a].cells;
    task /= p.outer[a].cells;
  }
  place.columns = std::min(b.columns, p.x.cells - place.first_x);
  place.rows = std::min(b.rows, p.y.cells - place.first_y);
  return place;
}

/// One block of the output, planes [begin, end) of its chains.
template <class T>
class BlockSweep {
  using R = part_t<T>;
  using Size = TileSize<parts<T>>;
  static constexpr std::int64_t w = lanes<R>;

 public:
  BlockSweep(const Problem<T>& p, const Blocking<T>& b, const Scratch<T>& scratch,
             const BlockPlace& place, const R* cells)
      : p_(p), b_(b), scratch_(scratch), place_(place), cells_(cells) {
    output_ = p.output + place.first_y * p.y.output_step + place.first_x * p.x.output_step;
    for (int a = 0; a < p.outers; ++a) output_ += place.outer[a] * p.outer[a].output_step;
  }

  void run(const Strip& strip, std::int64_t begin, std::int64_t end) {
    const std::int64_t taps = p_.y.taps * p_.x.taps;
    strip_ = strip;
    for (std::int64_t i = 0; i < most_rows; ++i) {  // rows of one channel share its bias
      const std::int64_t channel = strip.first + std::min(i, strip.count - 1);
      start_[i] = p_.bias == nullptr ? T{} : p_.bias[channel];
    }
    task_.start = begin == 0 ? reinterpret_cast<const R*>(start_) : nullptr;
    task_.weights = reinterpret_cast<const R*>(scratch_.weights + strip.first * p_.chain() +
                                               begin * taps * strip.count);
    task_.apart = b_.row / parts<T>;
    task_.offsets = scratch_.offsets;
    task_.depth = (end - begin) * taps;
    task_.planes = end - begin;
    task_.plane = b_.plane;
    task_.row = b_.row;
    task_.taps_y = p_.y.taps;
    task_.taps_x = p_.x.taps;
    if (b_.by_rows) {
      for (std::int64_t y = 0; y < place_.rows; y += Size::rows) {
        const auto rows = static_cast<int>(std::min<std::int64_t>(Size::rows, place_.rows - y));
        along_x(y, rows, Size::row_vectors, Tiles<R, parts<T>>::rows);
      }
    } else {
      const auto rows = static_cast<int>(strip.count);
      for (std::int64_t y = 0; y < (b_.flat ? 1 : place_.rows); ++y) {
        along_x(y, rows, Size::vectors(rows), Tiles<R, parts<T>>::channels);
      }
    }
  }

 private:
  template <class Find>
  void along_x(std::int64_t y, int rows, int most_vectors, const Find& find) {
    TileFunction<R> tile = find(rows, most_vectors);
    const std::int64_t most = most_vectors * w;
    const std::int64_t end = b_.flat ? (place_.rows - 1) * b_.row + place_.columns : place_.columns;
    for (std::int64_t x = 0; x < end; x += most) {
      const std::int64_t columns = std::min(most, end - x);
      const auto vectors = static_cast<int>((columns + w - 1) / w);
      if (vectors != most_vectors) tile = find(rows, vectors);
      task_.cells = cells_ + y * b_.row + x;
      if (b_.flat) {
        compute(tile, {x / b_.row, x % b_.row, rows, columns, vectors});
      } else {
        compute(tile, {y, x, rows, columns, vectors});
      }
    }
  }

  struct Corner {
    std::int64_t y, x;
    int rows;
    std::int64_t columns;
    int vectors;
  };

  /// A tile at an edge or over one, of complex numbers or of an output whose columns aren't next to
  /// each other is computed in a buffer whose rows hold all real, then all imaginary parts.
  void compute(TileFunction<R> tile, const Corner& at) {
    const std::int64_t down = b_.by_rows ? p_.y.output_step : p_.output_step;
    T* out =
        output_ + strip_.first * p_.output_step + at.y * p_.y.output_step + at.x * p_.x.output_step;
    const bool inside = at.x + at.columns <= place_.columns;
    if (parts<T> == 1 && inside && at.columns == at.vectors * w && p_.x.output_step == 1) {
      task_.out = reinterpret_cast<R*>(out);
      task_.out_row = down;
      return tile(task_);
    }
    alignas(64) R buffer[parts<T> * most_numbers];
    const Buffer copy{buffer, at.vectors * w};
    if (task_.start == nullptr) {
      std::fill_n(buffer, at.rows * parts<T> * copy.apart, R{});
      each_span(at, out, down, copy, [this](T* elements, R* numbers, const Span& span) {
        transfer(elements, numbers, span, [](R& element, R& number) { number = element; });
      });
    }
    task_.out = buffer;
    task_.out_row = parts<T> * copy.apart;
    task_.out_apart = copy.apart;
    tile(task_);
    each_span(at, out, down, copy, [this](T* elements, R* numbers, const Span& span) {
      transfer(elements, numbers, span, [](R& element, R& number) { element = number; });
    });
  }

  struct Buffer {
    R* data;
    std::int64_t apart;
  };
  struct Span {
    std::int64_t columns;
    std::int64_t apart;
  };

  /// Calls f(elements of the output, their numbers in the buffer, how many) for the columns that
  /// aren't between two rows.
  template <class F>
  void each_span(const Corner& at, T* out, std::int64_t down, const Buffer& copy,
                 const F& f) const {
    for (int i = 0; i < at.rows; ++i) {
      R* numbers = copy.data + i * parts<T> * copy.apart;
      T* elements = out + i * down;
      for (std::int64_t j = 0, x = at.x; j < at.columns; x = 0) {
        f(elements, numbers + j, {std::min(at.columns - j, place_.columns - x), copy.apart});
        elements += p_.y.output_step - x * p_.x.output_step;
        j += b_.row - x;
      }
    }
  }

  template <class F>
  void transfer(T* elements, R* numbers, const Span& span, const F& f) const {
    auto* at = reinterpret_cast<R*>(elements);
    const std::int64_t step = p_.x.output_step;
    if (parts<T> == 1 && step == 1) {  // known to the compiler
      for (std::int64_t j = 0; j < span.columns; ++j) f(at[j], numbers[j]);
      return;
    }
    for (std::int64_t j = 0; j < span.columns; ++j) {
      for (int part = 0; part < parts<T>; ++part) {
        f(at[parts<T> * j * step + part], numbers[part * span.apart + j]);
      }
    }
  }

  static constexpr std::int64_t most_rows = 8;          ///< of a tile
  static constexpr std::int64_t most_numbers = 24 * w;  ///< of its real parts
  const Problem<T>& p_;
  const Blocking<T>& b_;
  const Scratch<T>& scratch_;
  const BlockPlace& place_;
  const R* cells_;
  T* output_;
  Strip strip_;
  T start_[most_rows] = {};
  TileTask<R> task_;
};

template <class T>
void compute_block(const Problem<T>& p, const Blocking<T>& b, const Scratch<T>& scratch,
                   std::int64_t task, part_t<T>* cells) {
  const BlockPlace place = place_of(p, b, task);
  const Strips<T> strips(p, b, place.segment);
  BlockSweep<T> sweep(p, b, scratch, place, cells);
  for (std::int64_t begin = 0; begin < std::max<std::int64_t>(b.all_planes, 1); begin += b.planes) {
    const std::int64_t end = std::min(begin + b.planes, b.all_planes);
    pack_cells(p, b, place, p.input_of(strips.begin), begin, end, cells);
    for (std::int64_t i = 0; i < strips.count; ++i) sweep.run(strips[i], begin, end);
  }
}

}  // namespace

template <class T>
std::int64_t host_scratch_bytes(const Problem<T>& problem, int threads) {
  return Blocking<T>(problem, threads).bytes();
}

template <class T>
void convolve_on_host(const Problem<T>& p, int threads, void* scratch) {
  const Blocking<T> b(p, threads);
  const Scratch<T> copies(b, scratch);
  list_offsets(p, b, copies.offsets);
  for (std::int64_t segment = 0; segment < b.segments; ++segment) {
    const Strips<T> strips(p, b, segment);
    for (std::int64_t i = 0; i < strips.count; ++i) {
      pack_weights(p, strips[i].first, strips[i].count,
                   copies.weights + strips[i].first * p.chain());
    }
  }
  const auto share = [&](std::int64_t i) {
    auto* cells = reinterpret_cast<part_t<T>*>(copies.blocks + i * b.block_bytes);
    for (std::int64_t task = i * b.tasks / b.shares; task < (i + 1) * b.tasks / b.shares; ++task) {
      compute_block(p, b, copies, task, cells);
    }
  };
  if (b.shares == 1) return share(0);
  device::on_host_threads(b.shares, share);
}

#define TESSERA_CONVOLUTION(T)                                         \
  template std::int64_t host_scratch_bytes<T>(const Problem<T>&, int); \
  template void convolve_on_host<T>(const Problem<T>&, int, void*);
TESSERA_CONVOLUTION(float)
TESSERA_CONVOLUTION(double)
TESSERA_CONVOLUTION(std::complex<float>)
TESSERA_CONVOLUTION(std::complex<double>)
#undef TESSERA_CONVOLUTION

}  // namespace tessera::kernels::convolution_detail
