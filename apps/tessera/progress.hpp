// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "run/executor.hpp"

namespace tessera::apps {

/// A bar on a terminal; in a batch log a line now and then.
std::function<void(const run::Progress&)> make_progress();
/// Clears the bar.
void end_progress();

}  // namespace tessera::apps
