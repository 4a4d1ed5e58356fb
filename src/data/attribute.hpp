// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "data/hdf5_handle.hpp"

namespace tessera::data {

/// A text, a whole number or a real number that is attached to the root group.
struct Attribute {
  std::string name;
  std::variant<std::string, std::int64_t, double> value;
};

namespace h5 {

void write_attribute(const Handle& object, const Attribute& attribute, const std::string& subject);
/// All attributes of these three kinds, by name; others are passed over.
[[nodiscard]] std::vector<Attribute> read_attributes(const Handle& object,
                                                     const std::string& subject);

/// Makes an unsigned 32-bit attribute, or changes the one that is there without moving anything.
void write_checksum(const Handle& object, const std::string& name, std::uint32_t value,
                    const std::string& subject);
[[nodiscard]] std::optional<std::uint32_t> read_checksum(const Handle& object,
                                                         const std::string& name,
                                                         const std::string& subject);

/// Copies every attribute but those that HDF5's dimension scales and our checksums use, and those
/// that hold references (they would point nowhere).
void copy_attributes(const Handle& from, const Handle& to, const std::string& subject);

}  // namespace h5
}  // namespace tessera::data
