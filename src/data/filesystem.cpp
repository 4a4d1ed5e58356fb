// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/filesystem.hpp"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace tessera::data {
namespace {

namespace fs = std::filesystem;

struct KnownSystem {
  std::int64_t magic;
  const char* name;
  bool network;
};

// Numbers of statfs(2) and the kernel's magic.h.
constexpr KnownSystem known_systems[] = {
    {0x6969, "nfs", true},        {0x517b, "smb", true},         {0xff534d42, "cifs", true},
    {0xfe534d42, "smb2", true},   {0x5346414f, "afs", true},     {0x6b414653, "afs", true},
    {0x73757245, "coda", true},   {0x564c, "ncp", true},         {0x01021997, "9p", true},
    {0x65735546, "fuse", true},   {0xef53, "ext4", false},       {0x58465342, "xfs", false},
    {0x9123683e, "btrfs", false}, {0x01021994, "tmpfs", false},  {0x794c7630, "overlay", false},
    {0x2fc12fc1, "zfs", false},   {0xf2f52010, "f2fs", false},   {0x0bd00bd0, "lustre", false},
    {0x47504653, "gpfs", false},  {0x19830326, "beegfs", false}, {0x00c36400, "ceph", false},
    {0x01161970, "gfs2", false},  {0x7461636f, "ocfs2", false},  {0xca451a4e, "bcachefs", false},
};

// FUSE mounts that no other machine writes to.
constexpr const char* local_fuse[] = {
    "fuseblk",         "fuse.ntfs-3g",        "fuse.bindfs", "fuse.mergerfs",
    "fuse.gocryptfs",  "fuse.encfs",          "fuse.exfat",  "fuse.ext2",
    "fuse.squashfuse", "fuse.fuse-overlayfs", "fuse.unionfs"};

const KnownSystem* known(std::int64_t magic) {
  const auto* const found =
      std::find_if(std::begin(known_systems), std::end(known_systems),
                   [&](const KnownSystem& row) { return row.magic == magic; });
  return found == std::end(known_systems) ? nullptr : found;
}

/// The type of the mount with this device number in /proc/self/mountinfo; empty when it isn't
/// listed.
std::string mount_type(dev_t device) {
  std::ifstream table("/proc/self/mountinfo");
  const std::string wanted = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  std::string line;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string id, parent, number;
    fields >> id >> parent >> number;
    const std::size_t separator = line.find(" - ");
    if (number != wanted || separator == std::string::npos) continue;
    return line.substr(separator + 3, line.find(' ', separator + 3) - separator - 3);
  }
  return {};
}

fs::path nearest_existing(const std::string& path) {
  std::error_code ignored;
  fs::path candidate = fs::absolute(path, ignored);
  while (!fs::exists(candidate, ignored) && candidate.has_relative_path())
    candidate = candidate.parent_path();
  return candidate;
}

[[noreturn]] void fail(const fs::path& path) {
  throw Error(ErrorKind::io, "can't find out about the file system of \"" + path.string() +
                                 "\": " + std::strerror(errno));
}

}  // namespace

bool is_network(std::int64_t magic, const std::string& type) {
  if (type == "fuse" || type.starts_with("fuse")) {
    return std::find(std::begin(local_fuse), std::end(local_fuse), type) == std::end(local_fuse);
  }
  const KnownSystem* row = known(magic);
  return row != nullptr && row->network;
}

FileSystem file_system_of(const std::string& path) {
  const fs::path existing = nearest_existing(path);
  struct statfs system {};
  struct statvfs space {};
  struct stat status {};
  if (::statfs(existing.c_str(), &system) != 0 || ::statvfs(existing.c_str(), &space) != 0 ||
      ::stat(existing.c_str(), &status) != 0) {
    fail(existing);
  }
  // On 32-bit fields the number may come sign-extended.
  const auto magic = static_cast<std::int64_t>(static_cast<std::uint32_t>(system.f_type));
  FileSystem result;
  result.type = mount_type(status.st_dev);
  result.network = is_network(magic, result.type);
  if (result.type.empty()) {
    const KnownSystem* row = known(magic);
    std::ostringstream number;
    number << "0x" << std::hex << magic;
    result.type = row != nullptr ? row->name : number.str();
  }
  result.free_bytes =
      static_cast<std::int64_t>(space.f_bavail) * static_cast<std::int64_t>(space.f_frsize);
  return result;
}

bool network_file_system(const std::string& path) { return file_system_of(path).network; }

}  // namespace tessera::data
