// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera::graph {

/// "name", in double quotes and on one line; cut after 80 bytes.
[[nodiscard]] std::string in_quotes(const std::string& name);
/// "a", "b" and "c": at most a dozen, then how many more.
[[nodiscard]] std::string listed(const std::vector<std::string>& names,
                                 const std::string& last = "and");
/// The name that was probably meant: least edit distance, at most a third of the letters wrong.
/// Empty when none is near.
[[nodiscard]] std::string nearest(const std::string& name, const std::vector<std::string>& names);
/// `did you mean "x"?`, or what there is, or `none` when there is nothing.
[[nodiscard]] std::string suggestion(const std::string& name, const std::vector<std::string>& names,
                                     const std::string& none);

}  // namespace tessera::graph
