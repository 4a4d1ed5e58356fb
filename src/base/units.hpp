// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// "1.50 GiB", "512 MiB", "17 B": binary units, three significant digits at most.
[[nodiscard]] std::string format_bytes(double bytes);
/// "3.2 ms", "1.5 s", "2 min 05 s".
[[nodiscard]] std::string format_seconds(double seconds);
/// "12.3 GB/s", "4.56 GFLOP/s": decimal units.
[[nodiscard]] std::string format_rate(double per_second, std::string_view unit);
/// Reads "512MiB", "2 GB", "1.5g" (binary, as Slurm means it), "123". Throws Error(usage).
[[nodiscard]] std::int64_t parse_bytes(std::string_view text);

}  // namespace tessera
