// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5_call.hpp"

#include <array>
#include <type_traits>

#include "base/error.hpp"

namespace tessera::data::h5 {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "handles hold HDF5 1.10's 64-bit identifiers");

/// Once per process: HDF5 prints nothing, and doesn't clean up at exit (after a failed write on a
/// full disk that clean-up can crash; all our files are closed explicitly).
void start() {
  static const bool started = [] {
    H5dont_atexit();
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return true;
  }();
  (void)started;
}

herr_t keep_innermost(unsigned depth, const H5E_error2_t* error, void* reason) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
  return 0;
}

/// What to do about reasons that users meet often; empty for others.
std::string advice_for(const std::string& reason) {
  const auto has = [&](const char* text) { return reason.find(text) != std::string::npos; };
  if (has("errno = 11"))
    return "the file is open for writing elsewhere (errno 11): wait for that program to close it";
  if (has("errno = 37") || has("errno = 524") || has("errno = 38")) {
    return "the file system has no locks: ask for a lock service or mount option, or, when no "
           "program writes this "
           "file now, set HDF5_USE_FILE_LOCKING=FALSE";
  }
  if (has("errno = 28")) return "the disk is full: free space or write elsewhere";
  if (has("errno = 122")) return "the disk quota is used up: free space or write elsewhere";
  if (has("already open for write")) {
    return "another program writes it, or was killed while it did: in that case clear the mark "
           "with \"h5clear -s FILE\"";
  }
  if (has("truncated file")) return "the file is cut off: copy it again";
  if (has("file signature not found")) return "this isn't an HDF5 file";
  return {};
}

Handle own(std::int64_t id, const char* call, Handle::Closer closer, const std::string& subject) {
  return {check(id, call, subject), closer};
}

Handle properties(hid_t property_class, const std::string& subject) {
  start();
  return own(H5Pcreate(property_class), "H5Pcreate", H5Pclose, subject);
}

void no_time_stamps(const Handle& creation, const std::string& subject) {
  check(H5Pset_obj_track_times(creation.id(), false), "H5Pset_obj_track_times", subject);
}

/// Files that HDF5 1.10 and later read, whoever writes them.
Handle pinned_access(const std::string& subject) {
  Handle access = properties(H5P_FILE_ACCESS, subject);
  check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110), "H5Pset_libver_bounds",
        subject);
  // Large datasets begin on a page, so that writers of different datasets share none.
  check(H5Pset_alignment(access.id(), 64 * 1024, 4096), "H5Pset_alignment", subject);
  // An object that is still open makes the closing fail, instead of putting it off unchecked.
  check(H5Pset_fclose_degree(access.id(), H5F_CLOSE_SEMI), "H5Pset_fclose_degree", subject);
  return access;
}

std::array<hsize_t, max_axes> sizes(const Extents& extents) {
  std::array<hsize_t, max_axes> result{};
  for (int axis = 0; axis < extents.size(); ++axis)
    result[axis] = static_cast<hsize_t>(extents[axis]);
  return result;
}

}  // namespace

std::string subject(const std::string& file, const std::string& dataset) {
  return "\"" + file + (dataset.empty() ? "" : ":" + dataset) + "\"";
}

std::string last_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
  return reason;
}

std::int64_t check(std::int64_t result, const char* call, const std::string& subject) {
  if (result >= 0) return result;
  const std::string reason = last_reason();
  Error error(ErrorKind::io,
              subject + ": " + call + " failed: " + (reason.empty() ? "no reason given" : reason));
  throw error.advice(advice_for(reason));
}

Handle open_file(const std::string& path) {
  start();
  return own(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "H5Fopen", H5Fclose,
             subject(path));
}

Handle open_file_for_update(const std::string& path) {
  const Handle access = pinned_access(subject(path));
  return own(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), "H5Fopen", H5Fclose, subject(path));
}

Handle create_file(const std::string& path) {
  const std::string name = subject(path);
  const Handle access = pinned_access(name);
  const Handle creation = properties(H5P_FILE_CREATE, name);
  no_time_stamps(creation, name);
  return own(H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation.id(), access.id()), "H5Fcreate",
             H5Fclose, name);
}

void flush(const Handle& file, const std::string& subject) {
  check(H5Fflush(file.id(), H5F_SCOPE_GLOBAL), "H5Fflush", subject);
}

void close(Handle& handle, const std::string& subject) {
  check(handle.close(), "H5*close", subject);
}

Handle root_group(const Handle& file, const std::string& subject) {
  return own(H5Gopen2(file.id(), "/", H5P_DEFAULT), "H5Gopen", H5Gclose, subject);
}

void create_group(const Handle& file, const std::string& path, const std::string& subject) {
  const Handle creation = properties(H5P_GROUP_CREATE, subject);
  no_time_stamps(creation, subject);
  Handle group = own(H5Gcreate2(file.id(), path.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                     "H5Gcreate", H5Gclose, subject);
  close(group, subject);
}

Handle open_dataset(const Handle& file, const std::string& path, const std::string& subject) {
  Handle access = properties(H5P_DATASET_ACCESS, subject);
  // Room for the chunks that neighbouring boxes share; HDF5's default holds 1 MiB, less than one
  // big chunk.
  check(H5Pset_chunk_cache(access.id(), 12421, 64 * 1024 * 1024, H5D_CHUNK_CACHE_W0_DEFAULT),
        "H5Pset_chunk_cache", subject);
  return own(H5Dopen2(file.id(), path.c_str(), access.id()), "H5Dopen", H5Dclose, subject);
}

Handle type_of(const Handle& dataset, const std::string& subject) {
  return own(H5Dget_type(dataset.id()), "H5Dget_type", H5Tclose, subject);
}

Handle space_of(const Handle& dataset, const std::string& subject) {
  return own(H5Dget_space(dataset.id()), "H5Dget_space", H5Sclose, subject);
}

Handle creation_of(const Handle& dataset, const std::string& subject) {
  return own(H5Dget_create_plist(dataset.id()), "H5Dget_create_plist", H5Pclose, subject);
}

std::int64_t storage_bytes(const Handle& dataset) {
  return static_cast<std::int64_t>(H5Dget_storage_size(dataset.id()));
}

std::int64_t storage_offset(const Handle& dataset) {
  const haddr_t offset = H5Dget_offset(dataset.id());
  return offset == HADDR_UNDEF ? -1 : static_cast<std::int64_t>(offset);
}

void read(const Handle& dataset, const Handle& type, const Handle& memory_space,
          const Handle& file_space, void* destination, const std::string& subject) {
  check(H5Dread(dataset.id(), type.id(), memory_space.id(), file_space.id(), H5P_DEFAULT,
                destination),
        "H5Dread", subject);
}

void write(const Handle& dataset, const Handle& type, const Handle& memory_space,
           const Handle& file_space, const void* source, const std::string& subject) {
  check(H5Dwrite(dataset.id(), type.id(), memory_space.id(), file_space.id(), H5P_DEFAULT, source),
        "H5Dwrite", subject);
}

Handle create_dataset(const Handle& file, const std::string& path, const Handle& type,
                      const Handle& space, const std::optional<Chunking>& chunking,
                      const std::string& subject) {
  const Handle creation = properties(H5P_DATASET_CREATE, subject);
  no_time_stamps(creation, subject);
  if (chunking) {
    const auto chunk = sizes(chunking->chunk);
    check(H5Pset_chunk(creation.id(), chunking->chunk.size(), chunk.data()), "H5Pset_chunk",
          subject);
    check(H5Pset_shuffle(creation.id()), "H5Pset_shuffle", subject);
    check(H5Pset_deflate(creation.id(), static_cast<unsigned>(chunking->level)), "H5Pset_deflate",
          subject);
  } else {
    check(H5Pset_layout(creation.id(), H5D_CONTIGUOUS), "H5Pset_layout", subject);
    check(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time", subject);
    check(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time", subject);
  }
  return own(H5Dcreate2(file.id(), path.c_str(), type.id(), space.id(), H5P_DEFAULT, creation.id(),
                        H5P_DEFAULT),
             "H5Dcreate", H5Dclose, subject);
}

std::optional<Shape> shape_of(const Handle& space, const std::string& subject) {
  const H5S_class_t kind = H5Sget_simple_extent_type(space.id());
  check(kind, "H5Sget_simple_extent_type", subject);
  if (kind == H5S_NULL) return std::nullopt;
  const std::int64_t axes =
      check(H5Sget_simple_extent_ndims(space.id()), "H5Sget_simple_extent_ndims", subject);
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  check(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), "H5Sget_simple_extent_dims",
        subject);
  if (axes > max_axes) {
    throw Error(ErrorKind::graph, subject + " has too many axes")
        .expected("at most " + std::to_string(max_axes))
        .found(std::to_string(axes));
  }
  Shape shape;
  for (std::int64_t axis = 0; axis < axes; ++axis)
    shape.push_back(static_cast<std::int64_t>(extents[axis]));
  return shape;
}

Handle space(const Shape& shape, const std::string& subject) {
  if (shape.empty()) return own(H5Screate(H5S_SCALAR), "H5Screate", H5Sclose, subject);
  const auto extents = sizes(shape);
  return own(H5Screate_simple(shape.size(), extents.data(), nullptr), "H5Screate_simple", H5Sclose,
             subject);
}

void select(const Handle& space, const Index& start, const Extents& step, const Extents& count,
            const std::string& subject) {
  if (count.empty()) return;  // a scalar is always selected
  const auto starts = sizes(start);
  const auto steps = sizes(step);
  const auto counts = sizes(count);
  check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, starts.data(), steps.data(), counts.data(),
                            nullptr),
        "H5Sselect_hyperslab", subject);
}

}  // namespace tessera::data::h5
