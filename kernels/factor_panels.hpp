// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dtype.hpp"

// The steps of a factorisation whose panels of columns are dealt out to ranks: the panel's owner
// factors it, all others get it as a message and update their own columns. Host memory and threads;
// the bits are those of factor.hpp.
namespace tessera::kernels {

/// Which factorisation, and how much the steps need to know.
struct PanelTask {
  DType dtype = DType::float64;
  bool cholesky = false;
  std::int64_t rows = 0;  ///< of the matrix
  int threads = 1;
};

/// Columns [begin, begin + width) of the matrix.
struct Panel {
  std::int64_t begin = 0;
  std::int64_t width = 0;
};

/// Columns of this rank: `count` from `first` on in its own storage, dense and row-major with
/// `stride` elements from row to row.
struct OwnColumns {
  void* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Bytes of a panel's message: the column where the factorisation stopped, or -1; the pivots,
/// counted from the panel's first row; the panel's rows from there on.
[[nodiscard]] std::int64_t panel_message_bytes(const PanelTask& task, const Panel& panel);
/// What `factor_panel` needs, and `update_columns` for `count` columns; aligned to 64 bytes.
[[nodiscard]] std::int64_t panel_scratch_bytes(const PanelTask& task, const Panel& panel);
[[nodiscard]] std::int64_t update_scratch_bytes(const PanelTask& task, const Panel& panel,
                                                std::int64_t count, std::int64_t column);

/// Factors the owner's columns and fills the message. `stopped`: what an earlier panel's message
/// told; where that isn't -1 nothing is computed.
void factor_panel(const PanelTask& task, const Panel& panel, const OwnColumns& own,
                  std::int64_t stopped, void* message, void* scratch);

/// Where the factorisation stopped so far, or -1.
[[nodiscard]] std::int64_t stopped_at(const void* message);
/// The pivots as rows of the matrix.
void read_pivots(const Panel& panel, const void* message, std::int64_t rows, std::int64_t* pivots);

/// Columns to the right of a panel: LU: interchanges, rows of U, update. Cholesky: update of the
/// matrix' columns from `column` on.
void update_columns(const PanelTask& task, const Panel& panel, const void* message,
                    const OwnColumns& own, std::int64_t column, void* scratch);
/// LU: columns to the left of a panel: interchanges.
void exchange_rows(const PanelTask& task, const Panel& panel, const void* message,
                   const OwnColumns& own);
/// Cholesky: zeros above the diagonal of the matrix' columns from `column` on.
void clear_above(const PanelTask& task, const OwnColumns& own, std::int64_t column);

}  // namespace tessera::kernels
