// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/communicator.hpp"

namespace tessera::comm {

/// Ends a run that has failed on this rank; the message appears once on stderr as "tessera: text".
///
/// An AgreedError of `world` is known to all ranks: its rank prints, and every rank gets the exit
/// code back, to finish its session and return. Any other Error is this rank's alone, others may be
/// waiting for it for ever: the message is printed and the whole job aborted with this error's exit
/// code; doesn't return. If several ranks fail at the same time the lowest prints.
///
/// There is no time limit on waiting: a slow rank is no failure. A process that dies without a word
/// (a signal, a lost node) is noticed by the launcher, which ends the others: mpirun does so by
/// itself, srun with --kill-on-bad-exit.
[[nodiscard]] int fail(Communicator& world, const Error& error);

/// The text with " [rank 3]" after it, unless it names its rank already.
[[nodiscard]] std::string with_rank(const std::string& text, Rank rank);

}  // namespace tessera::comm
