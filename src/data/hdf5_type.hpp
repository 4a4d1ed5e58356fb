// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/dtype.hpp"
#include "data/hdf5_handle.hpp"

namespace tessera::data {

/// What is done to values after H5Dread, because HDF5's own conversion is wrong for us or slow.
enum class AfterRead : std::uint8_t {
  nothing,
  check_below_2_63,  ///< unsigned 64-bit: HDF5 would clamp
  check_boolean,     ///< 0 or 1
  widen_float16,     ///< HDF5 takes 60 ns an element
  widen_bfloat16
};

/// How the elements of a dataset are stored, and how they come into memory.
///
/// | stored                             | in memory             |
/// |------------------------------------|-----------------------|
/// | float16, bfloat16, float32         | float32               |
/// | float64                            | float64               |
/// | pairs (r, i) of these              | complex64, complex128 |
/// | int8, int16, uint16, int32         | int32                 |
/// | uint32, int64, uint64 (below 2^63) | int64                 |
/// | uint8, booleans, 8-bit fields      | uint8                 |
///
/// The byte order doesn't matter. An enumeration is read as its integers.
struct StoredType {
  DType dtype = DType::float64;  ///< in memory
  std::int64_t bytes = 0;        ///< of one stored element
  std::string text;              ///< for people: "float16, big-endian"
  Handle stored;                 ///< the HDF5 type in the file
  Handle memory;                 ///< the HDF5 type that H5Dread converts to
  AfterRead after = AfterRead::nothing;
};

/// Throws Error(graph) for types that aren't in the table (strings, references, other compounds,
/// long doubles), saying what was found. `subject` names file and dataset.
[[nodiscard]] StoredType stored_type(Handle type, const std::string& subject);

/// The type that outputs are written in: little-endian, complex numbers as h5py's pairs (r, i).
[[nodiscard]] Handle file_type(DType dtype);
/// The type of a tensor's elements in memory.
[[nodiscard]] Handle memory_type(DType dtype);

}  // namespace tessera::data
