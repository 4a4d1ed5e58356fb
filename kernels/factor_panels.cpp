// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "factor_panels.hpp"

#include <algorithm>

#include "factor_batch.hpp"

namespace tessera::kernels {

namespace {

using namespace factor_detail;

constexpr std::int64_t round_to_line(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

std::int64_t header_bytes(const Panel& panel) { return round_to_line(8 * (1 + panel.width)); }

/// A message's parts.
template <class T>
struct Message {
  std::int64_t* stopped;
  std::int64_t* pivots;
  Block<T> panel;  ///< dense

  Message(const PanelTask& task, const Panel& at, const void* memory)
      : stopped(static_cast<std::int64_t*>(const_cast<void*>(memory))), pivots(stopped + 1) {
    char* data = reinterpret_cast<char*>(stopped) + header_bytes(at);
    panel = {task.rows - at.begin, at.width, {reinterpret_cast<T*>(data), at.width, 1}};
  }
  [[nodiscard]] std::int64_t steps() const { return std::min(panel.rows, panel.columns); }
};

/// The rank's columns at and below row `begin`.
template <class T>
Block<T> block_of(const PanelTask& task, const OwnColumns& own, std::int64_t begin) {
  return {task.rows - begin,
          own.count,
          {static_cast<T*>(own.data) + begin * own.stride + own.first, own.stride, 1}};
}

template <class T>
void copy_block(const Block<T>& from, const Block<T>& to) {
  for (std::int64_t i = 0; i < from.rows; ++i) {
    std::copy_n(from.element(i, 0), from.columns, to.element(i, 0));
  }
}

/// Calls `work(workshop)` with all threads.
template <class Work>
void with_threads(const PanelTask& task, void* scratch, Work&& work) {
  const Parallel parallel = on_threads;
  work(Workshop{scratch, task.threads, &parallel});
}

}  // namespace

std::int64_t panel_message_bytes(const PanelTask& task, const Panel& panel) {
  return header_bytes(panel) +
         round_to_line((task.rows - panel.begin) * panel.width * size_of(task.dtype));
}

std::int64_t panel_scratch_bytes(const PanelTask& task, const Panel& panel) {
  const std::int64_t m = task.rows - panel.begin;
  return visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    return task.cholesky ? cholesky_panel_bytes<T>(m, panel.width, task.threads)
                         : lu_bytes<T>(m, panel.width, task.threads);
  });
}

std::int64_t update_scratch_bytes(const PanelTask& task, const Panel& panel, std::int64_t count,
                                  std::int64_t column) {
  const std::int64_t steps = std::min(panel.width, task.rows - panel.begin);
  return visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    if (task.cholesky) {
      return subtract_bytes<T>(task.rows - column, count, panel.width, true, task.threads);
    }
    return std::max(
        triangle_bytes<T>(steps, count, task.threads),
        subtract_bytes<T>(task.rows - panel.begin - steps, count, steps, false, task.threads));
  });
}

std::int64_t stopped_at(const void* message) { return *static_cast<const std::int64_t*>(message); }

void read_pivots(const Panel& panel, const void* message, std::int64_t rows, std::int64_t* pivots) {
  const auto* from = static_cast<const std::int64_t*>(message) + 1;
  for (std::int64_t k = 0; k < std::min(panel.width, rows - panel.begin); ++k) {
    pivots[panel.begin + k] = panel.begin + from[k];
  }
}

void factor_panel(const PanelTask& task, const Panel& panel, const OwnColumns& own,
                  std::int64_t stopped, void* message, void* scratch) {
  visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    const Message<T> to(task, panel, message);
    *to.stopped = stopped;
    if (stopped >= 0) return;
    const Block<T> columns = block_of<T>(task, own, panel.begin);
    copy_block(columns, to.panel);
    with_threads(task, scratch, [&](const Workshop& workshop) {
      const std::int64_t failed = task.cholesky ? cholesky_panel(to.panel, workshop)
                                                : lu_matrix(to.panel, to.pivots, workshop);
      if (failed >= 0) *to.stopped = panel.begin + failed;
    });
    copy_block(to.panel, columns);
  });
}

void update_columns(const PanelTask& task, const Panel& panel, const void* message,
                    const OwnColumns& own, std::int64_t column, void* scratch) {
  if (own.count == 0) return;
  visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    const Message<T> from(task, panel, message);
    const Block<const T> l = from.panel;
    with_threads(task, scratch, [&](const Workshop& workshop) {
      if (task.cholesky) {
        const std::int64_t first = column - panel.begin;  // row of the panel
        const Block<const T> adjoint{panel.width, own.count, {l.element(first, 0), 1, l.at.row}};
        subtract_product(l.sub(first, 0, l.rows - first, panel.width), adjoint,
                         block_of<T>(task, own, column), true, workshop);
        return;
      }
      const std::int64_t steps = from.steps();
      const Block<T> columns = block_of<T>(task, own, panel.begin);
      const Block<T> upper = columns.sub(0, 0, steps, own.count);
      swap_rows(columns, from.pivots, steps, workshop);
      solve_triangle(l.sub(0, 0, steps, steps), {.unit = true}, upper, workshop);
      if (l.rows == steps) return;
      subtract_product<T>(l.sub(steps, 0, l.rows - steps, steps), upper,
                          columns.sub(steps, 0, l.rows - steps, own.count), false, workshop);
    });
  });
}

void exchange_rows(const PanelTask& task, const Panel& panel, const void* message,
                   const OwnColumns& own) {
  if (own.count == 0) return;
  visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    const Message<T> from(task, panel, message);
    with_threads(task, nullptr, [&](const Workshop& workshop) {
      swap_rows(block_of<T>(task, own, panel.begin), from.pivots, from.steps(), workshop);
    });
  });
}

void clear_above(const PanelTask& task, const OwnColumns& own, std::int64_t column) {
  visit_floating(task.dtype, [&]<class T>(std::type_identity<T>) {
    const Block<T> columns = block_of<T>(task, own, 0);
    for (std::int64_t j = 0; j < own.count; ++j) {
      for (std::int64_t i = 0; i < std::min(column + j, task.rows); ++i)
        *columns.element(i, j) = T{};
    }
  });
}

}  // namespace tessera::kernels
