// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "reduce_exact_columns.hpp"

namespace tessera::kernels {

std::int64_t reduce_exact_words(Reduction what, DType dtype) {
  return exact_components(what, dtype) * exact_grid(what).words();
}

namespace {

/// Whether a kept axis is contiguous, so that whole rows are added.
template <class T>
bool by_columns(const PartView<T>& part) {
  return part.kept.axes > 0 && part.kept.inner_stride() == 1;
}

template <class T, ExactKind Kind, bool Ignore>
void exact_host_parts(const PartView<T>& part, std::int64_t* states, const Scratch& scratch) {
  if constexpr (Kind != ExactKind::products && !Ignore && !std::is_integral_v<T>) {
    if (by_columns(part)) return exact_columns<T, Kind>(part, states, scratch);
  }
  exact_rows<T, Kind, Ignore>(part, states, scratch);
}

}  // namespace

void reduce_exact_parts(const device::Stream& stream, const ReduceTask& task, const void* x,
                        const void* y, std::int64_t first, std::int64_t count, std::int64_t* states,
                        Scratch scratch) {
  visit(task.dtype, [&]<class T>(std::type_identity<T>) {
    const PartView<T> part = view_of<T>(task, x, y, first, count);
    if (stream.backend != device::Backend::host) {
      return exact_device_parts(stream, task, part, states, scratch);
    }
    visit_exact_kind(task.what, [&]<ExactKind Kind>(std::integral_constant<ExactKind, Kind>) {
      if constexpr (std::is_integral_v<T>) {
        require(Kind == ExactKind::squares, "integer sums are exact already");
        exact_host_parts<T, ExactKind::squares, false>(part, states, scratch);
      } else if (task.ignore_nan) {
        exact_host_parts<T, Kind, true>(part, states, scratch);
      } else {
        exact_host_parts<T, Kind, false>(part, states, scratch);
      }
    });
  });
}

bool reduce_exact_whole(const device::Stream& stream, const ReduceTask& task, const void* x,
                        const ReduceCounts& counts, void* out, int threads) {
  const std::int64_t results = task.shape.results();
  const bool offered = task.exact && !task.ignore_nan && !is_integer(task.dtype) &&
                       task.what != Reduction::dot && stream.backend == device::Backend::host;
  if (!offered) return false;
  const std::int64_t divisor = task.what == Reduction::mean ? counts.elements : 1;
  bool done = false;
  visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    const PartView<T> part = view_of<T>(task, x, nullptr, 0, results);
    const bool columns = by_columns(part);
    const std::int64_t tasks =
        columns ? ColumnBlocks(part.kept.inner(), 0, results).number : results;
    if (tasks < 4 * threads && results * part.elements > 16 * leaf_length) return;
    done = true;
    if (results == 0) return;
    auto* const values = static_cast<real_t<T>*>(out);
    const bool squares = task.what == Reduction::norm2;
    if (columns && squares)
      return exact_whole_columns<T, ExactKind::squares>(part, divisor, values);
    if (columns) return exact_whole_columns<T, ExactKind::values>(part, divisor, values);
    if (squares) return exact_whole_rows<T, ExactKind::squares>(part, divisor, values);
    exact_whole_rows<T, ExactKind::values>(part, divisor, values);
  });
  return done;
}

}  // namespace tessera::kernels
