// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.hpp"

namespace tessera::plan {

/// Where the kernels' memory is apart from the host's, a buffer that both touch exists in both.
/// Inserts the uploads and downloads that bring every action's data to its side: a whole buffer
/// where it is read on the side that doesn't hold it, only the pieces of an exchange for messages.
/// A copy that every turn of a loop, or every item of a batch, would repeat is made once before.
void insert_copies(Plan& plan);

}  // namespace tessera::plan
