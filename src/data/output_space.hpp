// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "data/publication.hpp"

namespace tessera::data {

/// Throws Error(graph) for paths that aren't absolute, occur twice, or lie below another dataset.
void check_paths(const OutputFile& output);
/// Throws Error(io) unless the target's folder can take the file, `partial` being removed first.
void check_target(const OutputFile& output, const std::string& partial);
/// Allocates the file's blocks, so that the disk can't fill up later.
void reserve_space(const std::string& partial);
/// Renames; without `overwrite` in a way that fails when somebody else made the target meanwhile.
void move_to_target(const std::string& partial, const std::string& target, bool overwrite);

}  // namespace tessera::data
