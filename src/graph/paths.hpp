// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera::graph {

/// A path of the graph as it is opened: relative ones lie in `folder`.
[[nodiscard]] std::string path_in(const std::string& folder, const std::string& path);
/// Whether the path has * or ?, and so stands for all files that match.
[[nodiscard]] bool is_pattern(const std::string& path);
/// The files whose paths match, in byte order. Only * and ? are special, and don't match a slash.
[[nodiscard]] std::vector<std::string> matching_files(const std::string& folder,
                                                      const std::string& pattern);
/// Why this isn't the path of a dataset or group: empty when it is one ("/a/b").
[[nodiscard]] std::string dataset_path_fault(const std::string& path);
/// Whether both name one file, links followed.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

}  // namespace tessera::graph
