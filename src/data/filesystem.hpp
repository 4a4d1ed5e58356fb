// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tessera::data {

struct FileSystem {
  std::string type;      ///< "ext4", "nfs", "fuse.sshfs", or "0x1234" when unknown
  bool network = false;  ///< other machines' writes may be seen late or not at all: use one writer
  std::int64_t free_bytes = 0;  ///< for this user
};

/// The file system of a path, or of the nearest folder above that exists. Throws Error(io).
[[nodiscard]] FileSystem file_system_of(const std::string& path);

/// True for NFS, SMB, AFS, 9P and FUSE mounts that aren't known to be local. Parallel file systems
/// with coherent caches (Lustre, GPFS, BeeGFS, CephFS) aren't counted.
[[nodiscard]] bool network_file_system(const std::string& path);

/// As `file_system_of`, decided from the magic number of statfs and the mount's type: for tests.
[[nodiscard]] bool is_network(std::int64_t magic, const std::string& mount_type);

}  // namespace tessera::data
