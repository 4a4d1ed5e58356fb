// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "data/dataset.hpp"
#include "data/hdf5_call.hpp"
#include "data/virtual_sources.hpp"

namespace tessera::data {
namespace {

namespace fs = std::filesystem;

/// How many characters two names share at their beginnings and ends.
std::ptrdiff_t likeness(const std::string& a, const std::string& b) {
  const auto begins = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto ends = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return (begins.first - a.begin()) + (ends.first - a.rbegin());
}

/// "a, b, c and 4 more"; "nothing". With many names, the eight most like `wanted`.
std::string listing(std::vector<std::string> names, const std::string& wanted = {}) {
  constexpr std::size_t shown = 8;
  if (names.empty()) return "nothing";
  if (names.size() > shown) {
    std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
      return likeness(a, wanted) > likeness(b, wanted);
    });
  }
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < shown; ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::vector<std::string> hdf5_files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".h5" || ending == ".hdf5" || ending == ".he5" || ending == ".nc") {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void refuse_missing_file(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  const std::string name = h5::subject(path);
  if (status.type() == fs::file_type::not_found) {
    const fs::path folder =
        fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
    if (!fs::is_directory(folder, failure)) {
      throw Error(ErrorKind::graph, "there is no file " + name)
          .found("no folder \"" + folder.string() + "\" either");
    }
    throw Error(ErrorKind::graph, "there is no file " + name)
        .found(listing(hdf5_files_in(folder), fs::path(path).filename().string()) +
               " in its folder");
  }
  if (fs::is_directory(status))
    throw Error(ErrorKind::graph, name + " is a folder").expected("an HDF5 file");
}

/// Why an object can't be opened: the first link on the way that isn't there or leads nowhere.
Error not_found(const Handle& file, const std::string& path, const std::string& subject,
                const std::string& reason) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (!h5::link_exists(file, part)) {
      const std::size_t slash = part.rfind('/');
      const std::string group =
          slash == 0 || slash == std::string::npos ? "/" : part.substr(0, slash);
      return Error(ErrorKind::graph, "there is no dataset " + subject)
          .found(listing(h5::members(file, group), part.substr(slash + 1)) + " in group \"" +
                 group + "\"");
    }
    if (!h5::try_open_object(file, part).is_open()) {
      const std::string why = h5::last_reason();
      return Error(ErrorKind::graph, subject + " can't be opened: the link \"" + part +
                                         "\" points to " +
                                         h5::link_target(file, part).value_or("an object") +
                                         ", which can't be opened")
          .found(why);
    }
    if (end == std::string::npos) break;
  }
  return Error(ErrorKind::io, subject + " can't be opened").found(reason);
}

std::string describe(const h5::Storage& storage) {
  if (storage.is_virtual) return "virtual";
  if (storage.compact) return "compact";
  if (!storage.chunked) return "contiguous";
  std::string text = "chunked " + to_string(storage.chunk);
  for (const h5::Filter& filter : storage.filters) text += ", " + filter.name;
  return text;
}

void refuse_unreadable(const h5::Storage& storage, const std::string& subject) {
  for (const h5::Filter& filter : storage.filters) {
    if (filter.can_decode) continue;
    throw Error(ErrorKind::graph, subject + " is compressed with filter " +
                                      std::to_string(filter.id) + " (" + filter.name +
                                      "), which is missing here")
        .advice("rewrite the dataset with gzip, or point HDF5_PLUGIN_PATH to the filter's plugin");
  }
  if (storage.external) {
    throw Error(ErrorKind::graph,
                subject + " keeps its data in another, raw file, which isn't supported")
        .advice("copy it with h5repack");
  }
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  refuse_missing_file(path_);
  file_ = h5::open_file(path_);
}

Dataset InputFile::open(const std::string& dataset) const {
  const std::string path = dataset.starts_with('/') ? dataset : "/" + dataset;
  const std::string subject = h5::subject(path_, path);
  const Handle object = h5::try_open_object(file_, path);
  if (!object.is_open()) throw not_found(file_, path, subject, h5::last_reason());
  if (const auto kind = h5::kind_of(object); kind != h5::ObjectKind::dataset) {
    const bool group = kind == h5::ObjectKind::group;
    throw Error(ErrorKind::graph, subject + " isn't a dataset")
        .found(group ? "a group with " + listing(h5::members(file_, path)) : "a named type");
  }
  Handle handle = h5::open_dataset(file_, path, subject);
  DatasetInfo info{path_, path, DType::float64, {}, {}, {}, h5::storage_bytes(handle)};
  const auto shape = h5::shape_of(h5::space_of(handle, subject), subject);
  if (!shape) throw Error(ErrorKind::graph, subject + ": the dataset has no data (null dataspace)");
  info.shape = *shape;
  StoredType type = stored_type(h5::type_of(handle, subject), subject);
  info.dtype = type.dtype;
  info.stored = type.text;
  const h5::Storage storage = h5::storage_of(handle, subject);
  refuse_unreadable(storage, subject);
  if (storage.is_virtual)
    refuse_missing_sources(file_, h5::file_of(handle, subject), storage.sources, subject);
  info.storage = describe(storage);
  return {std::move(handle), std::move(info), std::move(type)};
}

std::vector<std::string> InputFile::datasets() const {
  return h5::all_datasets(file_, h5::subject(path_));
}

Handle InputFile::root() const { return h5::root_group(file_, h5::subject(path_)); }

DatasetInfo probe(const std::string& file, const std::string& dataset) {
  return InputFile(file).probe(dataset);
}

}  // namespace tessera::data
