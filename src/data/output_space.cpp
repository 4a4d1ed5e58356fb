// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/output_space.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.hpp"
#include "base/units.hpp"
#include "data/filesystem.hpp"
#include "data/posix_file.hpp"

namespace tessera::data {
namespace {

std::int64_t bytes_on_disk(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::int64_t>(status.st_blocks) * 512 : 0;
}

/// What positional writes will need; how small compression makes the rest isn't known.
double bytes_needed(const OutputFile& output) {
  double bytes = 0;
  for (const OutputDataset& dataset : output.datasets) {
    if (!dataset.compression)
      bytes += static_cast<double>(element_count(dataset.shape) * size_of(dataset.dtype));
  }
  return bytes;
}

[[noreturn]] void refuse_full(const std::string& path, double needed, double free) {
  throw Error(ErrorKind::io, "the disk is too full for \"" + path + "\": needs " +
                                 format_bytes(needed) + ", " + format_bytes(free) + " free")
      .advice("free space or write elsewhere");
}

Error exists(const std::string& target) {
  return Error(ErrorKind::io, "\"" + target + "\" exists")
      .advice("choose another name, or allow it with --overwrite");
}

bool is_absolute_path(const std::string& path) {
  const std::string closed = path + "/";
  return path.size() > 1 && path.front() == '/' && closed.find("//") == std::string::npos &&
         closed.find("/./") == std::string::npos && closed.find("/../") == std::string::npos;
}

/// renameat2 where the file system knows it, a hard link otherwise. Returns errno.
int rename_without_replacing(const std::string& partial, const std::string& target) {
  if (::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
  if (::link(partial.c_str(), target.c_str()) == 0)
    return ::unlink(partial.c_str()) == 0 ? 0 : errno;
  if (errno != EPERM && errno != ENOSYS && errno != ENOTSUP) return errno;
  // Neither: our lock file still keeps other runs away.
  if (::access(target.c_str(), F_OK) == 0) return EEXIST;
  return ::rename(partial.c_str(), target.c_str()) == 0 ? 0 : errno;
}

}  // namespace

void check_paths(const OutputFile& output) {
  std::vector<std::string> paths;
  for (const OutputDataset& dataset : output.datasets) {
    if (!is_absolute_path(dataset.path)) {
      throw Error(ErrorKind::graph, "\"" + dataset.path + "\" can't be an output's path")
          .expected("an absolute HDF5 path such as \"/group/name\"");
    }
    paths.push_back(dataset.path + "/");
  }
  std::sort(paths.begin(), paths.end());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const std::string before = paths[i - 1].substr(0, paths[i - 1].size() - 1);
    const std::string path = paths[i].substr(0, paths[i].size() - 1);
    if (paths[i] == paths[i - 1])
      throw Error(ErrorKind::graph, "there are two outputs \"" + path + "\"");
    if (paths[i].starts_with(paths[i - 1])) {
      throw Error(ErrorKind::graph, "output \"" + path + "\" can't lie below \"" + before +
                                        "\", which is an output itself");
    }
  }
}

void check_target(const OutputFile& output, const std::string& partial) {
  const std::string folder = folder_of(output.target);
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0)
    fail_with(errno, "use the folder of the output", folder);
  if (!S_ISDIR(status.st_mode)) fail_with(ENOTDIR, "use the folder of the output", folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail_with(errno, "write into the folder", folder);
  if (::stat(output.target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail_with(EISDIR, "write", output.target);
    if (!output.overwrite) throw exists(output.target);
  }
  const double needed = bytes_needed(output);
  const double free =
      static_cast<double>(file_system_of(folder).free_bytes + bytes_on_disk(partial));
  if (1.1 * needed > free) refuse_full(output.target, needed, free);
}

void reserve_space(const std::string& partial) {
  const Descriptor file = open_existing(partial, O_RDWR);
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0) fail_with(errno, "look at", partial);
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(file.fd(), 0, status.st_size);
  if (error == ENOSPC) {
    const auto free =
        static_cast<double>(file_system_of(partial).free_bytes + bytes_on_disk(partial));
    refuse_full(partial, static_cast<double>(status.st_size), free);
  }
  if (error != 0)
    fail_with(error, "reserve " + format_bytes(static_cast<double>(status.st_size)) + " for",
              partial);
  sync_file(file.fd(), partial);
}

void move_to_target(const std::string& partial, const std::string& target, bool overwrite) {
  int error = 0;
  if (!overwrite) {
    error = rename_without_replacing(partial, target);
  } else if (::rename(partial.c_str(), target.c_str()) != 0) {
    error = errno;
  }
  if (error == EEXIST) throw exists(target);
  if (error != 0) fail_with(error, "rename to \"" + target + "\"", partial);
  sync_folder_of(target);
}

}  // namespace tessera::data
