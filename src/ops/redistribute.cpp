// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "ops/redistribute.hpp"

#include "ops/view.hpp"

namespace tessera::ops {

void redistribute(Emitter& emitter, const Placed& from, const Placed& to,
                  const std::string& label) {
  move(emitter, from, own_view(from.layout, emitter.rank()), to,
       own_view(to.layout, emitter.rank()), label);
}

}  // namespace tessera::ops
