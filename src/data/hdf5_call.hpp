// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/extents.hpp"
#include "data/hdf5_handle.hpp"

/// Every HDF5 function that we use, called in one place and checked. A failure becomes one
/// Error(io) line with the subject (file and dataset), the function, and the innermost message of
/// HDF5's error stack, which itself is never printed. Only the files hdf5_*.cpp call HDF5.
namespace tessera::data::h5 {

/// "in.h5:/x", in quotes.
[[nodiscard]] std::string subject(const std::string& file, const std::string& dataset = {});

/// Passes a result that isn't negative, throws Error(io) otherwise.
std::int64_t check(std::int64_t result, const char* call, const std::string& subject);
/// The innermost message of HDF5's error stack; empty when the last call succeeded.
[[nodiscard]] std::string last_reason();

// Files. All use the serial driver.
[[nodiscard]] Handle open_file(const std::string& path);
[[nodiscard]] Handle open_file_for_update(const std::string& path);
/// Fails when the file is there. Metadata in the format of HDF5 1.8 to 1.10; no time stamps.
[[nodiscard]] Handle create_file(const std::string& path);
void flush(const Handle& file, const std::string& subject);
/// The checked closing of something that was written to.
void close(Handle& handle, const std::string& subject);

// Objects.
enum class ObjectKind { dataset, group, other };
/// Closed handle when the path, links followed, leads nowhere; `last_reason` then says why.
[[nodiscard]] Handle try_open_object(const Handle& file, const std::string& path);
[[nodiscard]] ObjectKind kind_of(const Handle& object);
[[nodiscard]] Handle open_dataset(const Handle& file, const std::string& path,
                                  const std::string& subject);
[[nodiscard]] Handle root_group(const Handle& file, const std::string& subject);
void create_group(const Handle& file, const std::string& path, const std::string& subject);
[[nodiscard]] bool link_exists(const Handle& file, const std::string& path);
/// What a soft or external link points to: "\"/no\"", "\"/d\" of \"none.h5\""; nothing for hard
/// links.
[[nodiscard]] std::optional<std::string> link_target(const Handle& file, const std::string& path);
/// The names in a group, sorted.
[[nodiscard]] std::vector<std::string> members(const Handle& file, const std::string& group);
/// The paths of all datasets that hard links reach, each once, sorted.
[[nodiscard]] std::vector<std::string> all_datasets(const Handle& file, const std::string& subject);

// Datasets.
[[nodiscard]] Handle type_of(const Handle& dataset, const std::string& subject);
[[nodiscard]] Handle space_of(const Handle& dataset, const std::string& subject);
[[nodiscard]] Handle creation_of(const Handle& dataset, const std::string& subject);
[[nodiscard]] std::int64_t storage_bytes(const Handle& dataset);
/// -1 where the dataset has no contiguous storage.
[[nodiscard]] std::int64_t storage_offset(const Handle& dataset);
/// The name of the file that an open object lies in: another one behind an external link.
[[nodiscard]] std::string file_of(const Handle& object, const std::string& subject);
/// HDF5's path of an open object.
[[nodiscard]] std::string path_of(const Handle& object, const std::string& subject);
/// Whole memory space to selected file space.
void read(const Handle& dataset, const Handle& type, const Handle& memory_space,
          const Handle& file_space, void* destination, const std::string& subject);
void write(const Handle& dataset, const Handle& type, const Handle& memory_space,
           const Handle& file_space, const void* source, const std::string& subject);

struct Chunking {
  Shape chunk;
  int level = 4;
};
/// Contiguous, with its storage allocated and not filled, or chunked and compressed. No time
/// stamps.
[[nodiscard]] Handle create_dataset(const Handle& file, const std::string& path, const Handle& type,
                                    const Handle& space, const std::optional<Chunking>& chunking,
                                    const std::string& subject);

// Data spaces.
/// Nothing for a null data space.
[[nodiscard]] std::optional<Shape> shape_of(const Handle& space, const std::string& subject);
[[nodiscard]] Handle space(const Shape& shape, const std::string& subject);
void select(const Handle& space, const Index& start, const Extents& step, const Extents& count,
            const std::string& subject);

// How a dataset is stored.
struct Filter {
  int id = 0;
  std::string name;
  bool can_decode = false;
};
struct VirtualSource {
  std::string file;  ///< "." is the file itself
  std::string dataset;
};
struct Storage {
  bool chunked = false;
  bool compact = false;
  bool external = false;  ///< raw data in other files
  Shape chunk;
  std::vector<Filter> filters;
  std::vector<VirtualSource> sources;  ///< of a virtual dataset
  bool is_virtual = false;
};
[[nodiscard]] Storage storage_of(const Handle& dataset, const std::string& subject);

}  // namespace tessera::data::h5
