// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "scan.hpp"

#include <algorithm>

#include "device/kokkos.hpp"

namespace tessera::kernels {

namespace {

/// Columns that one task takes side by side.
constexpr std::int64_t column_block = 64;

struct AddReal {
  using Total = double;
  KOKKOS_INLINE_FUNCTION static Total identity() { return -0.0; }
  KOKKOS_INLINE_FUNCTION static Total combine(Total a, Total b) { return a + b; }
};
struct MultiplyReal {
  using Total = double;
  KOKKOS_INLINE_FUNCTION static Total identity() { return 1.0; }
  KOKKOS_INLINE_FUNCTION static Total combine(Total a, Total b) { return a * b; }
};
struct AddComplex {
  using Total = Kokkos::complex<double>;
  KOKKOS_INLINE_FUNCTION static Total identity() { return {-0.0, -0.0}; }
  KOKKOS_INLINE_FUNCTION static Total combine(const Total& a, const Total& b) {
    return {a.real() + b.real(), a.imag() + b.imag()};
  }
};
struct MultiplyComplex {
  using Total = Kokkos::complex<double>;
  KOKKOS_INLINE_FUNCTION static Total identity() { return {1.0, 0.0}; }
  KOKKOS_INLINE_FUNCTION static Total combine(const Total& a, const Total& b) {
    // With fma, as in ProductComplex of reducers.hpp and for its reason.
    return {fma(a.real(), b.real(), -(a.imag() * b.imag())),
            fma(a.real(), b.imag(), a.imag() * b.real())};
  }
};
/// Modulo 2^64: the sum of a tile may leave the range where the sums of the whole line don't.
struct AddInteger {
  using Total = std::int64_t;
  KOKKOS_INLINE_FUNCTION static Total identity() { return 0; }
  KOKKOS_INLINE_FUNCTION static Total combine(Total a, Total b) {
    return static_cast<Total>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  /// Whether before + x isn't after.
  KOKKOS_INLINE_FUNCTION static bool overflows(Total before, Total x, Total after) {
    return ((before ^ after) & (x ^ after)) < 0;
  }
};
struct MultiplyInteger {
  using Total = std::int64_t;
  KOKKOS_INLINE_FUNCTION static Total identity() { return 1; }
  KOKKOS_INLINE_FUNCTION static Total combine(Total a, Total b) {
    return static_cast<Total>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
  KOKKOS_INLINE_FUNCTION static bool overflows(Total before, Total x, Total after) {
    if (before == 0 || x == 0) return false;
    if ((x == -1 && before == INT64_MIN) || (before == -1 && x == INT64_MIN)) return true;
    return after / x != before || after % x != 0;
  }
};

template <class Op>
inline constexpr bool is_checked = std::is_same_v<typename Op::Total, std::int64_t>;

template <class T>
KOKKOS_INLINE_FUNCTION double total_of(const T& x, double) {
  return static_cast<double>(x);
}
template <class R>
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> total_of(const Kokkos::complex<R>& x,
                                                        Kokkos::complex<double>) {
  return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}
template <class T>
KOKKOS_INLINE_FUNCTION std::int64_t total_of(const T& x, std::int64_t) {
  return static_cast<std::int64_t>(x);
}
/// The positive quiet NaN.
KOKKOS_INLINE_FUNCTION double quiet(double value) {
  if (value == value) return value;
  union {
    std::uint64_t bits;
    double nan;
  } both;
  both.bits = 0x7ff8000000000000;
  return both.nan;
}
template <class T>
KOKKOS_INLINE_FUNCTION void store(T* out, double value) {
  *out = static_cast<T>(quiet(value));
}
template <class R>
KOKKOS_INLINE_FUNCTION void store(Kokkos::complex<R>* out, const Kokkos::complex<double>& value) {
  *out =
      Kokkos::complex<R>(static_cast<R>(quiet(value.real())), static_cast<R>(quiet(value.imag())));
}
KOKKOS_INLINE_FUNCTION void store(std::int64_t* out, std::int64_t value) { *out = value; }

/// Part of the lines: [outer, length, inner], cut into tiles and blocks of columns.
struct Lines {
  std::int64_t length;
  std::int64_t inner;
  std::int64_t tiles;
  std::int64_t blocks;  ///< of columns

  explicit Lines(const ScanTask& task)
      : length(task.length),
        inner(task.inner),
        tiles(task.tiles()),
        blocks((task.inner + column_block - 1) / column_block) {}
};

/// Task (outer, tile, block): the totals of a tile.
template <class Op, class T>
struct TileTotals {
  using Total = typename Op::Total;
  Lines lines;
  const T* x;
  Total* totals;

  KOKKOS_FUNCTION void operator()(const std::int64_t task) const {
    const std::int64_t block = task % lines.blocks;
    const std::int64_t tile = task / lines.blocks % lines.tiles;
    const std::int64_t outer = task / lines.blocks / lines.tiles;
    const std::int64_t column = block * column_block;
    const std::int64_t width =
        column + column_block < lines.inner ? column_block : lines.inner - column;
    const std::int64_t begin = tile * scan_tile;
    const std::int64_t end = begin + scan_tile < lines.length ? begin + scan_tile : lines.length;
    if (lines.inner == 1) {  // a register instead of an array
      Total sum = Op::identity();
      const T* line = x + outer * lines.length;
      for (std::int64_t i = begin; i < end; ++i) sum = Op::combine(sum, total_of(line[i], Total()));
      totals[outer * lines.tiles + tile] = sum;
      return;
    }
    Total sums[column_block];
    for (std::int64_t c = 0; c < width; ++c) sums[c] = Op::identity();
    for (std::int64_t i = begin; i < end; ++i) {
      const T* row = x + (outer * lines.length + i) * lines.inner + column;
      for (std::int64_t c = 0; c < width; ++c) {
        sums[c] = Op::combine(sums[c], total_of(row[c], Total()));
      }
    }
    Total* out = totals + (outer * lines.tiles + tile) * lines.inner + column;
    for (std::int64_t c = 0; c < width; ++c) out[c] = sums[c];
  }
};

/// Task line (outer, inner): in place, totals to the sums of the tiles before.
template <class Op>
struct TotalsToOffsets {
  using Total = typename Op::Total;
  Lines lines;
  Total* totals;

  KOKKOS_FUNCTION void operator()(const std::int64_t line) const {
    Total* own = totals + line / lines.inner * lines.tiles * lines.inner + line % lines.inner;
    Total sum = Op::identity();
    for (std::int64_t tile = 0; tile < lines.tiles; ++tile) {
      const Total total = own[tile * lines.inner];
      own[tile * lines.inner] = sum;
      sum = Op::combine(sum, total);
    }
  }
};

/// Task (outer, block), or (outer, tile, block) where offsets are given: the results.
template <class Op, class T, class Out>
struct Finish {
  using Total = typename Op::Total;
  Lines lines;
  const T* x;
  const Total* offsets;  ///< null: the sums of the tiles are added up on the way
  bool exclusive;
  bool product;
  Out* out;
  std::int64_t* fault;

  KOKKOS_FUNCTION void operator()(const std::int64_t task) const {
    const std::int64_t block = task % lines.blocks;
    const std::int64_t column = block * column_block;
    const std::int64_t width =
        column + column_block < lines.inner ? column_block : lines.inner - column;
    const bool cut = offsets != nullptr;
    const std::int64_t first = cut ? task / lines.blocks % lines.tiles : 0;
    const std::int64_t last = cut ? first + 1 : lines.tiles;
    const std::int64_t outer = cut ? task / lines.blocks / lines.tiles : task / lines.blocks;
    Total before[column_block];
    for (std::int64_t c = 0; c < width; ++c) {
      before[c] =
          cut ? offsets[(outer * lines.tiles + first) * lines.inner + column + c] : Op::identity();
    }
    for (std::int64_t tile = first; tile < last; ++tile) {
      if (lines.inner == 1) {
        before[0] = scan_contiguous(outer * lines.length, tile, before[0]);
      } else {
        scan_columns(outer * lines.length, tile, column, width, before);
      }
    }
  }

  /// One result from the sums before and within the tile and the element's own value.
  KOKKOS_FUNCTION void step(std::int64_t at, const Total& before, Total& local) const {
    const Total value = total_of(x[at], Total());
    const Total next = Op::combine(local, value);
    const Total without = Op::combine(before, local);
    const Total with = Op::combine(before, next);
    if constexpr (is_checked<Op>) {
      if (Op::overflows(without, value, with)) *fault = 1;
    }
    store(out + at, exclusive ? without : with);
    local = next;
  }

  KOKKOS_FUNCTION Total scan_contiguous(std::int64_t line, std::int64_t tile,
                                        const Total& before) const {
    const std::int64_t begin = tile * scan_tile;
    const std::int64_t end = begin + scan_tile < lines.length ? begin + scan_tile : lines.length;
    Total local = product ? before : Op::identity();
    const Total offset = product ? Op::identity() : before;
    for (std::int64_t i = begin; i < end; ++i) step(line + i, offset, local);
    return Op::combine(offset, local);
  }

  /// One tile; `before` becomes the sums up to its end.
  KOKKOS_FUNCTION void scan_columns(std::int64_t line, std::int64_t tile, std::int64_t column,
                                    std::int64_t width, Total* before) const {
    const std::int64_t begin = tile * scan_tile;
    const std::int64_t end = begin + scan_tile < lines.length ? begin + scan_tile : lines.length;
    Total local[column_block];
    for (std::int64_t c = 0; c < width; ++c) {
      local[c] = product ? before[c] : Op::identity();
      if (product) before[c] = Op::identity();
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = (line + i) * lines.inner + column;
      for (std::int64_t c = 0; c < width; ++c) step(at + c, before[c], local[c]);
    }
    for (std::int64_t c = 0; c < width; ++c) before[c] = Op::combine(before[c], local[c]);
  }
};

template <class Functor>
void run(const device::Stream& stream, const char* label, std::int64_t n, const Functor& functor) {
  on_space(stream,
           [&](const auto& space) { Kokkos::parallel_for(label, range(space, n), functor); });
}

/// Calls `f(type_identity<Op>, type_identity<T>, type_identity<Out>)`.
template <class F>
void visit_scan(const ScanTask& task, F&& f) {
  visit(task.dtype, [&]<class S>(std::type_identity<S>) {
    using T = element_t<S>;
    if constexpr (std::is_integral_v<T>) {
      if (task.product) {
        f(std::type_identity<MultiplyInteger>(), std::type_identity<T>(),
          std::type_identity<std::int64_t>());
      } else {
        f(std::type_identity<AddInteger>(), std::type_identity<T>(),
          std::type_identity<std::int64_t>());
      }
    } else if constexpr (is_complex_element<T>) {
      if (task.product) {
        f(std::type_identity<MultiplyComplex>(), std::type_identity<T>(), std::type_identity<T>());
      } else {
        f(std::type_identity<AddComplex>(), std::type_identity<T>(), std::type_identity<T>());
      }
    } else if (task.product) {
      f(std::type_identity<MultiplyReal>(), std::type_identity<T>(), std::type_identity<T>());
    } else {
      f(std::type_identity<AddReal>(), std::type_identity<T>(), std::type_identity<T>());
    }
  });
}

/// All ranks' totals of a line, one rank after the other.
template <class Total>
struct GatheredOffsets {
  Lines lines;  ///< of this rank
  std::int64_t outer;
  std::int64_t tiles_before;
  std::int64_t tiles_per_rank;  ///< of every rank before this one
  const Total* gathered;
  Total* offsets;

  template <class Op>
  KOKKOS_FUNCTION void line(std::int64_t line) const {
    const std::int64_t o = line / lines.inner;
    const std::int64_t c = line % lines.inner;
    Total sum = Op::identity();
    for (std::int64_t tile = 0; tile < tiles_before + lines.tiles; ++tile) {
      const bool own = tile >= tiles_before;
      const std::int64_t rank = own ? 0 : tile / tiles_per_rank;
      const std::int64_t base =
          own ? tiles_before * outer * lines.inner : rank * tiles_per_rank * outer * lines.inner;
      const std::int64_t within = own ? tile - tiles_before : tile % tiles_per_rank;
      const std::int64_t count = own ? lines.tiles : tiles_per_rank;
      if (own) offsets[(o * lines.tiles + within) * lines.inner + c] = sum;
      sum = Op::combine(sum, gathered[base + (o * count + within) * lines.inner + c]);
    }
  }
};

template <class Op>
struct OffsetsOfLine {
  GatheredOffsets<typename Op::Total> offsets;
  KOKKOS_FUNCTION void operator()(const std::int64_t line) const {
    offsets.template line<Op>(line);
  }
};

struct ClearFault {
  std::int64_t* fault;
  KOKKOS_FUNCTION void operator()(const std::int64_t) const { *fault = 0; }
};

}  // namespace

DType scanned_dtype(DType dtype) { return is_integer(dtype) ? DType::int64 : dtype; }

std::int64_t scan_total_bytes(DType dtype) { return is_complex(dtype) ? 16 : 8; }

bool scan_needs_totals(const ScanTask& task, device::Backend backend, int threads) {
  if (task.product || task.tiles() < 2) return false;
  const std::int64_t tasks = task.outer * ((task.inner + column_block - 1) / column_block);
  return backend == device::Backend::host ? threads > 1 && tasks < 4 * threads : true;
}

void scan_totals(const device::Stream& stream, const ScanTask& task, const void* x, void* totals) {
  require(!task.product, "products aren't cut into tiles");
  const Lines lines(task);
  visit_scan(task, [&]<class Op, class T, class Out>(std::type_identity<Op>, std::type_identity<T>,
                                                     std::type_identity<Out>) {
    run(stream, "tessera::scan totals", task.outer * lines.tiles * lines.blocks,
        TileTotals<Op, T>{lines, static_cast<const T*>(x),
                          static_cast<typename Op::Total*>(totals)});
  });
}

void scan_offsets(const device::Stream& stream, const ScanTask& task,
                  const std::vector<std::int64_t>& tiles, int self, const void* gathered,
                  void* offsets) {
  const Lines lines(task);
  std::int64_t before = 0;
  for (int rank = 0; rank < self; ++rank) before += tiles[static_cast<std::size_t>(rank)];
  for (int rank = 1; rank < self; ++rank) {
    require(tiles[static_cast<std::size_t>(rank)] == tiles[0] || lines.tiles == 0,
            "ranks in front have equally many tiles");
  }
  if (lines.tiles == 0) return;
  visit_scan(task, [&]<class Op, class T, class Out>(std::type_identity<Op>, std::type_identity<T>,
                                                     std::type_identity<Out>) {
    using Total = typename Op::Total;
    run(stream, "tessera::scan offsets", task.lines(),
        OffsetsOfLine<Op>{{lines, task.outer, before, std::max<std::int64_t>(tiles[0], 1),
                           static_cast<const Total*>(gathered), static_cast<Total*>(offsets)}});
  });
}

void scan_finish(const device::Stream& stream, const ScanTask& task, const void* x,
                 const void* offsets, void* scratch, int threads, void* out, std::int64_t* fault) {
  const Lines lines(task);
  run(stream, "tessera::clear fault", 1, ClearFault{fault});
  visit_scan(task, [&]<class Op, class T, class Out>(std::type_identity<Op>, std::type_identity<T>,
                                                     std::type_identity<Out>) {
    using Total = typename Op::Total;
    const auto* given = static_cast<const Total*>(offsets);
    if (given == nullptr && scan_needs_totals(task, stream.backend, threads)) {
      scan_totals(stream, task, x, scratch);
      run(stream, "tessera::scan offsets", task.lines(),
          TotalsToOffsets<Op>{lines, static_cast<Total*>(scratch)});
      given = static_cast<const Total*>(scratch);
    }
    const std::int64_t tasks = task.outer * lines.blocks * (given == nullptr ? 1 : lines.tiles);
    run(stream, "tessera::scan", tasks,
        Finish<Op, T, Out>{lines, static_cast<const T*>(x), given, task.exclusive, task.product,
                           static_cast<Out*>(out), fault});
  });
}

}  // namespace tessera::kernels
