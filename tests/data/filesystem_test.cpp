// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include "data/filesystem.hpp"

#include "data/temp_folder.hpp"

namespace tessera::data {
namespace {

TEST(FileSystem, NetworkSystemsByNumberAndMountType) {
  EXPECT_TRUE(is_network(0x6969, "nfs4"));
  EXPECT_TRUE(is_network(0xff534d42, "cifs"));
  EXPECT_TRUE(is_network(0xfe534d42, ""));
  EXPECT_TRUE(is_network(0x65735546, "fuse.sshfs"));
  EXPECT_TRUE(is_network(0x65735546, "fuse.glusterfs"));
  EXPECT_TRUE(is_network(0x65735546, ""));
  EXPECT_FALSE(is_network(0x65735546, "fuseblk"));
  EXPECT_FALSE(is_network(0x65735546, "fuse.bindfs"));
  EXPECT_FALSE(is_network(0xef53, "ext4"));
  EXPECT_FALSE(is_network(0x01021994, "tmpfs"));
  EXPECT_FALSE(is_network(0x0bd00bd0, "lustre"));
  EXPECT_FALSE(is_network(0x12345678, "unheard-of"));
}

TEST(FileSystem, OfAPathThatDoesNotExistYet) {
  const TempFolder folder;
  const FileSystem here = file_system_of(folder.path());
  const FileSystem there = file_system_of(folder / "not/yet/out.h5");
  EXPECT_EQ(here.type, there.type);
  EXPECT_FALSE(here.type.empty());
  EXPECT_GT(here.free_bytes, 0);
  EXPECT_EQ(network_file_system(folder.path()), here.network);
  EXPECT_EQ(file_system_of("/dev/shm").type, "tmpfs");
  EXPECT_FALSE(file_system_of("relative.h5").type.empty());
}

}  // namespace
}  // namespace tessera::data
