// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
// Groups, links, and how a dataset is stored.
#include <algorithm>
#include <array>

#include "data/hdf5_call.hpp"

namespace tessera::data::h5 {
namespace {

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

// H5Ovisit got a new signature in 1.12.
#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info2_t;
constexpr auto visit_objects = H5Ovisit3;
#else
using ObjectInfo = H5O_info_t;
constexpr auto visit_objects = H5Ovisit2;
#endif

herr_t collect_dataset(hid_t, const char* name, const ObjectInfo* info, void* paths) {
  if (info->type == H5O_TYPE_DATASET)
    static_cast<std::vector<std::string>*>(paths)->emplace_back("/" + std::string(name));
  return 0;
}

Filter filter_at(const Handle& creation, unsigned index, const std::string& subject) {
  std::array<char, 64> name{};
  std::array<unsigned, 32> values{};
  std::size_t value_count = values.size();
  unsigned flags = 0;
  unsigned config = 0;
  const std::int64_t id =
      check(H5Pget_filter2(creation.id(), index, &flags, &value_count, values.data(),
                           name.size() - 1, name.data(), &config),
            "H5Pget_filter", subject);
  Filter filter{static_cast<int>(id), name.data(), false};
  if (H5Zfilter_avail(filter.id) > 0) {
    filter.can_decode = H5Zget_filter_info(filter.id, &config) >= 0 &&
                        (config & H5Z_FILTER_CONFIG_DECODE_ENABLED) != 0;
  }
  return filter;
}

using NameOf = ssize_t (*)(hid_t, char*, std::size_t);

std::string name_from(NameOf get, const char* call, const Handle& object,
                      const std::string& subject) {
  const std::int64_t length = check(get(object.id(), nullptr, 0), call, subject);
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  check(get(object.id(), name.data(), name.size()), call, subject);
  name.pop_back();
  return name;
}

using SourceName = ssize_t (*)(hid_t, std::size_t, char*, std::size_t);

std::string source_name(SourceName get, const char* call, const Handle& creation, std::size_t index,
                        const std::string& subject) {
  const std::int64_t length = check(get(creation.id(), index, nullptr, 0), call, subject);
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  check(get(creation.id(), index, name.data(), name.size()), call, subject);
  name.pop_back();
  return name;
}

std::vector<VirtualSource> virtual_sources(const Handle& creation, const std::string& subject) {
  std::size_t count = 0;
  check(H5Pget_virtual_count(creation.id(), &count), "H5Pget_virtual_count", subject);
  std::vector<VirtualSource> sources(count);
  for (std::size_t i = 0; i < count; ++i) {
    sources[i].file =
        source_name(H5Pget_virtual_filename, "H5Pget_virtual_filename", creation, i, subject);
    sources[i].dataset =
        source_name(H5Pget_virtual_dsetname, "H5Pget_virtual_dsetname", creation, i, subject);
  }
  return sources;
}

Shape chunk_of(const Handle& creation, const std::string& subject) {
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const std::int64_t axes =
      check(H5Pget_chunk(creation.id(), H5S_MAX_RANK, extents.data()), "H5Pget_chunk", subject);
  Shape chunk;
  for (std::int64_t axis = 0; axis < axes; ++axis)
    chunk.push_back(static_cast<std::int64_t>(extents[axis]));
  return chunk;
}

}  // namespace

Handle try_open_object(const Handle& file, const std::string& path) {
  return {H5Oopen(file.id(), path.c_str(), H5P_DEFAULT), H5Oclose};
}

ObjectKind kind_of(const Handle& object) {
  const H5I_type_t kind = H5Iget_type(object.id());
  return kind == H5I_DATASET ? ObjectKind::dataset
         : kind == H5I_GROUP ? ObjectKind::group
                             : ObjectKind::other;
}

bool link_exists(const Handle& file, const std::string& path) {
  return path == "/" || H5Lexists(file.id(), path.c_str(), H5P_DEFAULT) > 0;
}

std::optional<std::string> link_target(const Handle& file, const std::string& path) {
  H5L_info_t info;
  if (H5Lget_info(file.id(), path.c_str(), &info, H5P_DEFAULT) < 0) return std::nullopt;
  if (info.type != H5L_TYPE_SOFT && info.type != H5L_TYPE_EXTERNAL) return std::nullopt;
  std::vector<char> value(info.u.val_size + 1, '\0');
  if (H5Lget_val(file.id(), path.c_str(), value.data(), value.size(), H5P_DEFAULT) < 0)
    return std::nullopt;
  if (info.type == H5L_TYPE_SOFT) return "\"" + std::string(value.data()) + "\"";
  const char* other_file = nullptr;
  const char* object = nullptr;
  if (H5Lunpack_elink_val(value.data(), info.u.val_size, nullptr, &other_file, &object) < 0)
    return std::nullopt;
  return "\"" + std::string(object) + "\" of \"" + other_file + "\"";
}

std::vector<std::string> members(const Handle& file, const std::string& group) {
  std::vector<std::string> names;
  const Handle object = try_open_object(file, group);
  if (!object.is_open() || kind_of(object) != ObjectKind::group) return names;
  hsize_t position = 0;
  H5Literate(object.id(), H5_INDEX_NAME, H5_ITER_INC, &position, collect_name, &names);
  return names;
}

std::vector<std::string> all_datasets(const Handle& file, const std::string& subject) {
  std::vector<std::string> paths;
  check(
      visit_objects(file.id(), H5_INDEX_NAME, H5_ITER_INC, collect_dataset, &paths, H5O_INFO_BASIC),
      "H5Ovisit", subject);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string path_of(const Handle& object, const std::string& subject) {
  return name_from(H5Iget_name, "H5Iget_name", object, subject);
}

std::string file_of(const Handle& object, const std::string& subject) {
  return name_from(H5Fget_name, "H5Fget_name", object, subject);
}

Storage storage_of(const Handle& dataset, const std::string& subject) {
  const Handle creation = creation_of(dataset, subject);
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  check(layout, "H5Pget_layout", subject);
  Storage storage;
  storage.chunked = layout == H5D_CHUNKED;
  storage.compact = layout == H5D_COMPACT;
  storage.is_virtual = layout == H5D_VIRTUAL;
  storage.external = layout == H5D_CONTIGUOUS && H5Pget_external_count(creation.id()) > 0;
  if (storage.chunked) {
    storage.chunk = chunk_of(creation, subject);
    const std::int64_t filters = check(H5Pget_nfilters(creation.id()), "H5Pget_nfilters", subject);
    for (std::int64_t i = 0; i < filters; ++i) {
      storage.filters.push_back(filter_at(creation, static_cast<unsigned>(i), subject));
    }
  }
  if (storage.is_virtual) storage.sources = virtual_sources(creation, subject);
  return storage;
}

}  // namespace tessera::data::h5
