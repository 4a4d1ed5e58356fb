// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>

#include "comm/session.hpp"

/// For tests that run on several ranks; their main function is mpi_main.cpp. Every rank runs every
/// test. ASSERT_* leaves a test early: use it only on values that all ranks share.
namespace tessera::test {

/// The session of this test program; its world is all ranks.
[[nodiscard]] comm::Session& session();
[[nodiscard]] inline comm::Communicator& world() { return session().world(); }

/// Notes that this rank has come here: a stuck rank is reported with its last place, and at the end
/// of a test all ranks must have noted equally many.
void reached(const std::source_location& where = std::source_location::current());

}  // namespace tessera::test
