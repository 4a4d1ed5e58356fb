// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/dtype.hpp"
#include "data/hdf5_handle.hpp"

namespace tessera::data {

/// A look at the values that HDF5's conversion can't be trusted with.
enum class ValueCheck {
  none,
  below_2_63,  ///< unsigned 64-bit: HDF5 would clamp
  zero_or_one  ///< a boolean
};

/// How the elements of a dataset are stored, and how they come into memory.
///
/// | stored                               | in memory           |
/// |--------------------------------------|---------------------|
/// | float16, bfloat16, float32           | float32             |
/// | float64                              | float64             |
/// | pairs (r, i) of the above            | complex64, complex128 |
/// | int8, int16, uint16, int32           | int32               |
/// | uint32, int64, uint64 (below 2^63)   | int64               |
/// | uint8, booleans, 8-bit fields        | uint8               |
///
/// Byte order doesn't matter; an enumeration is read as its integers.
struct StoredType {
  DType dtype = DType::float64;  ///< in memory
  std::int64_t bytes = 0;        ///< of one stored element
  std::string text;              ///< for people
  Handle memory;                 ///< the HDF5 type that H5Dread converts to
  Handle stored;                 ///< the HDF5 type in the file
  ValueCheck check = ValueCheck::none;
};

/// Throws Error(graph) for types that aren't in the table (strings, references, other compounds, long
/// doubles), saying what was found. `name` is the file and dataset for messages.
[[nodiscard]] StoredType stored_type(Handle type, const std::string& name);

/// The type that outputs are written in: little-endian, complex numbers as h5py's pairs (r, i).
[[nodiscard]] Handle file_type(DType dtype);

}  // namespace tessera::data
