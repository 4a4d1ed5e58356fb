// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/virtual_sources.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"

namespace tessera::data {
namespace {

namespace fs = std::filesystem;

/// Where HDF5 looks for a source: in the folder of HDF5_VDS_PREFIX, beside the file, in the current
/// folder.
std::string located(const std::string& source, const fs::path& folder) {
  std::vector<fs::path> candidates;
  if (const char* prefix = std::getenv("HDF5_VDS_PREFIX")) {
    std::string text = prefix;
    if (text.starts_with("${ORIGIN}")) text = folder.string() + text.substr(9);
    candidates.push_back(fs::path(text) / source);
  }
  candidates.push_back(folder / source);
  candidates.push_back(source);
  std::error_code ignored;
  for (const fs::path& candidate : candidates) {
    if (fs::exists(candidate, ignored)) return candidate.string();
  }
  return {};
}

[[noreturn]] void refuse(const h5::VirtualSource& source, const std::string& subject,
                         const std::string& why) {
  const std::string where = source.file == "." ? "" : " of \"" + source.file + "\"";
  throw Error(ErrorKind::graph, subject + " is a virtual dataset, and its source \"" +
                                    source.dataset + "\"" + where + " is missing")
      .found(why)
      .advice("HDF5 would read that part as fill values");
}

bool is_pattern(const std::string& name) { return name.find("%b") != std::string::npos; }

}  // namespace

void refuse_missing_sources(const Handle& file, const std::string& file_path,
                            const std::vector<h5::VirtualSource>& sources,
                            const std::string& subject) {
  const fs::path folder = fs::path(file_path).parent_path();
  std::map<std::string, std::vector<h5::VirtualSource>> by_file;
  for (const h5::VirtualSource& source : sources) {
    if (!is_pattern(source.file) && !is_pattern(source.dataset))
      by_file[source.file].push_back(source);
  }
  for (const auto& [name, wanted] : by_file) {
    Handle other;
    if (name != ".") {
      const std::string path = located(name, folder);
      if (path.empty()) refuse(wanted.front(), subject, "no file of that name");
      try {
        other = h5::open_file(path);
      } catch (const Error& error) {
        refuse(wanted.front(), subject, error.text());
      }
    }
    const Handle& searched = name == "." ? file : other;
    std::set<std::string> seen;
    for (const h5::VirtualSource& source : wanted) {
      if (!seen.insert(source.dataset).second) continue;
      const Handle object = h5::try_open_object(searched, source.dataset);
      if (!object.is_open()) refuse(source, subject, h5::last_reason());
    }
  }
}

}  // namespace tessera::data
