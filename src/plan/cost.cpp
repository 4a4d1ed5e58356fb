// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "plan/cost.hpp"

#include <algorithm>

namespace tessera::plan {

double launch_seconds(const Machine& machine, double bytes, double flops, DType dtype) {
  const bool single = dtype == DType::float32 || dtype == DType::complex64;
  const double rate = single ? machine.flops_float32_per_second : machine.flops_float64_per_second;
  return std::max(bytes / machine.copy_bytes_per_second, flops / rate);
}

double message_seconds(const Machine& machine, double bytes, double messages) {
  return messages * machine.message_seconds + bytes / machine.message_bytes_per_second;
}

double redistribution_seconds(const Machine& machine, DType dtype, const layout::Layout& from,
                              const layout::Layout& to) {
  if (from == to) return 0;
  double most = 0;
  // Balanced blocks: the first rank, the last, and one between see every kind of overlap.
  for (const Rank rank : {0, from.ranks() / 2, from.ranks() - 1}) {
    const layout::Overlap overlap = layout::overlap(from, to, rank);
    const auto bytes =
        static_cast<double>(size_of(dtype)) *
        static_cast<double>(std::max(overlap.sent_elements(), overlap.received_elements()));
    const auto messages =
        static_cast<double>(std::max(overlap.sends.size(), overlap.receives.size()));
    // Packing and unpacking move every byte twice through memory at each end.
    most = std::max(most, message_seconds(machine, bytes, messages) +
                              4 * bytes / machine.copy_bytes_per_second);
  }
  return most;
}

double choice_seconds(const Machine& machine, const ops::Choice& choice, DType dtype) {
  return launch_seconds(machine, choice.memory_bytes, choice.flops, dtype) +
         message_seconds(machine, choice.message_bytes, choice.messages);
}

}  // namespace tessera::plan
