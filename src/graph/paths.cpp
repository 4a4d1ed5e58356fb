// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "graph/paths.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace tessera::graph {
namespace {

/// With a backslash before each of these letters, so that glob takes them as they are.
std::string escaped(const std::string& text, std::string_view letters) {
  std::string result;
  for (const char c : text) {
    if (letters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string path_in(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

bool is_pattern(const std::string& path) { return path.find_first_of("*?") != std::string::npos; }

std::vector<std::string> matching_files(const std::string& folder, const std::string& pattern) {
  const std::filesystem::path all =
      std::filesystem::path(escaped(folder, "\\[]*?")) / escaped(pattern, "\\[]");
  glob_t found{};
  std::vector<std::string> files;
  if (glob(all.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      const std::filesystem::path path(found.gl_pathv[i]);
      if (!std::filesystem::is_directory(path)) files.push_back(path.lexically_normal().string());
    }
  }
  globfree(&found);
  std::sort(files.begin(), files.end());
  return files;
}

std::string dataset_path_fault(const std::string& path) {
  if (!path.starts_with('/')) return "it doesn't begin with /";
  if (path.size() == 1) return "it names the root group";
  if (path.ends_with('/')) return "it ends with /";
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty()) return "it has an empty name between two /";
    if (part == "." || part == "..") return "it has a " + part;
    begin = end + 1;
  }
  return "";
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const auto real = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
  };
  return real(a) == real(b);
}

}  // namespace tessera::graph
